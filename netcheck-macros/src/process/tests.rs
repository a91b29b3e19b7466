use proc_macro2::TokenStream;

use super::attribute;
use crate::testing::{assert_documented, messages};

fn expand(function: &str) -> TokenStream {
    attribute(TokenStream::new(), function.parse().unwrap())
}

#[track_caller]
fn assert_refused(function: &str, expected: &[&str]) {
    let output = expand(function);
    let messages = messages(&output);
    assert_eq!(messages.len(), expected.len(), "{messages:#?}");
    for (message, expected) in messages.iter().zip(expected) {
        assert!(message.contains(expected), "{message:?} does not contain {expected:?}");
    }
}

#[test]
fn the_expansion_in_the_docs_is_the_true_one() {
    assert_documented(include_str!("expand.rs"), |example| {
        let mut function: syn::ItemFn = syn::parse2(example).unwrap();
        function.attrs.retain(|attr| !attr.path().is_ident("process"));
        attribute(TokenStream::new(), quote::quote!(#function))
    });
}

#[test]
fn the_arguments_are_always_a_tuple() {
    let output = expand("async fn f() {}").to_string();
    assert!(output.contains("process (\"f\" , () , | () | f ())"), "{output}");
    let output = expand("async fn f(a: u32) {}").to_string();
    let kept = ":: netcheck :: __private :: argument (& a) . keep (a)";
    assert!(output.contains(&format!("process (\"f\" , ({kept} ,) , | (a ,) | f (a))")), "{output}");
}

#[test]
fn a_generic_argument_is_cloned_and_any_other_goes_by_its_type() {
    let output = expand("async fn f<T, const N: usize>(a: Option<T>, b: [u8; N], c: t::T1) {}").to_string();
    let output = output.replace(' ', "");
    assert!(output.contains("cloned(a),"), "{output}");
    assert!(output.contains("argument(&b).keep(b),") && output.contains("argument(&c).keep(c),"), "{output}");
}

#[test]
fn parameters_and_conditions_are_repeated_inside() {
    let output = expand("async fn f<T, const N: usize>(a: [T; N]) -> T where T: Ask {}").to_string();
    assert_eq!(output.matches("where T : Ask").count(), 2, "{output}");
    assert!(output.contains("f :: < T , N > (a)"), "{output}");
}

#[test]
fn a_function_that_names_self_stands_next_to_the_method() {
    let output = expand("pub async fn f<T>(mut self, a: T) -> u32 { self.g() }").to_string().replace(' ', "");
    assert!(output.starts_with("pubfnf<T>(self,a:T)->::netcheck::Process<u32>{::netcheck"), "{output}");
    assert!(output.contains("::argument(&self).keep(self)"), "{output}");
    assert!(output.contains("|(__self,a,)|Self::__f::<T>(__self,a)"), "{output}");
    assert!(output.ends_with("asyncfn__f<T>(mutself,a:T)->u32{self.g()}"), "{output}");
    assert!(expand("async fn f() { Self::g() }").to_string().contains("Self :: __f ()"));
    assert!(!expand("async fn f() { self::g() }").to_string().contains("__f"));
}

#[test]
fn attributes_that_rewrite_an_async_fn_stay_with_it() {
    let output = expand("#[must_use] #[tracing::instrument] async fn f() {}").to_string();
    let outer = output.find("must_use").unwrap();
    let inner = output.find("instrument").unwrap();
    assert!(outer < output.find("-> :: netcheck").unwrap() && inner > output.find("-> :: netcheck").unwrap());
}

#[test]
fn borrows_are_refused_argument_by_argument() {
    assert_refused(
        "async fn f<'a>(a: &str, b: &'a Config, c: Option<&[u8]>, d: Cow<'_, str>, e: &'static str, g: &mut [u8], h: fn(&str), p: &Path) -> &'a u32 {}",
        &[
            "it has no lifetimes",
            "take a `String`",
            "take the `Config` itself",
            "take an owned value",
            "take an owned value",
            "take a `Vec`",
            "take a `PathBuf`",
            "can't return a borrow",
        ],
    );
}

#[test]
fn functions_that_cannot_be_a_process_are_refused() {
    assert_refused("fn f() {}", &["write `async fn`"]);
    assert_refused("async fn f(&self) {}", &["can't borrow `self`"]);
    assert_refused("async fn f(self: Pin<&mut Self>) {}", &["take `self` itself"]);
    assert_refused("async fn f(a: impl Clone) -> impl Clone {}", &["name it, or write a generic", "name it instead"]);
    let arguments: String = (0..14).map(|i| format!("a{i}: u8, ")).collect();
    assert_refused(&format!("async fn f({arguments}) {{}}"), &["at most 12 arguments"]);
    assert_refused("async unsafe fn f() {}", &["can't be `unsafe`"]);
    assert_refused("struct S;", &["goes on an async function"]);
}

#[test]
fn the_one_word_is_capture() {
    let refused = |words: &str, expected: &[&str]| {
        let output = attribute(words.parse().unwrap(), "async fn f() {}".parse().unwrap());
        assert_eq!(messages(&output), expected, "{words}");
    };
    refused("capture = false", &[]);
    refused("capture = true", &[]);
    refused("capture = 3", &["expected `true` or `false`: write `capture = false`"]);
    refused("capture", &["`capture` needs a value: write `capture = false`, or leave it out"]);
    refused("capture = true, capture = false", &["`capture` is said twice: take one of them away"]);
    refused("captur = true", &["unknown word `captur`, did you mean `capture`?\nthe words of `process` are `capture`"]);
}

#[test]
fn without_captures_the_body_stays_as_it_is() {
    let function = "async fn f() { loop { g().await; } }";
    let output = attribute("capture = false".parse().unwrap(), function.parse().unwrap()).to_string();
    assert!(output.contains("{ loop { g () . await ; } }"), "{output}");
    assert!(expand(function).to_string().contains("__loop"));
}

#[test]
fn what_does_not_parse_is_left_to_rustc() {
    let output = expand("async fn f() { loop { g().await; } let = 3; }").to_string();
    assert!(output.contains("{ loop { g () . await ; } let = 3 ; }"), "{output}");
}

#[test]
fn the_users_function_is_emitted_despite_its_mistakes() {
    let output = expand("pub async fn f(a: &str) { body() }").to_string();
    assert!(output.contains("pub async fn f (a : & str) { body () }"), "{output}");
}
