use syn::visit::{self, Visit};
use syn::{Expr, ExprLoop, ItemFn};

use super::flow::LoopKey;
use super::lower::lower;
use super::record;
use crate::testing::assert_documented;

/// The record of each loop's head, in the order of the text: `x`, `x.field`, `(x)` if only a
/// destructor will see it; or why it records nothing.
fn heads(function: &str) -> Vec<String> {
    struct Loops(Vec<LoopKey>);
    impl<'a> Visit<'a> for Loops {
        fn visit_expr(&mut self, expr: &'a Expr) {
            if matches!(expr, Expr::Loop(ExprLoop { .. }) | Expr::While(_) | Expr::ForLoop(_)) {
                self.0.push(LoopKey::of(expr));
            }
            visit::visit_expr(self, expr);
        }
    }
    let function: ItemFn = syn::parse_str(function).unwrap();
    let flow = lower(&function.sig, &function.block);
    let mut loops = Loops(Vec::new());
    loops.visit_block(&function.block);
    let of = |key: &LoopKey| flow.loops.iter().find(|of| of.key == *key);
    loops.0.iter().filter_map(of).map(|of| shown(record::head(&flow, of))).collect()
}

fn shown(head: Result<Vec<record::Recorded>, String>) -> String {
    let shown = |recorded: &record::Recorded| {
        let field = recorded.field.iter().map(|field| format!(".{field}")).collect::<String>();
        match recorded.if_dropped {
            true => format!("({}{field})", recorded.ident),
            false => format!("{}{field}", recorded.ident),
        }
    };
    match head {
        Ok(recorded) => recorded.iter().map(shown).collect::<Vec<_>>().join(" "),
        Err(reason) => format!("! {reason}"),
    }
}

#[track_caller]
fn assert_heads(body: &str, expected: &[&str]) {
    assert_eq!(heads(&format!("async fn f(p: Vec<u8>, q: Vec<u8>) {{ {body} }}")), expected, "{body}");
}

