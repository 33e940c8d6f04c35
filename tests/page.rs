//! The page of `fairgate report` in a real browser.
//!
//! Without Chromium on this machine the trials show as ignored, with the reason.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test"
)]

#[path = "common/browser.rs"]
mod browser;
mod common;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use browser::{Browser, Tab};
use common::Repo;
use fairgate::{Checked, Counterexample, Dataset, Filter, Options, Spec};
use libtest_mimic::{Arguments, Completion, Trial};

const PAGE: &str = "fairness-report.html";

/// Decodes the table of the first benchmark that has one.
const OPEN_TABLE: &str = "document.querySelector('.host').scrollIntoView()";
const TABLE_IS_OPEN: &str = "document.querySelectorAll('.rows tbody tr').length > 0";
const STATUS: &str = "document.querySelector('.host [role=status]').textContent";

/// A trial in a page of its own.
type Run = fn(&mut Tab<'_>);

fn main() -> ExitCode {
    let trials: [(&str, Run); 14] = [
        ("opens_without_errors_and_asks_for_nothing", opens_quietly),
        ("filters_count_what_the_search_found", filters),
        ("sorts_by_every_column", sorts),
        ("turns_pages", turns_pages),
        ("shows_what_is_exported", exported),
        ("works_by_keyboard_alone", keyboard),
        ("holds_a_hundred_thousand_findings", a_hundred_thousand),
        ("hostile_names_do_nothing", hostile_names),
        ("is_legible_in_light_and_dark", legible),
        ("fits_a_phone", fits_a_phone),
        ("prints_everything", prints),
        ("is_complete_without_scripts", without_scripts),
        ("has_landmarks_headings_and_labels", landmarks),
        ("shows_several_kinds_of_benchmarks", kinds),
    ];
    let arguments = Arguments::from_args();
    let chromium = browser::chromium();
    let listing = arguments.list;
    let browser = chromium
        .as_ref()
        .filter(|_| !listing)
        .map(|program| Arc::new(Mutex::new(Browser::start(program))));
    let trials = trials.map(|(name, run)| {
        let browser = browser.clone();
        Trial::ignorable_test(name, move || {
            let Some(browser) = browser else {
                return Ok(Completion::ignored_with(
                    "Chromium is not on the search path, nor named by FAIRGATE_CHROMIUM",
                ));
            };
            let mut browser = browser.lock().unwrap_or_else(PoisonError::into_inner);
            run(&mut browser.tab());
            Ok(Completion::Completed)
        })
    });
    libtest_mimic::run(&arguments, trials.into()).exit_code()
}

/// A repository with its page, made once.
struct Reported {
    repo: Repo,
    page: PathBuf,
}

impl Reported {
    fn of(repo: Repo, arguments: &[&str]) -> Self {
        let ran = repo.run(&[&["report"], arguments].concat());
        assert!(matches!(ran.code, 0 | 1), "{ran:?}");
        let page = repo.path(PAGE);
        Reported { repo, page }
    }

    /// The same run in this process, with all its findings.
    fn checked(&self, name: &str) -> Checked {
        let spec = Spec::load(self.repo.path("fairness.toml")).unwrap();
        let filter = Filter {
            name: Some(name.to_owned()),
            exact: true,
        };
        let plan = fairgate::plan(&spec, &filter).unwrap().remove(0);
        let dataset = Dataset::load(&plan.dataset).unwrap();
        let mut options = Options::new(self.repo.path("elsewhere")).unwrap();
        options.runtime = Some(fairgate::model::RuntimeChoice::Embedded);
        options.snapshots.update = fairgate::Update::No;
        fairgate::check(&plan, &dataset, &options, &|_| {}, &|| false).unwrap()
    }
}

/// Some thousand findings of the census network.
fn small() -> &'static Reported {
    static SMALL: OnceLock<Reported> = OnceLock::new();
    SMALL.get_or_init(|| {
        let arguments = ["--exact", "census-sex", "--runtime", "embedded"];
        Reported::of(Repo::of_fixtures(), &arguments)
    })
}

