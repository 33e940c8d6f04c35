//! What the names of columns usually mean.

/// How sure a name makes us that an attribute is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Protected {
    /// Sex, race or age: a benchmark is proposed.
    Clear,
    /// Marital status and the like: proposed in a comment.
    Perhaps,
}

/// Words for sex and race, in English, German, French and Spanish.
const CLEAR: &[&str] = &[
    "sex",
    "gender",
    "geschlecht",
    "sexe",
    "genre",
    "sexo",
    "genero",
    "race",
    "racial",
    "ethnicity",
    "ethnic",
    "ethnie",
    "rasse",
    "hautfarbe",
    "raza",
    "etnia",
];

/// Words for age, and words that may stand beside them: `account-age` is nobody's age.
const AGE: &[&str] = &["age", "alter", "edad"];
const BESIDE_AGE: &[&str] = &[
    "applicant",
    "band",
    "bin",
    "client",
    "customer",
    "group",
    "in",
    "patient",
    "person",
    "range",
    "year",
    "years",
];

const PERHAPS: &[&str] = &[
    "religion",
    "religious",
    "nationality",
    "citizenship",
    "citizen",
    "foreign",
    "native",
    "immigrant",
    "disability",
    "disabled",
    "marital",
    "married",
    "pregnancy",
    "pregnant",
    "orientation",
    "veteran",
    "staatsangehorigkeit",
    "nationalitat",
    "behinderung",
    "familienstand",
    "nationalite",
    "handicap",
    "grossesse",
    "nacionalidad",
    "discapacidad",
    "embarazo",
];

/// Several words that mean a protected attribute only together.
const PERHAPS_TOGETHER: &[&str] = &[
    "civil status",
    "estado civil",
    "etat civil",
    "country of birth",
    "birth country",
    "date of birth",
    "dob",
];

const LABELS: &[&str] = &[
    "label",
    "target",
    "y",
    "class",
    "outcome",
    "income",
    "default",
    "approved",
    "decision",
    "diagnosis",
    "response",
    "result",
    "risk",
    "hired",
    "granted",
    "accepted",
    "churn",
    "survived",
    "recid",
    "recidivism",
    "salary",
    "ziel",
    "cible",
    "objetivo",
];

const LAST_OF_LABEL: &[&str] = &["risk", "label", "class", "target", "outcome", "decision"];

const NOT_READ: &[&str] = &[
    "id", "index", "idx", "row", "rownum", "uuid", "guid", "fnlwgt", "weight", "weights", "name",
    "email", "phone", "ssn",
];

/// What the name of a column says about being protected.
pub(super) fn protected(name: &str) -> Option<Protected> {
    let words = words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let of_age = |word: &String| AGE.contains(&word.as_str());
    let around_age = |word: &String| of_age(word) || BESIDE_AGE.contains(&word.as_str());
    if has(CLEAR) || (words.iter().any(of_age) && words.iter().all(around_age)) {
        return Some(Protected::Clear);
    }
    let together = words.join(" ");
    let perhaps = has(PERHAPS) || PERHAPS_TOGETHER.contains(&together.as_str());
    perhaps.then_some(Protected::Perhaps)
}

/// Whether labels are usually called so.
pub(super) fn is_label(name: &str) -> bool {
    let words = words(name);
    let last = words.last().map(String::as_str).unwrap_or_default();
    LABELS.contains(&words.join(" ").as_str()) || LAST_OF_LABEL.contains(&last)
}

/// Whether columns that no model reads are usually called so: numbers of rows, weights, names.
pub(super) fn is_not_read(name: &str) -> bool {
    let words = words(name);
    let only = words.join(" ");
    let last = words.last().map(String::as_str).unwrap_or_default();
    NOT_READ.contains(&only.as_str())
        || only == "unnamed 0"
        || only == "sample weight"
        || only == "instance weight"
        || last == "id"
}

/// A name as exporters write it, for comparing: only letters and digits, in lower case.
pub(super) fn alike(one: &str, other: &str) -> bool {
    words(one) == words(other) || squeezed(one) == squeezed(other)
}

fn squeezed(name: &str) -> String {
    words(name).concat()
}

/// A name of letters, digits and `-` for a table of the spec.
pub(super) fn plain(name: &str, fallback: &str) -> String {
    let parts: Vec<&str> = name
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect();
    match parts.is_empty() {
        true => fallback.to_owned(),
        false => parts.join("-"),
    }
}

/// The words of a name in lower case, without accents: `maritalStatus` has two, `état-civil` too.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for letter in name.chars() {
        let starts = !before.is_alphanumeric() || (before.is_lowercase() && letter.is_uppercase());
        before = letter;
        if !letter.is_alphanumeric() {
            continue;
        }
        let small = letter.to_lowercase().map(without_accent);
        match words.last_mut() {
            Some(word) if !starts => word.extend(small),
            _ => words.push(small.collect()),
        }
    }
    words
}

fn without_accent(letter: char) -> char {
    match letter {
        'á' | 'à' | 'â' | 'ä' => 'a',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'í' | 'î' | 'ï' => 'i',
        'ó' | 'ô' | 'ö' => 'o',
        'ú' | 'û' | 'ü' => 'u',
        'ñ' => 'n',
        'ç' => 'c',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_names_of_protected_attributes() {
        for name in [
            "sex",
            "Gender",
            "personal-status-sex",
            "AgeGroup",
            "age",
            "Género",
            "applicant_ethnicity",
        ] {
            assert_eq!(protected(name), Some(Protected::Clear), "{name}");
        }
        for name in [
            "marital-status",
            "maritalStatus",
            "native-country",
            "État civil",
            "foreign-worker",
            "Staatsangehörigkeit",
        ] {
            assert_eq!(protected(name), Some(Protected::Perhaps), "{name}");
        }
        for name in ["mortgage", "account-age", "usage", "country", "embrace"] {
            assert_eq!(protected(name), None, "{name}");
        }
    }

    #[test]
    fn usual_names_of_labels_and_of_what_is_not_read() {
        assert!(["y", "Income", "credit-risk", "loan_decision"].map(is_label) == [true; 4]);
        assert!(["age", "income-of-parents", "classes"].map(is_label) == [false; 3]);
        assert!(["Unnamed: 0", "id", "customerId", "fnlwgt"].map(is_not_read) == [true; 4]);
        assert!(["paid", "weight-class", "age"].map(is_not_read) == [false; 3]);
    }

    #[test]
    fn names_are_alike_whatever_stands_between_words() {
        assert!(alike("education-num", "education_num"));
        assert!(alike("EducationNum", "education num"));
        assert!(!alike("education", "education-num"));
        assert_eq!(plain("census_v2 (new)", "model"), "census-v2-new");
        assert_eq!(plain("…", "model"), "model");
    }
}