#[test]
fn the_expansion_in_the_docs_is_the_true_one() {
    assert_documented(include_str!("mod.rs"), |example| {
        let mut function: ItemFn = syn::parse2(example).unwrap();
        let cx = crate::ctxt::Ctxt::new();
        super::rewrite(&function.sig, &mut function.block, &cx);
        cx.check().unwrap();
        quote::quote!(#function)
    });
}

#[test]
fn what_is_used_is_recorded() {
    assert_heads("loop { a(&p).await; }", &["p"]);
    assert_heads("loop { a(&p, &q).await; }", &["p q"]);
    assert_heads("let x = s(); let y = s(); loop { a(&x).await; } b(&y);", &["x"]);
    assert_heads("let x = s(); while x.more() { a().await; }", &["x"]);
    assert_heads("let x = s(); loop { let y = a(&x).await; b(y); }", &["x"]);
}

#[test]
fn what_is_not_mentioned_in_the_loop_is_not_recorded() {
    assert_heads("let x = s(); loop { a().await; break; } b(&x);", &[""]);
    assert_heads("let x = s(); loop { a().await; }", &[""]);
}

#[test]
fn what_is_used_after_the_loop_only_is_recorded_if_the_loop_mentions_it() {
    assert_heads("let mut x = 0; loop { if a().await { x = 1; } else { break; } } b(x);", &["x"]);
    assert_heads("let mut x = 0; loop { x = 1; if a().await { break; } } b(x);", &["(x)"]);
    assert_heads("let mut x = 0; 'l: loop { loop { if a().await { break 'l; } x = 1; } } b(x);", &["x", "x"]);
}

#[test]
fn an_assignment_on_every_path_kills() {
    assert_heads("let mut x = s(); loop { x = a().await; b(&x); }", &["(x)"]);
    assert_heads("let mut x = s(); loop { if c { x = a().await; } b(&x); }", &["x"]);
    assert_heads("let mut x = s(); loop { if c { x = a().await; } else { x = d().await; } b(&x); }", &["(x)"]);
    assert_heads("let mut x = s(); loop { match c { 1 => x = a().await, _ => return } b(&x); }", &["(x)"]);
    assert_heads("let mut x = s(); loop { c().await || { x = s(); true }; b(&x); }", &["x"]);
    assert_heads("let mut x = s(); loop { x = f(&x).await; }", &["x"]);
    assert_heads("let mut x = 0; loop { x += 1; a().await; }", &["x"]);
    assert_heads("let mut x = s(); loop { x.field = a().await; }", &["x"]);
    assert_heads("let mut x = s(); loop { x[0] = a().await; }", &["x"]);
    assert_heads("let (mut x, mut y) = s(); loop { (x, y) = a().await; b(&x, &y); }", &["(x) (y)"]);
    assert_heads("let mut x = s(); loop { x = a().await?; b(&x); }", &["(x)"]);
}

#[test]
fn the_innermost_of_several_variables_of_one_name_is_meant() {
    assert_heads("let x = s(); let x = 2; loop { a(x).await; }", &["x"]);
    assert_heads("let x = s(); loop { let x = a().await; b(x); }", &[""]);
    assert_heads("let x = s(); loop { { let x = a().await; b(x); } c(&x); }", &["x"]);
    assert_heads("let x = s(); { let x = s(); loop { a(&x).await; break; } } loop { b().await; }", &["x", ""]);
    assert_heads("let x = s(); loop { if let Some(x) = a().await { b(x); } }", &[""]);
    assert_heads("let x = s(); loop { a(|x| x + 1).await; }", &[""]);
    assert_heads("let x = s(); loop { match a().await { Some(x) if x > 1 => b(x), _ => {} } }", &[""]);
}

#[test]
fn patterns_bind() {
    assert_heads("let (x, S { y, z: w, .. }) = s(); loop { a(&x, &y, &w).await; }", &["x y w"]);
    assert_heads("let [first, .., last] = s(); loop { a(&first, &last).await; }", &["first last"]);
    assert_heads("let Some(x) = s() else { return }; loop { a(&x).await; }", &["x"]);
    assert_heads("if let Some(x) = s() { loop { a(&x).await; } }", &["x"]);
    assert_heads("if let Some(x) = s() && let Some(y) = t(x) { loop { a(&y).await; } }", &["y"]);
    assert_heads("match s() { A(x) | B(x) => loop { a(&x).await; }, n @ _ => loop { a(&n).await; } }", &["x", "n"]);
    assert_heads("for x in s() { loop { a(&x).await; } }", &["", "x"]);
    assert_heads("while let Some(x) = s().await { while b(&x).await {} }", &["", "x"]);
    let with = "async fn f((x, y): (u8, u8), S { z }: S) { loop { a(x, y, z).await; } }";
    assert_eq!(heads(with), ["x y z"]);
}

#[test]
fn a_constant_in_a_pattern_is_no_variable() {
    assert_heads("match s() { None => loop { a(None).await; }, Some(x) => loop { a(x).await; } }", &["", "x"]);
    assert_heads("match s() { MAX => loop { a(MAX).await; }, _ => {} }", &["! `MAX` may be a constant, or a variable"]);
    assert_heads("match s() { MAX => loop { a().await; }, _ => {} }", &[""]);
}

#[test]
fn a_raw_name_is_the_name() {
    assert_heads("let r#x = s(); loop { a(&x).await; }", &["r#x"]);
    assert_heads(r#"let r#type = s(); loop { println!("{type}"); a().await; }"#, &["r#type"]);
}

#[test]
fn a_struct_in_shorthand_mentions() {
    assert_heads("let x = s(); loop { a(&S { x }).await; x = s(); }", &["x"]);
    assert_heads("let x = s(); loop { a(&S { y: 1, ..x }).await; }", &["x"]);
}

#[test]
fn closures_and_async_blocks_use_and_never_kill() {
    assert_heads("let mut x = s(); loop { a(|| x.len()).await; }", &["x"]);
    assert_heads("let mut x = s(); loop { let c = || x = 1; c(); a().await; }", &["x"]);
    assert_heads("let mut x = s(); loop { a(async { b(&x).await }).await; }", &["x"]);
    assert_heads(
        "let mut x = s(); loop { let y = a().await; x = y; spawn(async move { b(x) }); }",
        &["! `x` may be moved or not yet assigned when its head is reached"],
    );
    assert_heads("let x = s(); loop { a(async move { loop { b(&x).await } }).await; x = s(); }", &["x"]);
}

#[test]
fn names_in_macros_are_mentions() {
    assert_heads(r#"let x = s(); loop { println!("{}", x); a().await; }"#, &["x"]);
    assert_heads(r#"let x = s(); loop { println!("{x}"); a().await; }"#, &["x"]);
    assert_heads(r#"let x = s(); let w = 3; loop { println!("{x:>w$?}"); a().await; }"#, &["x w"]);
    assert_heads(r#"let x = 1.5; let w = 3; let p = 2; loop { println!("{x:0w$.p$}"); a().await; }"#, &["x w p"]);
    assert_heads(r#"let x = s(); loop { println!("{{x}}"); a().await; }"#, &[""]);
    assert_heads(r#"let x = s(); loop { println!("{x}", x = 5); a().await; }"#, &[""]);
    assert_heads("let x = s(); loop { anything!(1 + x); a().await; }", &["x"]);
    assert_heads("let x = s(); loop { anything!(1 + x); a().await; x = s(); }", &["x"]);
    assert_heads("let x = s(); loop { anything!(self.x, ..x); a().await; }", &["x"]);
    assert_heads("let x = s(); loop { anything!(self.x); a().await; }", &[""]);
    assert_heads("let x = s(); loop { let v = vec![x.clone(); 3]; a(v).await; }", &["x"]);
}

#[test]
fn what_an_assertion_says_may_not_be_evaluated() {
    assert_heads(r#"let mut x = 0; loop { assert!(a().await, "{}", { x = 1; 2 }); b(x); }"#, &["x"]);
}

#[test]
fn a_macro_may_not_mean_a_variable_that_was_moved() {
    assert_heads(
        "let x = s(); send(x).await; loop { anything!(x => 1); a().await; }",
        &["! `x` may be moved or not yet assigned when its head is reached"],
    );
}

#[test]
fn select_runs_one_handler() {
    assert_heads("let mut x = s(); loop { select! { v = a(&x) => b(v), _ = c() => {} } }", &["x"]);
    assert_heads("let mut x = s(); loop { select! { v = a() => x = v, w = c() => x = w } b(&x); }", &["(x)"]);
    assert_heads("let mut x = s(); loop { select! { v = a() => x = v, _ = c() => {} } b(&x); }", &["x"]);
    assert_heads("let mut x = s(); loop { select! { x = a() => b(x), _ = c() => {} } }", &[""]);
    assert_heads("let mut x = s(); loop { select! { _ = a() => break, _ = c() => x = s() } } b(&x);", &["x"]);
    assert_heads("let x = s(); loop { select! { _ = a(), if x.ready() => b(), else => {} } }", &["x"]);
    assert_heads("let x = s(); spawn(x); loop { select! { Some(x) = a() => b(x), else => break } }", &[""]);
}

#[test]
fn a_macro_that_is_not_understood_may_leave_the_loop() {
    assert_heads("let mut x = 0; loop { a().await; stop!(break); x = 1; } b(x);", &["x"]);
    assert_heads("let mut x = 0; loop { a().await; stop!(other); x = 1; b(x); }", &["(x)"]);
    assert_heads("let mut x = 0; loop { a().await; stop!(); x = 1; } b(x);", &["x"]);
    assert_heads("let mut x = 0; loop { b(x); x = 1; loop { a().await; again!(); x = 2; c(x); } }", &["x", "x"]);
}

#[test]
fn nothing_is_captured_beside_a_macro_of_the_function_that_may_use_variables() {
    let opaque = "! its function has a macro of its own that may use variables";
    assert_heads("let mut x = 0; macro_rules! up { () => { x += 1 } } loop { a().await; up!(); }", &[opaque]);
    assert_heads(r#"let x = 0; macro_rules! say { () => { println!("{x}") } } loop { a().await; } say!();"#, &[opaque]);
    assert_heads("macro_rules! vec { () => { break } } loop { a().await; vec!(); }", &[opaque]);
    assert_heads("macro_rules! up { ($x:ident) => { $x += 1 } } let mut x = 0; loop { a().await; up!(x); }", &["x"]);
}

#[test]
fn breaks_and_continues_go_where_their_labels_say() {
    assert_heads("let mut x = 0; 'l: loop { loop { if a().await { continue 'l; } x = 1; b(x); } }", &["(x)", "(x)"]);
    assert_heads("let mut x = 0; 'l: loop { b(x); loop { if a().await { continue 'l; } x = 1; } }", &["x", "x"]);
    assert_heads("let mut x = 0; 'b: { loop { if a().await { break 'b; } x = 1; } } c(x);", &["x"]);
    assert_heads("let mut x = 0; loop { if a().await { continue; } x = 1; b(x); }", &["(x)"]);
    assert_heads("let mut x = 0; while a().await { if c { continue } x = 1; b(x); } d(x)", &["x"]);
}

#[test]
fn what_diverges_uses_nothing_after_it() {
    assert_heads("let mut x = 0; loop { if a().await { panic!() } else { x = 1; } b(x); }", &["(x)"]);
    assert_heads("let mut x = 0; loop { if a().await { return } else { x = 1; } b(x); }", &["(x)"]);
    assert_heads("let mut x = 0; loop { if a().await { std::process::exit(1) } else { x = 1; } b(x); }", &["(x)"]);
    assert_heads("let mut x = 0; loop { if a().await { process::exit(1) } else { x = 1; } b(x); }", &["x"]);
    assert_heads("let mut x = 0; loop { let Some(y) = a().await else { break }; x = y; } b(x);", &["x"]);
    assert_heads("let mut x = 0; loop { let Some(y) = a().await else { todo!() }; x = y; b(x); }", &["(x)"]);
}

#[test]
fn what_is_not_there_yet_is_not_recorded() {
    assert_heads("let x; loop { x = a().await; break; } b(x);", &[""]);
    assert_heads("let x; loop { if c { x = a().await; break; } } b(x);", &[""]);
    assert_heads("let x; if c { x = 1; } else { x = 2; } loop { a(x).await; }", &["x"]);
    assert_heads(
        "let mut x; loop { x = a().await; b(&x); }",
        &["! `x` may be moved or not yet assigned when its head is reached"],
    );
    assert_heads(
        "let mut x: u8; loop { x = a().await; b(&x); }",
        &["! `x` may be moved or not yet assigned when its head is reached"],
    );
}

#[test]
fn what_was_moved_is_not_recorded() {
    assert_heads("loop { send(p).await; break; }", &["p"]);
    assert_heads("let x = s(); send(x).await; loop { x = a().await; break; } b(x);", &[""]);
    assert_heads(
        "let mut x = s(); if c { send(x); } loop { x = a().await; b(&x); }",
        &["! `x` may be moved or not yet assigned when its head is reached"],
    );
    assert_heads("let mut x = s(); loop { send(x).await; x = a().await; }", &["x"]);
    assert_heads("let mut x = 0; loop { x = a().await; send(x); }", &["(x)"]);
    assert_heads(
        "let mut x = s(); loop { x = a().await; drop(x.finish()); }",
        &["! `x` may be moved or not yet assigned when its head is reached"],
    );
}

#[test]
fn of_a_variable_that_lost_a_part_the_used_fields_are_recorded() {
    assert_heads("let x = s(); send(x.name); loop { a(&x.port).await; }", &["x.port"]);
    assert_heads("let x = s(); send(x.0); loop { a(x.1.len, &x.2).await; }", &["x.1 x.2"]);
    assert_heads("let x = s(); send(x.name); loop { a(&x).await; }", &["x"]);
    assert_heads("let x = s(); loop { a(&x.port).await; }", &["x"]);
    assert_heads("let mut x = s(); send(x.name); loop { x.port = a(&x.port).await; }", &["x.port"]);
    assert_heads(
        "let mut x = s(); send(x.name); loop { x.name = a().await; b(&x.name); }",
        &["! a part of `x` may be moved when its head is reached"],
    );
}

#[test]
fn loops_stand_in_loops() {
    assert_heads("let mut x = 0; let mut y = 0; loop { x += 1; while y < x { y += 1; a().await; } }", &["x y", "x y"]);
    assert_heads("let mut x = 0; loop { x = 0; while x < 3 { x += 1; a().await; } }", &["(x)", "x"]);
    assert_heads("for i in 0..3 { for j in 0..i { a(i, j).await; } }", &["", "i"]);
    assert_heads("let mut n = 0; for i in 0..3 { for j in 0..3 { n += i * j; a(i).await; } }", &["n", "n i"]);
}

#[test]
fn what_borrows_stands_for_what_it_borrows() {
    assert_heads("let mut y = s(); let r = &mut y; loop { r.push(1); a().await; }", &["r"]);
    assert_heads("let y = s(); let r = &y; loop { a(r, &y).await; }", &["y r"]);
    assert_heads("let y = s(); let mut r = &y[..]; loop { a(r).await; r = &r[1..]; }", &["r"]);
}

#[test]
fn what_borrows_and_what_it_borrows_are_not_both_recorded() {
    let both = "! `r` may borrow `y`, and both are used";
    assert_heads("let mut y = s(); let mut r = &mut y; loop { a(r).await; r = &mut y; }", &[both]);
    assert_heads("let mut y = s(); let mut r = y.iter_mut(); loop { a(r).await; r = y.iter_mut(); }", &[both]);
    assert_heads("let mut y = s(); let mut r = f(&mut y); loop { a(&r, &y).await; }", &[both]);
    assert_heads("let mut y = s(); let r = f(&mut y).await; loop { a(&r, &y).await; }", &["y r"]);
    assert_heads("let mut y = s(); let r = || y += 1; loop { a(&r, &y).await; }", &[both]);
}

#[test]
fn what_may_borrow_something_else_later_is_not_recorded() {
    let later = "! `r` borrows mutably, and may borrow something else later";
    assert_heads(
        "let mut y = s(); let mut r = &mut y[..]; loop { let n = a(r).await; r = &mut r[n..]; } b(y)",
        &[later],
    );
    assert_heads("let mut y = s(); let mut r = &mut y[..]; loop { a(&mut r).await; } b(y)", &[later]);
    assert_heads("let mut y = s(); let mut r = &mut y[..]; loop { r.write(a().await); } b(y)", &[later]);
    assert_heads(
        "let mut y = s(); let r = &mut y; let t = &mut *r; loop { t.push(a().await); } b(y)",
        &["! `t` may change what `r` borrows"],
    );
    assert_eq!(heads("async fn f(r: &mut [u8]) { loop { r[0] = a().await; } }"), ["r"]);
    assert_eq!(heads("async fn f(r: &mut [u8]) { loop { r = &mut r[a().await..]; } }"), [later]);
    assert_eq!(
        heads("async fn f(r: &mut &mut [u8]) { loop { *r = &mut r[a().await..]; } }"),
        ["! `r` may change what other references lead to"]
    );
}

#[test]
fn parameters_that_lead_elsewhere_are_recorded_live_or_not() {
    assert_eq!(heads("async fn f(r: &mut u8) { loop { a(&mut *r).await; } }"), ["r"]);
    assert_eq!(heads("async fn f(r: &mut u8) { loop { *r = a().await; } }"), ["r"]);
    assert_eq!(heads("async fn f<T>(t: T) { loop { b(&t); a().await; } }"), ["t"]);
    assert_eq!(heads("async fn f(&mut self) { loop { self.n += a().await; } }"), ["self"]);
    assert_eq!(heads("async fn f(r: &str, n: u8) { loop { a(r).await; } }"), ["r"]);
}

#[test]
fn an_iterator_whose_items_change_what_it_borrows_is_not_captured() {
    let items = "! the items of its iterator may change what they borrow";
    assert_heads("let mut v = s(); for x in &mut v { *x = a().await; }", &[items]);
    assert_heads("let mut v = s(); for x in v.iter_mut() { *x = a().await; }", &[items]);
    assert_heads("let mut v = s(); let it = v.iter_mut(); for x in it { *x = a().await; }", &[items]);
    assert_eq!(heads("async fn f(v: &mut [u8]) { for x in v { *x = a().await; } }"), [items]);
    assert_heads("let v = s(); for x in &v { a(x).await; }", &[""]);
    assert_heads("let v = s(); for x in v { a(x).await; }", &[""]);
    assert_heads("let mut v = s(); for x in v.drain(..) { a(x).await; }", &[""]);
    assert_heads("for (i, x) in p.iter().enumerate() { a(i, x).await; }", &[""]);
}

#[test]
fn nothing_is_captured_beside_unsafe_code() {
    let opaque = "! its function has `unsafe` code or syntax that is not understood";
    assert_heads("let x = 1; loop { unsafe { a(x) }.await; }", &[opaque]);
    assert_heads("unsafe { b() }; loop { a().await; }", &[opaque]);
}
