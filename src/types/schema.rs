//! The schema of a derived root: kube's own, opened for a contract and mended.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use schemars::Schema;
use schemars::SchemaGenerator;
use serde_json::Value;

use crate::kopf::Contract;
use crate::path::Path;
use crate::types::Facts;
use crate::types::ResultType;
use crate::types::mend::mend;
use crate::types::open;
use crate::types::open::Mark;

/// The schema of a root, opened for what its facts say. Called by the derive.
///
/// The transforms of the generator (kube's, which make a schema structural) run here first, and once more when the
/// caller is done: only a structural schema tells where to open it. They change nothing in what is structural already.
pub fn open(generator: &mut SchemaGenerator, schema: Schema, facts: &Facts) -> Schema {
    let mut schema = structural(generator, schema);
    if facts.open {
        open::open_status(&mut schema);
    }
    for mark in marks(generator, &schema, facts) {
        open::open(&mut schema, &mark);
    }
    schema.try_into().expect("an object stays an object")
}

/// The schema of a status, with Kopf's usual place open.
pub(crate) fn opened(generator: &mut SchemaGenerator, schema: Schema) -> Schema {
    let mut schema = structural(generator, schema);
    open::open_in_status(&mut schema, "kopf");
    schema.try_into().expect("an object stays an object")
}

/// Opens a typed CRD. See [`preserve`](crate::types::preserve).
pub(crate) fn preserve(crd: &mut CustomResourceDefinition, contract: &Contract) {
    let marks = open::marks(&contract.slots());
    for version in &mut crd.spec.versions {
        let schema = version.schema.get_or_insert_default();
        let mut value = serde_json::to_value(schema.open_api_v3_schema.take().unwrap_or_default())
            .expect("a schema is plain data");
        mend(&mut value);
        for mark in &marks {
            open::open(&mut value, mark);
        }
        schema.open_api_v3_schema =
            Some(serde_json::from_value(value).expect("opening a schema leaves it a schema"));
    }
}

fn structural(generator: &mut SchemaGenerator, mut schema: Schema) -> Value {
    schema.ensure_object();
    for transform in generator.transforms_mut() {
        transform.transform(&mut schema);
    }
    let mut schema = schema.to_value();
    mend(&mut schema);
    schema
}

fn marks(generator: &mut SchemaGenerator, schema: &Value, facts: &Facts) -> Vec<Mark> {
    // Facts that make no sense together are for the self-check to tell.
    let contract = facts.config().contract().unwrap_or_default();
    let mut found = open::marks(&contract.slots());
    for (id, ty) in facts.results {
        let path = Path::new(["status", id]);
        let declared = schema["properties"]["status"]["properties"].get(*id).is_some();
        match ty {
            ResultType::Json(_) => {}
            // What the status type declares is what the handler returns.
            ResultType::Any if declared => found.retain(|it| it.path != path),
            ResultType::Any => {}
            ResultType::Rust(of) => {
                found.retain(|it| it.path != path);
                let schema = of(generator);
                found.push(Mark { path, schema: structural(generator, schema) });
            }
        }
    }
    found
}
