//! What the macro says of mistakes. One test: trybuild builds the dependencies into a directory of its own.

#[test]
fn mistakes_are_told_on_the_users_tokens() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
