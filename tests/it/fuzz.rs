//! The promises of the fuzz targets, on the texts that the targets kept: odd ones, and those that once broke a promise.

#[path = "../fuzz/promises.rs"]
mod promises;

use std::fs;
use std::path::Path;

#[test]
fn what_fuzzing_kept_breaks_no_promise() {
    type Promise = fn(&str);
    let targets: [(&str, Promise); 4] = [
        ("yaml", promises::yaml),
        ("check", promises::check),
        ("fix", promises::fix),
        ("simulate", promises::simulate),
    ];
    for (name, promise) in targets {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/corpus").join(name);
        let texts: Vec<_> = fs::read_dir(&folder).expect("the corpus is there").collect();
        assert!(texts.len() >= 10, "{name} has a corpus");
        for text in texts {
            let path = text.expect("a file").path();
            println!("{}", path.display());
            promise(&fs::read_to_string(&path).expect("the corpus is UTF-8"));
        }
    }
}
