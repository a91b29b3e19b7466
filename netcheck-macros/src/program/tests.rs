use proc_macro2::TokenStream;
use quote::ToTokens;

use super::{attribute, captured, redirect};
use crate::ctxt::Ctxt;
use crate::testing::{assert_documented, messages};

fn expand(item: &str) -> TokenStream {
    attribute(TokenStream::new(), item.parse().expect("the item is tokens"))
}

/// The item with other paths, and its functions as they are.
fn redirected(item: TokenStream) -> TokenStream {
    let mut item = syn::parse2(item).expect("it is an item");
    let cx = Ctxt::new();
    redirect::item(&mut item, false, &cx);
    cx.check().expect("nothing in it is refused");
    item.into_token_stream()
}

/// A module with `before` becomes one with `after`.
#[track_caller]
fn assert_becomes(before: &str, after: &str) {
    let output = redirected(format!("mod m {{ {before} }}").parse().expect("the item is tokens"));
    let after: TokenStream = format!("mod m {{ {after} }}").parse().expect("what it becomes is tokens");
    let unspaced = |tokens: TokenStream| tokens.to_string().replace(' ', "");
    assert_eq!(unspaced(output), unspaced(after));
}

#[track_caller]
fn assert_untouched(item: &str) {
    assert_becomes(item, item);
}

#[track_caller]
fn assert_refused(item: &str, expected: &[&str]) {
    let messages = messages(&expand(item));
    assert_eq!(messages.len(), expected.len(), "{item}: {messages:#?}");
    for (message, expected) in messages.iter().zip(expected) {
        assert!(message.contains(expected), "{message:?} does not contain {expected:?}");
    }
}

/// The body of an async function of a module with these imports.
#[track_caller]
fn assert_body_refused(imports: &str, body: &str, expected: &[&str]) {
    assert_refused(&format!("mod m {{ {imports} async fn f() {{ {body} }} }}"), expected);
}

#[test]
fn the_expansion_in_the_docs_is_the_true_one() {
    assert_documented(include_str!("redirect.rs"), redirected);
}

#[test]
fn paths_of_tokio_lead_to_netcheck_wherever_they_stand() {
    assert_becomes(
        "struct S<T: tokio::io::AsyncRead>(tokio::net::UdpSocket, T);
         impl tokio::io::AsyncRead for S where S: ::tokio::io::AsyncWrite {}
         static N: tokio::sync::Notify = tokio::sync::Notify::const_new();",
        "struct S<T: ::netcheck::io::AsyncRead>(::netcheck::net::UdpSocket, T);
         impl ::netcheck::io::AsyncRead for S where S: ::netcheck::io::AsyncWrite {}
         static N: ::netcheck::sync::Notify = ::netcheck::sync::Notify::const_new();",
    );
}

#[test]
fn a_trait_of_std_keeps_its_place_in_a_qualified_path() {
    assert_becomes(
        "type T = <u32 as std::ops::Add<std::time::Duration>>::Output;
         fn f() { <u32 as std::ops::Add>::add(1, 2); <std::time::Instant>::now(); <S as tokio::io::T>::g }",
        "type T = <u32 as ::netcheck::program::std::ops::Add<::netcheck::program::std::time::Duration>>::Output;
         fn f() { <u32 as ::netcheck::program::std::ops::Add>::add(1, 2);
                  <::netcheck::program::std::time::Instant>::now(); <S as ::netcheck::io::T>::g }",
    );
}

#[test]
fn paths_of_a_tracked_program_lead_to_the_look_alikes() {
    let module = "mod m { use tokio::{net, sync::mpsc::{self, Sender}}; use std::io; #[tokio::test] async fn t() {}
                  type N = tokio::sync::Notify; fn f() { tokio::select! {} } }";
    let output = attribute("tracked".parse().expect("a word"), module.parse().expect("the item is tokens")).to_string();
    let unspaced = output.replace(' ', "");
    for path in [
        "use::netcheck::tracked::{net,sync::mpsc::{self,Sender}}",
        "use::netcheck::program::std::io",
        "#[::netcheck::tracked::test]",
        "typeN=::netcheck::tracked::sync::Notify",
        "::netcheck::tracked::select!",
    ] {
        assert!(unspaced.contains(path), "{path} is not in {output}");
    }
}

