//! A share as a small bar beside its number.

use maud::{Markup, html};

/// The bar. It says nothing that the number beside it does not say.
pub(super) fn bar(share: f64) -> Markup {
    let width = format!("{:.1}%", 100.0 * share.clamp(0.0, 1.0));
    html! {
        svg.bar aria-hidden="true" focusable="false" {
            rect.track width="100%" height="100%" rx="2" {}
            rect.filled width=(width) height="100%" rx="2" {}
        }
    }
}