/// What the page of [`small`] should show.
fn findings() -> &'static (Checked, Vec<Counterexample>) {
    static FINDINGS: OnceLock<(Checked, Vec<Counterexample>)> = OnceLock::new();
    FINDINGS.get_or_init(|| {
        let checked = small().checked("census-sex");
        let all = checked.result.findings.counterexamples().collect();
        (checked, all)
    })
}

fn open_small(tab: &mut Tab<'_>) {
    tab.open(&small().page);
    open_table(tab);
}

fn open_table(tab: &mut Tab<'_>) {
    tab.evaluate(OPEN_TABLE);
    tab.wait_for(TABLE_IS_OPEN);
}

/// The number at the start of a sentence: `1,234 of 5,678 findings`.
fn count(sentence: &serde_json::Value) -> usize {
    let first = sentence.as_str().unwrap().split(' ').next().unwrap();
    first.replace(',', "").parse().unwrap()
}

fn opens_quietly(tab: &mut Tab<'_>) {
    open_small(tab);
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    for kind in [
        "Runtime.exceptionThrown",
        "Runtime.consoleAPICalled",
        "Log.entryAdded",
    ] {
        assert_eq!(tab.events(kind), Vec::<serde_json::Value>::new(), "{kind}");
    }
    let asked: Vec<String> = tab
        .events("Network.requestWillBeSent")
        .iter()
        .map(|event| event["request"]["url"].as_str().unwrap().to_owned())
        .filter(|url| !url.starts_with("data:"))
        .collect();
    assert_eq!(asked, [format!("file://{}", small().page.display())]);
    // Nothing could be asked for, either.
    let refused = tab.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', () => 'refused')");
    assert_eq!(refused, "refused");
    let blocked = tab.events("Log.entryAdded");
    let sentence = blocked[0]["entry"]["text"].to_string();
    assert!(sentence.contains("Content Security Policy"), "{sentence}");
    let report = std::fs::read_to_string(&small().page).unwrap();
    for outside in ["http://", "https://", "src=", "@import", "url("] {
        assert!(!report.contains(outside), "{outside}");
    }
}

/// Chooses in a list by the words that stand there.
fn choose(tab: &mut Tab<'_>, label: &str, option: &str) {
    tab.evaluate(&format!(
        "(() => {{
            const label = [...document.querySelectorAll('.filters label')]
                .find((one) => one.firstChild.textContent === {label:?});
            const select = label.querySelector('select');
            const option = [...select.options].find((one) => one.textContent === {option:?});
            select.value = option.value;
            select.dispatchEvent(new Event('change'));
        }})()"
    ));
}

fn type_into(tab: &mut Tab<'_>, label: &str, text: &str) {
    let before = tab.evaluate(STATUS);
    tab.evaluate(&format!(
        "(() => {{
            const label = [...document.querySelectorAll('.filters label')]
                .find((one) => one.firstChild.textContent === {label:?});
            const input = label.querySelector('input');
            input.value = {text:?};
            input.dispatchEvent(new Event('input'));
        }})()"
    ));
    tab.wait_for(&format!("{STATUS} !== {before}"));
}

fn clear(tab: &mut Tab<'_>) {
    tab.evaluate("document.querySelector('.filters button').click()");
}