#[test]
fn a_use_of_several_crates_becomes_several() {
    assert_becomes(
        "#[cfg(unix)]
         pub(crate) use {std::{net::SocketAddr, time::{Duration, Instant as Now}}, other::Thing, tokio as t};",
        "#[cfg(unix)] pub(crate) use ::netcheck::program::std::{net::SocketAddr, time::{Duration, Instant as Now}};
         #[cfg(unix)] pub(crate) use other::Thing;
         #[cfg(unix)] pub(crate) use ::netcheck as t;",
    );
}

#[test]
fn a_crate_keeps_its_name_or_the_one_it_is_given() {
    assert_becomes(
        "use tokio; use std; use std as s; use tokio::{self as t, io}; use ::std::{self, fmt}; extern crate tokio as k;
         fn f() { tokio::spawn(s::iter::empty()); t::spawn(()); ::tokio::spawn(k::x()); }",
        "use ::netcheck as tokio; use ::netcheck::program::std; use ::netcheck::program::std as s;
         use ::netcheck::{self as t, io}; use ::netcheck::program::std::{self, fmt}; use ::netcheck as k;
         fn f() { tokio::spawn(s::iter::empty()); t::spawn(()); ::netcheck::spawn(k::x()); }",
    );
}

#[test]
fn names_that_only_look_like_the_crates_stay() {
    assert_untouched("use netcheck as tokio; use tokio::net::UdpSocket; fn f() { tokio::spawn(()) }");
    assert_untouched("mod std { pub fn sleep() {} } fn f() { std::sleep() }");
    assert_untouched("use core::time::Duration; use alloc::vec::Vec; use crate::tokio::x; use self::std::y;");
    assert_untouched("fn f(tokio: u32, std: S) -> u32 { std.tokio(tokio) + std.time }");
    assert_untouched("fn f() { println!(\"{}\", a.tokio::<u32>().std, m::std::time::x, $std::time) }");
}

#[test]
fn a_module_inside_has_names_of_its_own() {
    assert_becomes(
        "mod tokio { pub fn f() { std::mem::drop(()) } mod inner { fn g() { tokio::spawn(()) } } }
         fn f() { tokio::f(); { use netcheck as std; std::f() } std::f() }",
        "mod tokio { pub fn f() { ::netcheck::program::std::mem::drop(()) }
                      mod inner { fn g() { ::netcheck::spawn(()) } } }
         fn f() { tokio::f(); { use netcheck as std; std::f() } ::netcheck::program::std::f() }",
    );
}

#[test]
fn paths_in_macros_count() {
    assert_becomes(
        "fn f() { tokio::join!(tokio::time::sleep(d), async { std::time::Instant::now() });
                  vec![std::time::Duration::ZERO; 3]; matches!(x, tokio::A | tokio::B if std::c());
                  assert!(matches!(x, ::tokio::A | B));
                  thing!(for x in 0..std::iter::empty => ::tokio::x::<std::T>::tokio::y) }
         macro_rules! m { ($e:expr) => { $crate::std::f($e, tokio::spawn, a::tokio::x, std::{x}) } }",
        "fn f() { ::netcheck::join!(::netcheck::time::sleep(d),
                                    async { ::netcheck::program::std::time::Instant::now() });
                  vec![::netcheck::program::std::time::Duration::ZERO; 3];
                  matches!(x, ::netcheck::A | ::netcheck::B if ::netcheck::program::std::c());
                  assert!(matches!(x, ::netcheck::A | B));
                  thing!(for x in 0..::netcheck::program::std::iter::empty
                         => ::netcheck::x::<::netcheck::program::std::T>::tokio::y) }
         macro_rules! m { ($e:expr) => {
             $crate::std::f($e, ::netcheck::spawn, a::tokio::x, ::netcheck::program::std::{x}) } }",
    );
}

#[test]
fn the_words_of_attributes_stay_and_their_names_change() {
    assert_becomes(
        "#[tokio::test(crate = \"tokio::x\")] #[other(tokio::x)] async fn f() {}
         #[tokio::main] async fn main() {}",
        "#[::netcheck::test(crate = \"tokio::x\")] #[other(tokio::x)] async fn f() {}
         #[::netcheck::main] async fn main() {}",
    );
}

