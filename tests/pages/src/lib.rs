//! Texts and pages that people look at after a check. The pages are read as a browser reads them, and looked at in
//! one where there is one.
#![cfg(test)]
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod browser;
mod evidence;
mod explorer;
mod judged;
mod propagation;
