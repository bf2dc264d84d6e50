//! From flags and configuration to slots with samples.

use kopf_crd::kopf::Contract;
use kopf_crd::kopf::ContractConfig;
use kopf_crd::kopf::Slot;
use kopf_crd::kopf::record;
use serde_json::Value;
use serde_json::json;

#[track_caller]
fn config(config: Value) -> ContractConfig {
    serde_json::from_value(config).expect("a configuration")
}

#[track_caller]
fn contract(of: Value) -> Contract {
    config(of).contract().expect("a contract")
}

fn slot(contract: &Contract, name: &str) -> Slot {
    contract.slots().into_iter().find(|it| it.name == name).expect("a slot of that name")
}

/// Each slot as `name path`, with `!` for a critical one.
fn lines(contract: &Contract) -> Vec<String> {
    let line = |it: &Slot| format!("{} {}{}", it.name, it.path, if it.critical { " !" } else { "" });
    contract.slots().iter().map(line).collect()
}

#[test]
fn slots_follow_from_the_storages() {
    let rows = [
        (
            json!({}),
            vec![
                "progress status.kopf.progress !",
                "touch status.kopf.dummy !",
                "diffbase status.kopf.last-handled-configuration !",
                "result:* status.your_handler",
            ],
        ),
        (
            json!({"name": "my.op", "results": "none"}),
            vec![
                "progress status.my.op.progress !",
                "touch status.my.op.dummy !",
                "diffbase status.my.op.last-handled-configuration !",
            ],
        ),
        (
            json!({"progress-field": "status.my-op", "diffbase": "annotations", "results": "none"}),
            vec![
                "progress status.my-op !",
                "touch status.kopf.dummy !",
                "diffbase metadata.annotations[\"kopf.zalando.org/last-handled-configuration\"] !",
            ],
        ),
        (
            json!({"progress-field": ["status", "my.op"], "diffbase-field": "status[\"a.b\"]", "results": "none"}),
            vec!["progress status[\"my.op\"] !", "touch status.kopf.dummy !", "diffbase status[\"a.b\"] !"],
        ),
        (
            json!({"storage": "smart", "results": "none"}),
            vec![
                "progress metadata.annotations !",
                "touch metadata.annotations[\"kopf.zalando.org/touch-dummy\"] !",
                "diffbase metadata.annotations[\"kopf.zalando.org/last-handled-configuration\"] !",
            ],
        ),
        (
            json!({"storage": "smart", "kopf": "1.43", "results": "none"}),
            vec![
                "progress metadata.annotations !",
                "progress status.kopf.progress",
                "touch metadata.annotations[\"kopf.zalando.org/touch-dummy\"] !",
                "touch status.kopf.dummy",
                "diffbase metadata.annotations[\"kopf.zalando.org/last-handled-configuration\"] !",
            ],
        ),
        (
            json!({"kopf": "0.26", "results": "none"}),
            vec![
                "progress status.kopf.progress !",
                "touch status.kopf.dummy !",
                "diffbase metadata.annotations[\"kopf.zalando.org/last-handled-configuration\"] !",
            ],
        ),
        (
            json!({"storage": "annotations", "diffbase-field": "status.diffBase", "prefix": "my.example.com", "results": "none"}),
            vec![
                "progress metadata.annotations !",
                "touch metadata.annotations[\"my.example.com/touch-dummy\"] !",
                "diffbase status.diffBase !",
            ],
        ),
        (
            json!({
                "progress-storage": {"kind": "multi", "storages": [
                    {"kind": "status", "field": "status.a", "touch_field": ["status", "b.c"]},
                    {"kind": "annotations", "prefix": "my.example.com", "touch_key": "ping"},
                ]},
                "diffbase-storage": {"kind": "status", "name": "base", "ignored_fields": ["spec.x"]},
                "results": "none",
            }),
            vec![
                "progress status.a !",
                "progress metadata.annotations",
                "touch status[\"b.c\"]",
                "touch metadata.annotations[\"my.example.com/ping\"] !",
                "diffbase status.base.last-handled-configuration !",
            ],
        ),
        (
            json!({"storage": "annotations", "result": ["resize/spec.size=string"], "writes": ["status.phase=\"Error\""]}),
            vec![
                "progress metadata.annotations !",
                "touch metadata.annotations[\"kopf.zalando.org/touch-dummy\"] !",
                "diffbase metadata.annotations[\"kopf.zalando.org/last-handled-configuration\"] !",
                "result:resize/spec.size status[\"resize/spec.size\"] !",
                "field:status.phase status.phase !",
            ],
        ),
    ];
    for (of, slots) in rows {
        assert_eq!(lines(&contract(of.clone())), slots, "{of}");
    }
    assert_eq!(
        lines(&Contract::of_peering("1.45.2".parse().unwrap())),
        ["peering status[\"user@host/20260101000000/abc\"] !"]
    );
}

