//! `cargo kopf-crd`: the command line.

fn main() {}