#[test]
fn a_sleep_of_std_is_awaited_where_that_can_be() {
    assert_becomes(
        "use std::thread::{self, sleep as nap}; use std::thread as t;
         async fn f() { thread::sleep(d); nap(std::thread::sleep(d)); t::sleep(d);
                        select! { x = g() => { thread::sleep(d); } } }
         fn g() { async move { thread::sleep(d) }; async || thread::sleep(d);
                  join!(biased; async { m!(a => nap(d)) }) }",
        "use ::netcheck::program::std::thread::{self, sleep as nap}; use ::netcheck::program::std::thread as t;
         async fn f() { thread::sleep(d).await; nap(::netcheck::program::std::thread::sleep(d).await).await;
                        t::sleep(d).await; select! { x = g() => { thread::sleep(d).await; } } }
         fn g() { async move { thread::sleep(d).await }; async || thread::sleep(d).await;
                  join!(biased; async { m!(a => nap(d).await) }) }",
    );
}

#[test]
fn a_sleep_of_std_elsewhere_is_refused() {
    assert_body_refused(
        "use std::thread; fn g() { thread::sleep(d) } impl S { fn h(&self) { std::thread::sleep(d) } }",
        "(|| thread::sleep(d))(); map(thread::sleep); fn inner() { thread::sleep(d) } const { thread::sleep(d) }",
        &["make the function around it async"; 6],
    );
    assert_refused(
        "mod m { macro_rules! m { ($d:expr) => { std::thread::sleep($d) } } }",
        &["would stop the whole check"],
    );
}

#[test]
fn what_cannot_be_modelled_is_refused_with_what_to_write() {
    for (path, expected) in [
        (
            "std::thread::spawn(f)",
            "`std::thread::spawn` can't be modelled; a check schedules tasks, not threads: use `tokio::spawn`",
        ),
        ("::std::thread::scope(f)", "use `tokio::spawn`"),
        ("std::thread::Builder::new()", "`std::thread::Builder` can't be modelled"),
        ("std::thread::park()", "`tokio::sync::Notify`"),
        ("std::net::UdpSocket::bind(a)", "the type of that name in `tokio::net`"),
        ("let _: std::net::TcpStream;", "`tokio::net`"),
        ("std::net::TcpListener::bind(a)", "`tokio::net`"),
        ("std::net::ToSocketAddrs::to_socket_addrs(&a)", "`tokio::net::lookup_host(…).await`"),
        ("std::os::unix::net::UnixStream::connect(a)", "the type of that name in `tokio::net`"),
        ("tokio::net::unix::pipe::OpenOptions::new()", "`tokio::net::unix::pipe::pipe`"),
        ("std::os::unix::fs::symlink(p, q)", "files and directories only"),
        ("std::process::exit(1)", "return, or panic"),
        ("std::process::Command::new(c)", "`std::process` can't be modelled"),
        ("tokio::process::Command::new(c)", "as a process of the check"),
        ("std::io::stdin()", "pass the input"),
        ("let _: std::io::Stdin;", "pass the input"),
        ("tokio::io::stdin()", "pass the input"),
        ("tokio::task::spawn_blocking(f)", "call the closure directly if it is pure"),
        ("tokio::task::block_in_place(f)", "call the closure directly if it is pure"),
    ] {
        assert_body_refused("", path, &[expected]);
        assert_body_refused("", &format!("m!(x => {path})"), &[expected]);
    }
}

#[test]
fn what_has_a_model_or_needs_none_is_not_refused() {
    assert_becomes(
        "use rand::{rngs::StdRng, Rng}; use std::{collections::HashMap, io::Read, thread::JoinHandle};
         async fn f() { rand::rng(); std::time::SystemTime::now(); std::thread::yield_now(); x.spawn();
                        std::io::stdout() }",
        "use rand::{rngs::StdRng, Rng};
         use ::netcheck::program::std::{collections::HashMap, io::Read, thread::JoinHandle};
         async fn f() { rand::rng(); ::netcheck::program::std::time::SystemTime::now();
                        ::netcheck::program::std::thread::yield_now(); x.spawn();
                        ::netcheck::program::std::io::stdout() }",
    );
}

#[test]
fn an_import_of_what_cannot_be_modelled_is_refused_once_and_there() {
    for import in [
        "use std::thread::spawn;",
        "use std::{io, thread::{self, spawn}};",
        "use std::thread; use thread::spawn;",
        "use thread::spawn; use std::thread;",
        "use std::thread::spawn as start;",
        "use super::m::thread::spawn; use std::thread::spawn as x;",
    ] {
        assert_body_refused(import, "spawn(f); start(f);", &["`std::thread::spawn` can't be modelled"]);
    }
    assert_body_refused(
        "use std::process::{self, Child};",
        "process::id(); Child::kill(p)",
        &["`std::process`", "`std::process`"],
    );
    assert_body_refused("use std::process as p;", "p::id(); p::Command::new(c)", &["`std::process`"]);
    assert_body_refused("use tokio::process::*;", "Command::new(p)", &["`tokio::process`"]);
}

