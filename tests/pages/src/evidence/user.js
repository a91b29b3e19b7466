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
  // Looking for text, going from one found step to the next and back, and leaving it.
  const find = document.getElementById("find");
  const press = (target, key, shiftKey) =>
    target.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true, cancelable: true }));
  const numbers = (selector) => [...document.querySelectorAll(selector)].map((row) => Number(row.dataset.step));
  press(document, "/");
  seen.finds = { focused: document.activeElement === find };
  find.value = "TO RECEIVER:";
  find.dispatchEvent(new Event("input"));
  const onwards = (shiftKey) => { press(find, "Enter", shiftKey); return numbers(".row.selected")[0]; };
  Object.assign(seen.finds, {
    count: document.getElementById("found").textContent,
    found: numbers(".row.found"),
    way: seen.lanes > 0 && numbers(".row.found").length < 100 ? [onwards(false), onwards(false), onwards(true)] : [],
  });
  press(find, "Escape");
  seen.finds.left = [find.value, numbers(".row.found").length, document.querySelectorAll("g.dim").length];
  // Only one lane, and all of them again.
  const lane = document.querySelector(".lane");
  const click = () => { lane?.dispatchEvent(new MouseEvent("click", { bubbles: true })); return numbers("g.dim"); };
  seen.only = [click().length, click().length];
  const map = document.getElementById("map");
  seen.mapped = map.getContext("2d").getImageData(0, 0, 14, map.height).data.some((byte) => byte > 0);
  document.body.dataset.seen = JSON.stringify(seen);
});
