//! What of a written value is missing from the value that is read back.
//!
//! Additions do no harm: a default that the server fills in leaves what was written whole.

use serde_json::Value;

/// The first place where `got` lacks what `want` has, as keys and list places below the value; none if all is there.
pub(super) fn missing(want: Option<&Value>, got: Option<&Value>) -> Option<Vec<String>> {
    let mut path = find(want, got)?;
    path.reverse();
    Some(path)
}

/// The place from the innermost key outwards: nothing is written down on the way to where all is there.
fn find(want: Option<&Value>, got: Option<&Value>) -> Option<Vec<String>> {
    let below = |key: &dyn ToString, found: Option<Vec<String>>| {
        found.map(|mut path| {
            path.push(key.to_string());
            path
        })
    };
    match (want, got) {
        (Some(Value::Object(want)), Some(Value::Object(got))) => {
            want.iter().find_map(|(key, value)| below(key, find(Some(value), got.get(key))))
        }
        (Some(Value::Array(want)), Some(Value::Array(got))) if want.len() == got.len() => {
            let mut pairs = want.iter().zip(got).enumerate();
            pairs.find_map(|(at, (want, got))| below(&at, find(Some(want), Some(got))))
        }
        // What was taken away must not come back: a default that fills it in again is a change.
        _ => (want != got).then(Vec::new),
    }
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