#[test]
fn a_contract_is_told_in_one_line() {
    let rows = [
        (
            json!({"kopf": "2.0", "storage": "annotations", "results": "none"}),
            "Kopf 2.0.0 (taken for 1.45.2, the newest that is known), progress in annotations `kopf.zalando.org/…`, \
             diff-base in annotation `kopf.zalando.org/last-handled-configuration`, no results",
        ),
        (
            json!({}),
            "Kopf 1.45.2, progress in `status.kopf.progress`, diff-base in `status.kopf.last-handled-configuration`, any results",
        ),
        (
            json!({"storage": "smart", "kopf": "1.43.0", "results": "none"}),
            "Kopf 1.43.0, progress in annotations `kopf.zalando.org/…` and `status.kopf.progress`, \
             diff-base in annotation `kopf.zalando.org/last-handled-configuration`, no results",
        ),
        (
            json!({"result": ["a/b.c", "d=list"], "results": "unknown", "writes": ["status.phase"]}),
            "Kopf 1.45.2, progress in `status.kopf.progress`, diff-base in `status.kopf.last-handled-configuration`, \
             results of `a/b.c`, `d` and others, `status.phase` patched",
        ),
    ];
    for (of, line) in rows {
        assert_eq!(contract(of.clone()).describe(), line, "{of}");
    }
}

#[test]
fn a_contract_is_told_to_machines() {
    let told = serde_json::to_value(contract(json!({
        "result": ["a", "b=list"], "writes": ["status.phase=\"list\""], "diffbase": "annotations", "api-version": "v1",
    })));
    let expected = json!({
        "kopf": "1.45.2",
        "progress": [{
            "kind": "fields", "field": "status.kopf.progress", "touch_field": "status.kopf.dummy", "writes": true,
        }],
        "diffbase": [{
            "kind": "annotation", "prefix": "kopf.zalando.org", "key": "last-handled-configuration", "v1": true, "ignored_fields": [],
        }],
        "results": [{"name": "a", "shape": "any"}, {"name": "b", "shape": {"type": "list"}}],
        "other_results": false,
        "writes": [{"name": "status.phase", "shape": {"example": "list"}}],
        "peering": false,
        "api_version": "v1",
    });
    assert_eq!(told.expect("a contract is JSON"), expected);
}

