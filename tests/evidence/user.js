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
  seen.lanes = document.querySelectorAll(".lane").length;
  seen.arrows = document.querySelectorAll(".arrow").length;
  seen.details = document.getElementById("details").textContent;
  document.body.dataset.seen = JSON.stringify(seen);
});
