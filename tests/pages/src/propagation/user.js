"use strict";
// Looks at what a page shows. It is put in front of the page's own head.
const seen = { errors: [], overlaps: [], outside: [] };
window.addEventListener("error", (event) => seen.errors.push(event.message));
window.addEventListener("securitypolicyviolation", (event) => seen.errors.push(event.violatedDirective));
window.addEventListener("load", () => {
  const count = (selector) => document.querySelectorAll(selector).length;
  Object.assign(seen, { faults: count("g.fault"), processes: count("g.process"), edges: count("g.edge") });
  const labels = [...document.querySelectorAll("g.edge text")].map((label) => [label.textContent, label.getBoundingClientRect()]);
  labels.forEach(([text, box], index) => {
    for (const [other, second] of labels.slice(index + 1)) {
      const meets = box.left < second.right && second.left < box.right && box.top < second.bottom && second.top < box.bottom;
      if (meets && box.width > 0) seen.overlaps.push(`${text} and ${other}`);
    }
  });
  for (const box of document.querySelectorAll("g.fault, g.process")) {
    const outer = box.querySelector("rect").getBoundingClientRect();
    for (const text of box.querySelectorAll("text")) {
      const inner = text.getBoundingClientRect();
      if (inner.right > outer.right || inner.bottom > outer.bottom) seen.outside.push(text.textContent);
    }
  }
  document.body.dataset.seen = JSON.stringify(seen);
});
