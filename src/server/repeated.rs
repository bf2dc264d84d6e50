//! Requests that differ in their patches alone: what is the same for all of them is worked out once.
//!
//! After a patched object is decoded, and so pruned, nothing the server does depends on the patch any more. Patches of
//! which nothing is kept therefore come to one end.

use super::answer::Answer;
use super::convert::Object;
use super::convert::Read;
use std::cell::OnceCell;
use std::cell::RefCell;

/// What is known from earlier requests to the same version and endpoint, of the same stored object, which tolerated the
/// same errors.
#[derive(Debug, Default)]
pub struct Repeated {
    /// The stored object as it is read.
    pub(super) current: OnceCell<Result<Read, String>>,
    last: RefCell<Option<(Object, Answer)>>,
}

impl Repeated {
    /// The end of a request whose body was decoded to an object: that of the last one, if it was the same object.
    pub(super) fn end(&self, object: Object, finish: impl FnOnce(Object) -> Answer) -> Answer {
        if let Some((_, end)) = self.last.borrow().as_ref().filter(|it| it.0 == object) {
            return end.clone();
        }
        let end = finish(object.clone());
        self.last.replace(Some((object, end.clone())));
        end
    }
}