fn filters(tab: &mut Tab<'_>) {
    open_small(tab);
    let (checked, all) = findings();
    let schema = checked.result.findings.space().schema();
    let code = |pair: &Counterexample, name: &str| pair.person[schema.position(name).unwrap()];
    let of = |name: &str, word: &str| {
        let attribute = &schema.attributes()[schema.position(name).unwrap()];
        attribute.domain.code(word).unwrap()
    };
    assert_eq!(count(&tab.evaluate(STATUS)), all.len());

    let female = of("sex", "Female");
    let women = all.iter().filter(|pair| code(pair, "sex") == female);
    choose(tab, "sex, person", "Female");
    assert_eq!(count(&tab.evaluate(STATUS)), women.clone().count());

    let private = of("workclass", "Private");
    let both = women
        .filter(|pair| code(pair, "workclass") == private)
        .count();
    choose(tab, "workclass", "Private");
    assert_eq!(count(&tab.evaluate(STATUS)), both);
    assert!(0 < both && both < all.len(), "{both}");
    let shown = tab.evaluate("[...document.querySelectorAll('.rows tbody tr')].every((row) => row.textContent.includes('Private') && row.textContent.includes('Female \\u2192 Male'))");
    assert_eq!(shown, true);

    clear(tab);
    assert_eq!(count(&tab.evaluate(STATUS)), all.len());
    type_into(tab, "gap", "> 0.3");
    let wide = all.iter().filter(|pair| f64::from(pair.gap) > 0.3).count();
    assert_eq!(count(&tab.evaluate(STATUS)), wide);
    type_into(tab, "gap", "0.1 to 0.2");
    let some = all
        .iter()
        .filter(|pair| (0.1..=0.2).contains(&f64::from(pair.gap)));
    assert_eq!(count(&tab.evaluate(STATUS)), some.count());
    type_into(tab, "gap", "wide");
    let sentence = tab.evaluate(STATUS);
    assert!(
        sentence
            .as_str()
            .unwrap()
            .contains("A filter cannot be read"),
        "{sentence}"
    );
    assert_eq!(count(&sentence), all.len());

    clear(tab);
    type_into(tab, "any attribute contains", "mexico");
    let mexico = of("native-country", "Mexico");
    let mexican = all
        .iter()
        .filter(|pair| code(pair, "native-country") == mexico)
        .count();
    assert_eq!(count(&tab.evaluate(STATUS)), mexican);
}

fn sorts(tab: &mut Tab<'_>) {
    open_small(tab);
    let (_, all) = findings();
    let widest = all.iter().map(|pair| pair.gap).fold(0.0, f32::max);
    let first = "document.querySelector('.rows tbody tr').cells[GAP].textContent".replace(
        "GAP",
        "[...document.querySelectorAll('.rows th')].findIndex((one) => one.textContent === 'gap')",
    );
    assert_eq!(
        tab.evaluate(&first),
        format!("{widest:.3}"),
        "widest first at the start"
    );
    let columns = tab
        .evaluate("document.querySelectorAll('.rows th').length")
        .as_u64()
        .unwrap();
    // A number, protected attribute, decision, score, gap, and the other attributes.
    assert_eq!(columns, 1 + 1 + 1 + 2 + 11);
    for column in 0..columns {
        for direction in ["ascending", "descending"] {
            tab.evaluate(&format!(
                "document.querySelectorAll('.rows th button')[{column}].click()"
            ));
            let sorted = tab.evaluate("[...document.querySelectorAll('.rows th')].map((one) => one.getAttribute('aria-sort'))");
            let sorted: Vec<&str> = sorted
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one.as_str().unwrap())
                .collect();
            let wanted = |place: u64| if place == column { direction } else { "none" };
            // The gap is sorted at the start, so the first click turns it round.
            let turned = column == 4;
            let expected: Vec<&str> = (0..columns).map(wanted).collect();
            assert!(turned || sorted == expected, "{column}: {sorted:?}");
        }
    }
    // By number, the first column: the order in which the search met them.
    tab.evaluate("document.querySelectorAll('.rows th button')[0].click()");
    let gaps = tab.evaluate(
        "[...document.querySelectorAll('.rows tbody tr')].map((row) => row.cells[4].textContent)",
    );
    let expected: Vec<String> = all
        .iter()
        .take(50)
        .map(|pair| format!("{:.3}", pair.gap))
        .collect();
    assert_eq!(gaps, serde_json::json!(expected));
}

