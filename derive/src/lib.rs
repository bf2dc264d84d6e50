//! The derive macro of kopf-crd.