#[test]
fn statements_without_sense_are_refused() {
    let rows = [
        (
            json!({"storage": "annotations", "touch-field": "status.x"}),
            "`touch-field` has no use: progress is not in the status",
        ),
        (
            json!({"diffbase": "annotations", "diffbase-field": "status.x"}),
            "`diffbase-field` has no use: the diff-base is not in the status",
        ),
        (json!({"prefix": "x.example.com"}), "`prefix` has no use: no storage is in annotations"),
        (
            json!({"progress-storage": {"kind": "status"}, "touch-field": "status.x"}),
            "`touch-field` has no use: `progress-storage` says it",
        ),
        (json!({"storage": "smart", "prefix": ""}), "ValueError: Annotations storages must be prefixed."),
        (
            json!({"progress-field": "status.{nam}.progress"}),
            "`status.{nam}.progress` is no field: it may have `{name}` in it, and no other braces",
        ),
        (json!({"progress-field": []}), "`progress-field` is the root of the object: Kopf fails with it"),
        (
            json!({"kopf": "0.26", "storage": "smart"}),
            "storages cannot be chosen in Kopf 0.26.0: before 0.27.0, progress is in `status.kopf.progress` and the diff-base in an annotation",
        ),
        (json!({"result": ["=string"]}), "`result` needs the id of a handler, not `=string`"),
        (json!({"result": ["x=null"]}), "`result` of `x`: a handler that returns nothing writes nothing"),
        (
            json!({"result": ["x=text"]}),
            "`result` of `x`: `text` is neither a type (mapping, string, integer, number, boolean, list, any) nor JSON: expected ident at line 1 column 2",
        ),
        (json!({"writes": ["status..x"]}), "`writes` of `status..x`: expected a key at byte 7"),
        (json!({"writes": ["kind=1"]}), "`writes` of `kind`: no patch can change it"),
    ];
    for (of, error) in rows {
        assert_eq!(config(of.clone()).contract().expect_err("an error"), error, "{of}");
    }
    let rows = [
        (
            json!({"storage": "memory"}),
            "unknown variant `memory`, expected one of `status`, `smart`, `annotations`, `multi`",
        ),
        (
            json!({"progress_field": "x"}),
            "unknown field `progress_field`, expected one of `kopf`, `storage`, `name`, `progress-field`",
        ),
        (
            json!({"touch-field": 1}),
            "invalid type: integer `1`, expected a field such as \"status.{name}.progress\", or a list of its keys",
        ),
        (json!({"kopf": "newest"}), "`newest` is not a version of Kopf: expected numbers such as `1.45.2`"),
    ];
    for (of, error) in rows {
        let found = serde_json::from_value::<ContractConfig>(of.clone()).expect_err("an error").to_string();
        assert!(found.starts_with(error), "{of}: {found}");
    }
}

#[test]
fn flags_win_over_a_file_and_a_crds_own_statements_over_general_ones() {
    let file = config(json!({
        "kopf": "1.43", "storage": "smart", "result": ["a"], "results": "unknown",
        "crd": {"widgets.example.com": {"storage": "status", "result": ["b"]}},
    }));
    let own = file.for_crd("widgets.example.com");
    assert_eq!(own, config(json!({"kopf": "1.43", "storage": "status", "result": ["b"]})));
    assert_eq!(file.for_crd("gadgets.example.com").storage, file.storage);
    let flags = config(json!({"storage": "multi"}));
    assert_eq!(
        flags.over(file.clone()).for_crd("widgets.example.com").storage,
        config(json!({"storage": "multi"})).storage
    );
    let flags = config(json!({"kopf": "1.45.2", "results": "none"}));
    let all = flags.over(own);
    assert_eq!(
        all,
        config(json!({"kopf": "1.45.2", "storage": "status", "result": ["b"], "results": "none"}))
    );
    let long = config(json!({"progress-storage": {"kind": "smart"}, "name": "x"}));
    assert_eq!(
        config(json!({"touch-field": "status.y"})).over(long.clone()),
        config(json!({"touch-field": "status.y", "name": "x"}))
    );
    assert_eq!(long.clone().over(config(json!({"storage": "multi", "progress-field": "status.y"}))), long);
    assert!(ContractConfig::default().is_silent() && !all.is_silent());
}

