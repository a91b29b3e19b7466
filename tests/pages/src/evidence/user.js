"use strict";
// Presses keys and looks at what a page shows then. It is put in front of the page's own script.
const seen = { errors: [], keys: [] };
window.addEventListener("error", (event) => seen.errors.push(event.message));
window.addEventListener("securitypolicyviolation", (event) => seen.errors.push(event.violatedDirective));
const logged = console.error;
console.error = (...words) => { seen.errors.push(words.join(" ")); logged(...words); };
window.addEventListener("load", () => {
  const diagram = document.getElementById("diagram");
  for (const key of ["ArrowDown", "ArrowDown", "End", "ArrowUp", "Home", "ArrowUp"]) {
    document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const selected = document.querySelectorAll(".selected");
    seen.keys.push(selected.length === 1 ? Number(selected[0].dataset.step) : null);
    if (key === "End") seen.scrolled = diagram.scrollTop;
  }
  const details = document.getElementById("details");
  seen.details = details.textContent;
  const states = () => Object.fromEntries([...details.querySelectorAll(".states dt")].map(
    (name) => [name.textContent, name.nextElementSibling.textContent]));
  // In state machines: the numbers of the nodes that are marked.
  const here = () => [...document.querySelectorAll(".node.here")].map(
    (node) => node.dataset.machine + ": " + node.querySelector("text").textContent);
  seen.nodes = document.querySelectorAll(".node").length;
  seen.here = { first: here() };
  // Pointing shows another step as long as it lasts.
  const row = document.querySelector(".row[data-step='3']");
  row?.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
  seen.here.pointed = here();
  seen.pointed = { heading: details.querySelector("h2").textContent, states: states() };
  diagram.dispatchEvent(new MouseEvent("mouseleave"));
  seen.left = details.querySelector("h2").textContent;
  document.dispatchEvent(new KeyboardEvent("keydown", { key: "End", bubbles: true, cancelable: true }));
  seen.here.last = here();
  seen.states = states();
  seen.moved = [...details.querySelectorAll(".moved")].map((name) => name.textContent);
  seen.lanes = document.querySelectorAll(".lane").length;
  seen.arrows = document.querySelectorAll(".arrow").length;
  document.body.dataset.seen = JSON.stringify(seen);
});
