//! What of a written value is missing from the value that is read back.
//!
//! Additions do no harm: a default that the server fills in leaves what was written whole.

use serde_json::Value;

/// The first place where `got` lacks what `want` has, as keys and list places below the value; none if all is there.
pub(super) fn missing(want: Option<&Value>, got: Option<&Value>) -> Option<Vec<String>> {
    let mut path = Vec::new();
    find(want, got, &mut path).then_some(path)
}

fn find(want: Option<&Value>, got: Option<&Value>, path: &mut Vec<String>) -> bool {
    match (want, got) {
        (None, None) => false,
        // What was taken away must not come back: a default that fills it in again is a change.
        (None, Some(_)) | (Some(_), None) => true,
        (Some(Value::Object(want)), Some(Value::Object(got))) => {
            want.iter().any(|(key, value)| below(key.clone(), Some(value), got.get(key), path))
        }
        (Some(Value::Array(want)), Some(Value::Array(got))) => {
            want.len() != got.len()
                || want
                    .iter()
                    .zip(got)
                    .enumerate()
                    .any(|(at, (want, got))| below(at.to_string(), Some(want), Some(got), path))
        }
        (Some(want), Some(got)) => want != got,
    }
}

fn below(key: String, want: Option<&Value>, got: Option<&Value>, path: &mut Vec<String>) -> bool {
    path.push(key);
    let found = find(want, got, path);
    if !found {
        path.pop();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::missing;
    use serde_json::json;

    #[test]
    fn the_first_missing_place_is_named() {
        let cases = [
            (json!({"a": {"b": 1}}), json!({"a": {"b": 1, "c": 2}}), None),
            (json!({"a": {"b": 1}}), json!({"a": {}}), Some(vec!["a", "b"])),
            (json!({"a": {"b": 1}}), json!({"a": {"b": 2}}), Some(vec!["a", "b"])),
            (json!({"a": [{"b": 1}, {"b": 2}]}), json!({"a": [{"b": 1}, {}]}), Some(vec!["a", "1", "b"])),
            (json!({"a": [1]}), json!({"a": [1, 2]}), Some(vec!["a"])),
            (json!({}), json!({}), None),
        ];
        for (want, got, place) in cases {
            let place = place.map(|it| it.into_iter().map(str::to_owned).collect::<Vec<_>>());
            assert_eq!(missing(Some(&want), Some(&got)), place, "{want} {got}");
        }
        assert_eq!(missing(None, Some(&json!(1))), Some(vec![]), "what was taken away came back");
    }
}