fn turns_pages(tab: &mut Tab<'_>) {
    open_small(tab);
    let (_, all) = findings();
    let pages = all.len().div_ceil(50);
    tab.evaluate("document.querySelectorAll('.rows th button')[0].click()");
    let number = "document.querySelector('.rows tbody tr').cells[0].textContent";
    let click = |tab: &mut Tab<'_>, label: &str| {
        tab.evaluate(&format!("[...document.querySelectorAll('.pages button')].find((one) => one.textContent === {label:?}).click()"));
    };
    let last = grouped((pages - 1) * 50 + 1);
    for (label, first) in [
        ("Next", "51"),
        ("Next", "101"),
        ("Previous", "51"),
        ("Last", &last),
        ("Next", &last),
        ("First", "1"),
        ("Previous", "1"),
    ] {
        click(tab, label);
        assert_eq!(tab.evaluate(number), first, "{label}");
    }
    let rows = tab.evaluate("document.querySelectorAll('.rows tbody tr').length");
    assert_eq!(rows, 50);
}

/// The rows of the table, by number, are those of the CSV: anybody can compute everything again.
fn exported(tab: &mut Tab<'_>) {
    open_small(tab);
    tab.evaluate("document.querySelectorAll('.rows th button')[0].click()");
    let names =
        tab.evaluate("[...document.querySelectorAll('.rows th')].map((one) => one.textContent)");
    let names: Vec<String> = serde_json::from_value(names).unwrap();
    let shown = tab.evaluate("[...document.querySelectorAll('.rows tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))");
    let shown: Vec<Vec<String>> = serde_json::from_value(shown).unwrap();
    let ran = small().repo.run(&[
        "export",
        "census-sex",
        "--runtime",
        "embedded",
        "--most",
        "50",
    ]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let mut reader = csv::Reader::from_reader(ran.stdout.as_bytes());
    let rows: Vec<BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    assert_eq!(
        (rows.len(), shown.len()),
        (100, 50),
        "people and counterparts"
    );
    for (pair, cells) in rows.chunks_exact(2).zip(shown) {
        let [own, other] = [0, 1].map(|side| pair[side]["fairgate_score"].parse::<f32>().unwrap());
        for (name, cell) in names.iter().zip(cells) {
            let of = |name: &str| format!("{} \u{2192} {}", pair[0][name], pair[1][name]);
            let expected = match name.as_str() {
                "no." => pair[0]["fairgate_number"].clone(),
                "sex" => of("sex"),
                "decision" => of("fairgate_decision"),
                "score" => format!("{own:.3} \u{2192} {other:.3}"),
                "gap" => format!("{:.3}", (own - other).abs()),
                name => pair[0][name].clone(),
            };
            assert_eq!(cell, expected, "{name} of {pair:?}");
        }
    }
}

fn grouped(count: usize) -> String {
    let text = count.to_string();
    match text.len() {
        0..=3 => text,
        length => format!("{},{}", &text[..length - 3], &text[length - 3..]),
    }
}

fn keyboard(tab: &mut Tab<'_>) {
    tab.open(&small().page);
    let focused = "document.activeElement.textContent";
    tab.press("Tab");
    assert_eq!(tab.evaluate(focused), "Skip to the results");
    tab.press("Enter");
    tab.wait_for("document.activeElement.id === 'results'");
    open_table(tab);
    // From the summary of the filters on: open them, choose, and sort, without a mouse.
    tab.evaluate("document.querySelector('.filters summary').focus()");
    tab.press("Enter");
    tab.wait_for("document.querySelector('.filters').open");
    let mut steps = 0;
    while tab.evaluate("document.activeElement.parentElement.firstChild.textContent")
        != "sex, person"
    {
        tab.press("Tab");
        steps += 1;
        assert!(steps < 20, "the filter cannot be reached");
    }
    let all = count(&tab.evaluate(STATUS));
    tab.press("ArrowDown");
    tab.wait_for(&format!("!{STATUS}.startsWith({:?})", grouped(all)));
    while tab.evaluate("document.activeElement.textContent") != "no." {
        tab.press("Tab");
        steps += 1;
        assert!(steps < 60, "the header cannot be reached");
    }
    tab.press("Space");
    tab.wait_for("document.querySelector('.rows th').getAttribute('aria-sort') === 'ascending'");
    let ring = tab.evaluate("getComputedStyle(document.activeElement).outlineStyle");
    assert_eq!(ring, "solid", "the focus can be seen");
}

fn a_hundred_thousand(tab: &mut Tab<'_>) {
    let repo = Repo::of_fixtures().spec(
        "global-seeds = 50, local-steps = 50",
        "global-seeds = 400, local-steps = 400",
    );
    let large = Reported::of(repo, &["--exact", "census-sex", "--runtime", "embedded"]);
    let bytes = std::fs::metadata(&large.page).unwrap().len();
    let started = Instant::now();
    tab.open(&large.page);
    let loaded = started.elapsed();
    open_table(tab);
    let opened = started.elapsed();
    let sentence = tab.evaluate(STATUS);
    assert_eq!(count(&sentence), 100_000, "{sentence}");
    let line = large
        .repo
        .json(&["--exact", "census-sex", "--runtime", "embedded"]);
    let found = line["counterexamples"].as_u64().unwrap();
    assert!(found > 100_000, "{found}");
    let text = tab.evaluate("document.querySelector('.findings p').textContent");
    assert!(text.as_str().unwrap().starts_with("100,000 of "), "{text}");
    // The last of those shown is the one at 99,999/100,000 of all.
    tab.evaluate("document.querySelectorAll('.rows th button')[0].click()");
    tab.evaluate("document.querySelectorAll('.rows th button')[0].click()");
    let number = tab.evaluate("document.querySelector('.rows tbody tr').cells[0].textContent");
    let number: u64 = number.as_str().unwrap().replace(',', "").parse().unwrap();
    assert_eq!(number, 99_999 * found / 100_000 + 1);
    let started = Instant::now();
    choose(tab, "sex, person", "Female");
    tab.evaluate("document.querySelectorAll('.rows th button')[5].click()");
    let sorted = started.elapsed();
    assert!(bytes < 6_000_000, "{bytes} bytes, loaded in {loaded:?}");
    assert!(
        opened.as_secs() < 20 && sorted.as_secs() < 10,
        "{opened:?}, {sorted:?}"
    );
}

fn hostile_names(tab: &mut Tab<'_>) {
    let image = "<img src=x onerror='window.hacked=1'>";
    let script = "</script><script>window.hacked=1</script>";
    let repo = Repo::new("planted");
    let data = repo
        .read("tiny.csv")
        .replace("Female", image)
        .replace("Male", script);
    let data = data.replacen("sex", "\"s<b>e</b>x & \"\"more\"\"\"", 1);
    repo.write("tiny.csv", data);
    let spec = repo
        .read("fairness.toml")
        .replace("Female", image)
        .replace("Male", script)
        .replace("sex =", "'s<b>e</b>x & \"more\"' =")
        .replace("\"sex\"", "'s<b>e</b>x & \"more\"'");
    repo.write("fairness.toml", format!("# {script} <!-- {image}\n{spec}"));
    let reported = Reported::of(repo, &[]);
    tab.open(&reported.page);
    open_table(tab);
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    let hacked = tab.evaluate("typeof window.hacked");
    assert_eq!(hacked, "undefined");
    assert_eq!(
        tab.evaluate("document.querySelectorAll('img, b').length"),
        0
    );
    assert_eq!(
        tab.evaluate("document.querySelectorAll('script').length"),
        2,
        "the data and the page's own"
    );
    let text = tab.evaluate("document.querySelector('.rows').textContent");
    assert!(text.as_str().unwrap().contains(image), "{text}");
    let text = tab.evaluate("document.querySelector('.sides').textContent");
    assert!(text.as_str().unwrap().contains(script), "{text}");
    assert_eq!(
        tab.events("Log.entryAdded"),
        Vec::<serde_json::Value>::new()
    );
}

/// The texts whose contrast with what is behind them is below 4.5, or 3 for large ones.
const FAINT: &str = r#"(() => {
    const numbers = (colour) => {
        const found = colour.match(/[\d.]+/g).map(Number);
        return { rgb: found.slice(0, 3), alpha: found.length > 3 ? found[3] : 1 };
    };
    const behind = (element) => {
        const layers = [];
        for (let one = element; one; one = one.parentElement) {
            const { rgb, alpha } = numbers(getComputedStyle(one).backgroundColor);
            layers.push({ rgb, alpha });
            if (alpha === 1) break;
        }
        let colour = [255, 255, 255];
        for (const { rgb, alpha } of layers.reverse()) {
            colour = colour.map((old, place) => old * (1 - alpha) + rgb[place] * alpha);
        }
        return colour;
    };
    const light = (rgb) => {
        const [r, g, b] = rgb.map((part) => {
            const share = part / 255;
            return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const faint = [];
    for (const element of document.querySelectorAll('body *')) {
        if (element.closest('script, style, .hidden, .skip') || !element.checkVisibility()) continue;
        const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
        if (!own) continue;
        const style = getComputedStyle(element);
        const ink = element.ownerSVGElement ? style.fill : style.color;
        const [one, other] = [light(numbers(ink).rgb), light(behind(element))];
        const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
        if (contrast < 4.5) faint.push(`${element.className} ${element.textContent.slice(0, 30)} ${contrast}`);
    }
    return faint;
})()"#;

fn legible(tab: &mut Tab<'_>) {
    tab.scheme("light");
    open_small(tab);
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    let ground = "getComputedStyle(document.body).backgroundColor";
    let light = tab.evaluate(ground);
    assert_eq!(tab.evaluate(FAINT), serde_json::json!([]));
    tab.scheme("dark");
    let dark = tab.evaluate(ground);
    assert_ne!(light, dark);
    assert!(dark.as_str().unwrap().starts_with("rgb(1"), "{dark}");
    assert_eq!(tab.evaluate(FAINT), serde_json::json!([]));
}

fn fits_a_phone(tab: &mut Tab<'_>) {
    for width in [360, 320, 768] {
        tab.size(width, 740);
        open_small(tab);
        tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        let wide = tab.evaluate("document.scrollingElement.scrollWidth");
        assert!(
            wide.as_u64() <= Some(width.into()),
            "{wide} of {width} pixels: something sticks out"
        );
    }
    tab.size(360, 740);
    let own = tab.evaluate("[...document.querySelectorAll('.scroll')].every((one) => one.tabIndex === 0 && one.getAttribute('aria-label'))");
    assert_eq!(own, true, "what scrolls on its own can be reached");
    let scrolls = tab.evaluate("(() => { const one = document.querySelector('.rows').parentElement; return one.scrollWidth > one.clientWidth; })()");
    assert_eq!(scrolls, true);
}

fn prints(tab: &mut Tab<'_>) {
    tab.open(&small().page);
    let pdf = tab.pdf();
    assert!(pdf.starts_with(b"%PDF-"), "{} bytes", pdf.len());
    assert!(pdf.len() > 50_000, "{} bytes", pdf.len());
    // The table was never scrolled to, and is on paper nevertheless.
    assert_eq!(
        tab.evaluate("document.querySelectorAll('.rows tbody tr').length"),
        50
    );
    let folded = tab.evaluate("document.querySelectorAll('.pair:not([open])').length");
    assert_eq!(folded, 9, "as before");
    tab.call(
        "Emulation.setEmulatedMedia",
        serde_json::json!({ "media": "print" }),
    );
    let shown = tab.evaluate("['.side', '.filters', '.pages'].map((one) => document.querySelector(one).checkVisibility())");
    assert_eq!(shown, serde_json::json!([false, false, false]));
}

fn without_scripts(tab: &mut Tab<'_>) {
    tab.call(
        "Emulation.setScriptExecutionDisabled",
        serde_json::json!({ "value": true }),
    );
    tab.open(&small().page);
    let text = tab.evaluate("document.body.innerText");
    let text = text.as_str().unwrap();
    for phrase in [
        "census-sex",
        "dataset",
        "Female",
        "Since the last snapshot",
        "need JavaScript",
        "SHA-256",
    ] {
        assert!(text.contains(phrase), "no {phrase:?} in {text}");
    }
    tab.call(
        "Emulation.setScriptExecutionDisabled",
        serde_json::json!({ "value": false }),
    );
}

fn landmarks(tab: &mut Tab<'_>) {
    open_small(tab);
    let expectations = [
        ("document.documentElement.lang", "en"),
        ("String(document.querySelectorAll('main').length)", "1"),
        ("String(document.querySelectorAll('h1').length)", "1"),
    ];
    for (expression, wanted) in expectations {
        assert_eq!(tab.evaluate(expression), wanted, "{expression}");
    }
    let empty = [
        (
            "headings that skip a level",
            "(() => { let last = 1; return [...document.querySelectorAll('h1, h2, h3, h4')].filter((one) => { const level = Number(one.tagName[1]); const skips = level > last + 1; last = level; return skips; }).map((one) => one.textContent); })()",
        ),
        (
            "ids twice",
            "(() => { const ids = [...document.querySelectorAll('[id]')].map((one) => one.id); return ids.filter((id, place) => ids.indexOf(id) !== place); })()",
        ),
        (
            "references to nothing",
            "[...document.querySelectorAll('[aria-labelledby], [aria-describedby]')].flatMap((one) => [one.getAttribute('aria-labelledby'), one.getAttribute('aria-describedby')]).filter(Boolean).flatMap((ids) => ids.split(' ')).filter((id) => !document.getElementById(id))",
        ),
        (
            "links to nothing",
            "[...document.querySelectorAll('a[href^=\"#\"]')].map((one) => decodeURIComponent(one.hash.slice(1))).filter((id) => !document.getElementById(id))",
        ),
        (
            "inputs without a name",
            "[...document.querySelectorAll('input, select')].filter((one) => !one.closest('label') && !one.getAttribute('aria-label')).map((one) => one.outerHTML)",
        ),
        (
            "headers without a scope",
            "[...document.querySelectorAll('th:not([scope])')].map((one) => one.outerHTML)",
        ),
        (
            "drawings without words",
            "[...document.querySelectorAll('svg')].filter((one) => !one.closest('[aria-hidden=true]') && one.getAttribute('role') !== 'img' && !one.ownerSVGElement).map((one) => one.outerHTML)",
        ),
    ];
    for (what, expression) in empty {
        assert_eq!(tab.evaluate(expression), serde_json::json!([]), "{what}");
    }
}

/// Many classes, a predicted number, two protected attributes, and a benchmark without findings.
fn kinds(tab: &mut Tab<'_>) {
    let repo = Repo::new("planted").benchmark(
        "\n[benchmark.tiny-both]\nmodel = \"tiny\"\ndataset = \"tiny\"\nprotected = [\"sex\", \"b\"]\nmax-discrimination-rate = 1.0\n\
         \n[benchmark.tiny-b]\nmodel = \"tiny\"\ndataset = \"tiny\"\nprotected = [\"b\"]\nmax-discrimination-rate = 0.0",
    );
    let reported = Reported::of(repo, &[]);
    tab.open(&reported.page);
    let badges = tab
        .evaluate("[...document.querySelectorAll('.benchmark h2')].map((one) => one.textContent)");
    let names: Vec<&str> = badges
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap())
        .collect();
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(
        names.contains(&"tiny-sex pass") && names.contains(&"tiny-b fail"),
        "{names:?}"
    );
    let hosts = tab.evaluate("document.querySelectorAll('.host').length");
    tab.evaluate("document.querySelectorAll('.host').forEach((one) => one.scrollIntoView())");
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))");
    assert_eq!(
        tab.evaluate("document.querySelectorAll('.host .rows').length"),
        hosts
    );
    for kind in ["Runtime.exceptionThrown", "Log.entryAdded"] {
        assert_eq!(tab.events(kind), Vec::<serde_json::Value>::new(), "{kind}");
    }
    let marks =
        tab.evaluate("document.querySelectorAll('#benchmark-tiny-both .sides .mark').length");
    assert!(marks.as_u64().unwrap() > 0, "changed attributes are marked");
}
