//! A dataset without a file: every attribute is declared in full.

use super::error::{Complaints, DatasetError};
use super::group;
use super::layout;
use crate::schema::{Attribute, Domain, Schema};
use crate::spec::{AttributeSpec, DatasetSpec, DomainSpec};

use super::domain::of_numbers;

/// The attributes in the order of the spec.
///
/// # Errors
/// Each attribute that is not declared in full.
pub(super) fn schema(dataset: &DatasetSpec, names: &[String]) -> Result<Schema, DatasetError> {
    let mut complaints = Complaints::default();
    let mut attributes = Vec::new();
    for place in layout::places(names, dataset) {
        let name = place.name;
        let help = |what: &str| {
            format!(
                "say {what} under [dataset.{}.attributes]",
                dataset.name.value
            )
        };
        let known = place.spec.map(|spec| complete(name, spec));
        match known.unwrap_or(Err(ANY)) {
            Ok(Ok(domain)) => attributes.push(Attribute::new(name, domain)),
            Ok(Err(sentence)) => complaints.add(sentence, help("another domain")),
            Err(what) => complaints.add(
                format!("there is no file that tells the domain of `{name}`"),
                help(what),
            ),
        }
    }
    if attributes.is_empty() && complaints.is_empty() {
        let help = "declare every attribute under `attributes`, or add the CSV file: path = \"people.csv\"";
        complaints.add("it has neither a file nor an attribute", help);
    }
    match complaints.is_empty() {
        true => Ok(Schema::new(attributes)),
        false => Err(complaints.into_error(dataset)),
    }
}

const ANY: &str = "its domain, such as { values = [\"a\", \"b\"] } or { min = 0, max = 9 },";

/// The domain, or what is wrong with it; or what has to be said to complete it.
fn complete(name: &str, spec: &AttributeSpec) -> Result<Result<Domain, String>, &'static str> {
    let numbers = || {
        let told = of_numbers(name, spec.domain.as_ref(), None);
        Ok(told
            .map(|told| told.domain)
            .map_err(|problem| problem.sentence))
    };
    match &spec.domain {
        Some(DomainSpec::Values(values)) => Ok(Ok(Domain::Categories(values.clone()))),
        Some(DomainSpec::Truth) => Ok(Ok(Domain::Truth)),
        Some(DomainSpec::Range {
            min: Some(_),
            max: Some(_),
        }) => numbers(),
        Some(DomainSpec::Range { .. }) => Err("both `min` and `max`"),
        Some(DomainSpec::Decimals {
            min: Some(_),
            max: Some(_),
            step: Some(_),
        }) => numbers(),
        Some(DomainSpec::Decimals { .. }) => Err("all of `min`, `max` and `step`"),
        Some(DomainSpec::Dates {
            first: Some(first),
            last: Some(last),
        }) => Ok(Ok(Domain::Dates {
            first: *first,
            last: *last,
        })),
        Some(DomainSpec::Dates { .. }) => Err("both `min` and `max`, the first and the last day,"),
        Some(DomainSpec::OwnValues) => Err("its `values`"),
        None => match group::values(name, spec) {
            Some(values) => Ok(Ok(Domain::Categories(values))),
            None => Err(ANY),
        },
    }
}
