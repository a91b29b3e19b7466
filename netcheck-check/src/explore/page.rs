//! The page of the explorer: complete in itself; its script asks the server where a path leads, and draws the answer.

use crate::trace::counterexample::Counterexample;
use crate::trace::html::STYLE;
use crate::trace::markup::{data, escaped};
use serde::Serialize;

const OWN_STYLE: &str = include_str!("explorer.css");
const SCRIPT: &str = include_str!("explorer.js");

/// The data that the script begins with.
#[derive(Serialize)]
struct Start<'a> {
    name: &'a str,
    loaded: Option<&'a Counterexample>,
}

/// The page of the check of this name, with an execution that is known, if there is one.
pub(crate) fn page(name: &str, loaded: Option<&Counterexample>) -> String {
    let message =
        loaded.map(|loaded| format!("<pre class=\"message\">{}: {}</pre>\n", loaded.kind(), escaped(loaded.message())));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>explore {title}</title>\n<style>\n{STYLE}{OWN_STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>{title} <span class=\"place\">explored, not checked</span></h1>\n{message}\
         <div class=\"bar\">\n\
         <button id=\"start\" title=\"Home\">⇤ start</button>\n\
         <button id=\"back\" title=\"Backspace or arrow left\">← back</button>\n\
         <button id=\"forward\" title=\"arrow right\">forward →</button>\n\
         <button id=\"reload\" hidden>the loaded execution</button>\n\
         <form id=\"search\">\n<input id=\"wanted\" placeholder=\"find a state: panicked, recv, ended with…\" \
         aria-label=\"what is looked for\">\n\
         <select id=\"of\" aria-label=\"of which process\"><option value=\"\">of any process</option></select>\n\
         <label>within <input id=\"states\" type=\"number\" min=\"1\" value=\"20000\"> states</label>\n\
         <button>find</button>\n</form>\n\
         <button id=\"save\">save the path</button>\n<button id=\"mermaid\">copy as Mermaid</button>\n\
         <label class=\"button\">load… <input id=\"load\" type=\"file\" accept=\".json\"></label>\n\
         <button id=\"end\">end</button>\n</div>\n\
         <p id=\"said\" role=\"status\"></p>\n</header>\n\
         <main>\n<section id=\"path\" aria-label=\"the path so far\"><h2>The path</h2><ol></ol></section>\n\
         <section id=\"next\" aria-label=\"steps that could come next\"><h2>What could come next</h2></section>\n\
         <aside id=\"places\" aria-live=\"polite\"><h2>Where the processes are</h2></aside>\n</main>\n\
         <details id=\"drawing\"><summary>The path as a diagram</summary></details>\n\
         <script type=\"application/json\" id=\"begin\">{start}</script>\n<script>\n{SCRIPT}</script>\n\
         </body>\n</html>\n",
        title = escaped(name),
        message = message.unwrap_or_default(),
        start = data(&Start { name, loaded }),
    )
}