#[test]
fn samples_cover_what_matters() {
    let contract = contract(json!({"results": "unknown"}));
    let progress = slot(&contract, "progress");
    let records =
        progress.samples.iter().filter_map(|it| it.patch.pointer("/status/kopf/progress")?.as_object());
    let records: Vec<_> = records.flat_map(|it| it.values()).filter(|it| !it.is_null()).collect();
    for key in record::KEYS {
        assert!(records.iter().all(|it| it.get(key).is_some()), "every record names `{key}`");
        assert!(records.iter().any(|it| !it[key].is_null()), "some record has a value for `{key}`");
    }
    assert!(
        progress.samples.iter().any(|it| it
            .patch
            .pointer("/status/kopf/progress")
            .unwrap()
            .as_object()
            .unwrap()
            .len()
            > 1)
    );
    let purge = progress.samples.last().unwrap();
    assert!(purge.before.is_some());
    assert_eq!(
        purge.patch,
        json!({"status": {"kopf": {"progress": {"create_fn": null, "other_create_fn": null}}}})
    );
    assert!(slot(&contract, "touch").samples[0].patch["status"]["kopf"]["dummy"].is_string());
    assert!(
        slot(&contract, "diffbase").samples[0].patch["status"]["kopf"]["last-handled-configuration"]
            .is_string()
    );
    let results = slot(&contract, "result:*");
    let types: Vec<_> = results.samples.iter().map(|it| it.about).collect();
    assert_eq!(
        types,
        [
            "a mapping",
            "a text",
            "a whole number",
            "a number",
            "a truth value",
            "a list of texts",
            "a list of mappings"
        ]
    );
    let [begin, end] = &contract.together()[..] else { panic!("two samples") };
    let keys = |it: &Value| it["status"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&begin.patch), ["kopf", "your_handler"]);
    assert_eq!(end.before.as_ref().map(keys), Some(vec!["kopf".to_owned()]));
    assert!(end.patch["status"]["kopf"]["progress"]["create_fn"].is_null());
}

#[test]
fn old_versions_send_what_they_sent() {
    let old = contract(json!({"kopf": "0.26", "results": "none"}));
    let progress = slot(&old, "progress");
    let record = &progress.samples[0].patch["status"]["kopf"]["progress"]["create_fn"];
    assert_eq!(
        *record,
        json!({
            "started": "2026-01-01T12:00:00.123456", "stopped": null, "delayed": "2026-01-01T12:01:00.123456",
            "retries": 1, "success": false, "failure": false, "message": "Not ready yet.",
        })
    );
    assert_eq!(progress.samples.last().unwrap().patch, json!({"status": {"kopf": {"progress": null}}}));
    assert_eq!(old.requests(&progress.samples[0].patch, true).len(), 1);
    let older = contract(json!({"kopf": "0.25", "results": "none"}));
    assert!(!older.requests(&progress.samples[0].patch, true)[0].status, "the body's endpoint gets it all");
    let peering = Contract::of_peering("0.28".parse().unwrap());
    let entry = &slot(&peering, "peering").samples[0].patch["status"]["user@host/20260101000000/abc"];
    assert_eq!(
        *entry,
        json!({"namespace": null, "priority": 100, "lifetime": 60.0, "lastseen": "2026-01-01T12:00:00.123456"})
    );
}

#[test]
fn versions_are_read_as_python_writes_them() {
    let rows = [
        ("1.45.2", Some("1.45.2")),
        ("v1.45", Some("1.45.0")),
        ("0.28rc1", Some("0.28.0")),
        ("1.45.2.post1", Some("1.45.2")),
        ("1.45.2.dev3+local", Some("1.45.2")),
        ("1.45.2.0", Some("1.45.2")),
        ("1", None),
        ("", None),
        ("1..2", None),
        ("1.45x", None),
        ("1.2.3.4.5", None),
        ("99999999999.1", None),
    ];
    for (text, version) in rows {
        let found = text.parse::<kopf_crd::kopf::KopfVersion>().ok().map(|it| it.to_string());
        assert_eq!(found.as_deref(), version, "{text}");
    }
}
