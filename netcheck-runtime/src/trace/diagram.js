"use strict";
// Steps through the diagram: the lanes and arrows are drawn already, and work without this.
(() => {
  const steps = JSON.parse(document.getElementById("steps").textContent);
  const diagram = document.getElementById("diagram");
  const details = document.getElementById("details");
  const rows = new Map();
  for (const row of document.querySelectorAll(".row")) {
    rows.set(Number(row.dataset.step), row);
  }
  const arrows = new Map();
  const sent = new Map();
  for (const arrow of document.querySelectorAll(".arrow")) {
    const from = Number(arrow.dataset.from);
    const to = Number(arrow.dataset.to || from);
    for (const step of new Set([from, to])) {
      arrows.set(step, [...(arrows.get(step) || []), arrow]);
    }
    if (arrow.dataset.to) {
      sent.set(from, [...(sent.get(from) || []), to]);
    }
  }
  let current = 0;

  function element(name, text, className) {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function term(list, name, value) {
    if (!value) return;
    const data = document.createElement("dd");
    data.append(typeof value === "string" ? element("code", value) : value);
    list.append(element("dt", name), data);
  }

  function links(numbers) {
    if (!numbers || numbers.length === 0) return null;
    const all = document.createElement("span");
    for (const number of numbers) {
      const link = element("button", "#" + number);
      link.type = "button";
      link.addEventListener("click", () => select(number));
      all.append(link, " ");
    }
    return all;
  }

  function show(number) {
    const step = steps[number - 1];
    const task = step.task === undefined ? "" : " (task " + step.task + ")";
    const list = document.createElement("dl");
    term(list, "process", step.process + task);
    term(list, "operation", step.operation);
    term(list, "outcome", step.outcome);
    term(list, "peer", step.peer);
    term(list, "at", step.location);
    term(list, "sent by", links(step.arrived));
    term(list, "leads to", links(sent.get(number)));
    details.replaceChildren(element("h2", "Step " + number + " of " + steps.length), list);
    if (step.source) details.append(element("pre", step.source, "source"));
    if (step.payload) details.append(element("h3", "Payload"), element("pre", step.payload, "payload"));
    for (const doing of step.did) details.append(element("p", doing, "did"));
  }

  function select(number) {
    number = Math.min(Math.max(number, 1), steps.length);
    if (number === current || steps.length === 0) return;
    rows.get(current)?.classList.remove("selected");
    for (const arrow of arrows.get(current) || []) arrow.classList.remove("active");
    current = number;
    const row = rows.get(number);
    row.classList.add("selected");
    row.scrollIntoView({ block: "nearest", inline: "nearest" });
    for (const arrow of arrows.get(number) || []) arrow.classList.add("active");
    show(number);
  }

  const moves = {
    ArrowDown: () => current + 1,
    ArrowRight: () => current + 1,
    ArrowUp: () => current - 1,
    ArrowLeft: () => current - 1,
    PageDown: () => current + 10,
    PageUp: () => current - 10,
    Home: () => 1,
    End: () => steps.length,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    select(moves[event.key]());
  });
  diagram.addEventListener("click", (event) => {
    const row = event.target.closest("[data-step]");
    if (row) select(Number(row.dataset.step));
  });
})();