#[test]
fn a_path_through_an_import_is_refused_where_it_stands() {
    assert_body_refused("use std::thread;", "thread::spawn(f); thread::spawn(f)", &["`std::thread::spawn`"; 2]);
    assert_body_refused("use std::{thread as t, io as i};", "t::park(); i::stdin()", &["park`", "stdin`"]);
    assert_body_refused(
        "use std as s; use tokio as t;",
        "s::process::id(); t::process::Command::new(p)",
        &["`std::process`", "`tokio::process`"],
    );
    assert_body_refused("", "use std::net; println!(\"{}\", net::UdpSocket::bind(a))", &["`std::net::UdpSocket`"]);
    assert_body_refused("use std::thread::*;", "spawn(f); Builder::new()", &["spawn`", "Builder`"]);
    assert_body_refused("use std::*;", "thread::spawn(f)", &["spawn`"]);
    assert_body_refused("use std::thread; mod n { use super::*; fn f() { thread::spawn(g) } }", "", &["spawn`"]);
    assert_body_refused("use std::thread; mod n { fn f() { super::thread::spawn(g) } }", "", &["spawn`"]);
    assert_body_refused("use std::thread; mod n { use super::thread as t; fn f() { t::spawn(g) } }", "", &["spawn`"]);
    assert_body_refused("use std::thread;", "self::thread::spawn(f)", &["spawn`"]);
}

#[test]
fn a_name_of_the_module_hides_that_of_a_glob() {
    assert_body_refused("use std::thread::*; fn spawn() {} struct Builder;", "spawn(); Builder::new()", &[]);
    assert_body_refused("use std::thread; mod n { fn f() { thread::spawn(g) } }", "", &[]);
    assert_body_refused("use std::*; use other::thread;", "thread::spawn(f)", &[]);
}

#[test]
fn imports_in_a_circle_come_to_an_end() {
    assert_body_refused("use a::x as b; use b::y as a; use self::*; use super::*;", "a::z(); b::z(); c::z()", &[]);
}

#[test]
fn the_loops_of_every_async_function_are_captured_but_those_of_a_process() {
    let mut item = syn::parse_quote! {
        mod m {
            async fn free() { fn plain() { async fn inside() {} } async {}.await }
            impl S { async fn method(&mut self) {} fn plain(&self) {} }
            impl T for S { async fn of_a_trait() {} }
            trait T { async fn declared(); async fn default() {} }
            #[netcheck::process(capture = false)] async fn process() { async fn inside_a_process() {} }
            mod inner { #[tokio::test] async fn test() {} }
        }
    };
    let mut names = Vec::new();
    captured::item(&mut item, |sig, _| names.push(sig.ident.to_string()));
    assert_eq!(names, ["inside", "free", "method", "of_a_trait", "default", "inside_a_process", "test"]);
}

#[test]
fn anything_but_a_module_or_an_impl_block_is_refused() {
    assert_refused("async fn f(&self) {}", &["put the function into `mod protocol { … }`"]);
    assert_refused("struct S;", &["goes on a module with a body"]);
    assert_refused("trait T { async fn f(); }", &["goes on a module with a body"]);
    assert_refused("mod m;", &["can't look into another file"]);
    assert_refused(
        "mod m { #[netcheck::program] impl S {} mod o { #[cfg_attr(test, netcheck::program)] mod n {} } }",
        &["remove this attribute"; 2],
    );
    let output = attribute("capture = false".parse().unwrap(), "mod m {}".parse().unwrap());
    assert_eq!(
        messages(&output),
        ["`program` takes no word but `tracked`: write `#[netcheck::program]` or `#[netcheck::program(tracked)]`"]
    );
}

#[test]
fn the_users_item_is_emitted_despite_its_mistakes() {
    let item = "mod m { use tokio::x; fn f() { std::thread::spawn(tokio::y) } }";
    let tokens: TokenStream = item.parse().unwrap();
    let output = expand(item).to_string();
    assert!(output.ends_with(&tokens.to_string()), "{output}");
}
