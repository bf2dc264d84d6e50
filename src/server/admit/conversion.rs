//! `spec.conversion`.
//!
//! Mirrors `validateCustomResourceConversion`, and apiserver/pkg/util/webhook/validation.go. The certificate bundle is
//! judged by the server only once a CRD is established, which is not modeled.

use super::Refusal;
use super::options::Options;
use super::url;
use crate::crd::Api;
use crate::crd::Crd;
use crate::crd::Service;
use crate::server::names as naming;
use crate::server::place::Place;
use crate::source::Span;
use std::collections::HashSet;

const FIELD: &str = "spec.conversion";
const WEBHOOK: &str = "Webhook";

/// Whether the server speaks a version of `ConversionReview`.
pub(super) fn is_known(version: &str) -> bool {
    matches!(version, "v1" | "v1beta1")
}

pub(super) fn validate(crd: &Crd, options: &Options, out: &mut Vec<Refusal>) {
    let conversion = &crd.conversion;
    let place = Place::root(FIELD);
    let strategy_at = crd.place("spec.conversion.strategy");
    if conversion.strategy != "None" && crd.preserve_unknown_fields {
        let words = "must be None if spec.preserveUnknownFields is true";
        out.push(Refusal::invalid(&place.child("strategy"), words, strategy_at));
    }
    match conversion.strategy.as_str() {
        "" => out.push(Refusal::required(&place.child("strategy"), "", strategy_at)),
        "None" | WEBHOOK => {}
        _ => out.push(Refusal::not_supported(&place.child("strategy"), &["None", WEBHOOK], strategy_at)),
    }
    if conversion.strategy == WEBHOOK {
        client_config(crd, &place.child("webhookClientConfig"), out);
        review_versions(crd, options, &place.child("conversionReviewVersions"), out);
        return;
    }
    let words = "should not be set when strategy is not set to Webhook";
    if conversion.webhook {
        out.push(Refusal::forbidden(&place.child("webhookClientConfig"), words, config_at(crd, "")));
    }
    if !conversion.review_versions.is_empty() {
        out.push(Refusal::forbidden(&place.child("conversionReviewVersions"), words, versions_at(crd)));
    }
}

fn config_at(crd: &Crd, below: &str) -> Span {
    let config = if crd.api == Api::V1 { "webhook.clientConfig" } else { "webhookClientConfig" };
    crd.place(&format!("{FIELD}.{config}{below}"))
}

fn versions_at(crd: &Crd) -> Span {
    let webhook = if crd.api == Api::V1 { "webhook." } else { "" };
    crd.place(&format!("{FIELD}.{webhook}conversionReviewVersions"))
}

fn client_config(crd: &Crd, place: &Place, out: &mut Vec<Refusal>) {
    let conversion = &crd.conversion;
    if !conversion.webhook {
        let words = "required when strategy is set to Webhook";
        return out.push(Refusal::required(place, words, config_at(crd, "")));
    }
    match (&conversion.url, &conversion.service) {
        (Some(url), None) => {
            let (place, at) = (place.child("url"), config_at(crd, ".url"));
            for (ty, words) in url::webhook(url) {
                out.push(Refusal::new(ty, &place, &words, at));
            }
        }
        (None, Some(it)) => service(it, &place.child("service"), config_at(crd, ".service"), out),
        _ => {
            let words = "exactly one of url or service is required";
            out.push(Refusal::required(place, words, config_at(crd, "")));
        }
    }
}

fn service(service: &Service, place: &Place, at: Span, out: &mut Vec<Refusal>) {
    // The server passes the name for the namespace and the namespace for the name.
    if service.name.is_empty() {
        out.push(Refusal::required(&place.child("namespace"), "", at));
    }
    if service.namespace.is_empty() {
        out.push(Refusal::required(&place.child("name"), "", at));
    }
    if !(1..=65535).contains(&service.port) {
        let words = "port is not valid: must be between 1 and 65535, inclusive";
        out.push(Refusal::invalid(&place.child("port"), words, at));
    }
    let path = service.path.as_deref().unwrap_or_default();
    let place = place.child("path");
    let mut refuse = |words: &str| out.push(Refusal::invalid(&place, words, at));
    match path {
        "" | "/" => return,
        "//" => return refuse("segment[0] may not be empty"),
        _ if !path.starts_with('/') => refuse("must start with a '/'"),
        _ => {}
    }
    // The first character goes, whatever it is; Go cuts bytes.
    let rest: &[u8] = &path.as_bytes()[1..];
    let rest = rest.strip_suffix(b"/").unwrap_or(rest);
    for (index, step) in rest.split(|it| *it == b'/').enumerate() {
        if step.is_empty() {
            refuse(&format!("segment[{index}] may not be empty"));
            continue;
        }
        for wrong in naming::dns1123_subdomain(&String::from_utf8_lossy(step)) {
            refuse(&format!("segment[{index}]: {wrong}"));
        }
    }
}

fn review_versions(crd: &Crd, options: &Options, place: &Place, out: &mut Vec<Refusal>) {
    let (versions, at) = (&crd.conversion.review_versions, versions_at(crd));
    if versions.is_empty() {
        return out.push(Refusal::required(place, "", at));
    }
    let mut known = false;
    let mut seen = HashSet::new();
    for (index, version) in versions.iter().enumerate() {
        if !seen.insert(version) {
            out.push(Refusal::invalid(&place.index(index), "duplicate version", at));
            continue;
        }
        for wrong in naming::dns1035_label(version) {
            out.push(Refusal::invalid(&place.index(index), &wrong, at));
        }
        known |= is_known(version);
    }
    if options.review_version && !known {
        out.push(Refusal::invalid(place, "must include at least one of v1, v1beta1", at));
    }
}
