//! What the API server would make of objects: cases as lines of JSON, in the format of the project's oracle.
//!
//! A line has a CRD and an object, an old one, or a sequence of requests; the answer has what is pruned, defaulted,
//! refused and stored. Where the server model cannot say, the answer says so in `unknown`.

mod case;
mod exchange;
mod line;
mod show;
mod steps;

pub use case::answer;
pub use case::completed;
pub use case::stored;
pub use exchange::Exchange;
pub use exchange::Question;
pub use exchange::ask;
pub use show::json;
pub use show::text;
