"use strict";
// Steps through the diagram: the lanes and arrows are drawn already, and work without this.
(() => {
  const steps = JSON.parse(document.getElementById("steps").textContent);
  const situations = JSON.parse(document.getElementById("situations").textContent);
  // By state machine: steps, each with the node that it leads to.
  const walks = JSON.parse(document.getElementById("walks").textContent);
  const diagram = document.getElementById("diagram");
  const details = document.getElementById("details");
  // With rounds that repeat, there are two drawings: with one round in place of many, and whole.
  const drawings = [...diagram.querySelectorAll(":scope > svg")];
  const whole = drawings[drawings.length - 1];
  const sent = new Map();
  for (const arrow of whole.querySelectorAll(".arrow[data-to]")) {
    const from = Number(arrow.dataset.from);
    sent.set(from, [...(sent.get(from) || []), Number(arrow.dataset.to)]);
  }
  // By step: its row and its arrows in the drawing that is seen.
  const rows = new Map();
  const arrows = new Map();
  // By step: the steps that are told with it.
  const asides = new Map();
  steps.forEach((step, index) => {
    if (step.with) asides.set(step.with, [...(asides.get(step.with) || []), index + 1]);
  });
  let drawn = null;
  let current = 0;

  function look_at(drawing) {
    drawn = drawing;
    for (const other of drawings) other.toggleAttribute("hidden", other !== drawing);
    rows.clear();
    arrows.clear();
    for (const row of drawing.querySelectorAll(".row[data-step]")) rows.set(Number(row.dataset.step), row);
    for (const arrow of drawing.querySelectorAll(".arrow")) {
      const from = Number(arrow.dataset.from);
      for (const step of new Set([from, Number(arrow.dataset.to || from)])) {
        arrows.set(step, [...(arrows.get(step) || []), arrow]);
      }
    }
  }

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

  // Where everybody is after a step: all that has changed since the start.
  function situation(number) {
    const all = new Map();
    for (const changes of situations.changes.slice(0, number + 1)) {
      for (const [name, state] of Object.entries(changes)) all.set(name, situations.states[state]);
    }
    return [...all].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  function pending(operation) {
    const line = element("div", operation.task === undefined ? "" : "task " + operation.task + ": ");
    line.append(element("code", operation.operation));
    if (operation.location) line.append(" ", element("span", operation.location, "place"));
    return line;
  }

  function processes(number) {
    const list = document.createElement("dl");
    list.className = "states";
    for (const [name, state] of situation(number)) {
      const moved = Object.hasOwn(situations.changes[number] || {}, name);
      const data = element("dd", state?.is || "");
      for (const operation of state?.pending || []) data.append(pending(operation));
      list.append(element("dt", name, moved ? "moved" : ""), data);
    }
    return list;
  }

  // Marks the nodes that the processes are at.
  function mark(number) {
    for (const node of document.querySelectorAll(".node.here")) node.classList.remove("here");
    walks.forEach((walk, machine) => {
      const last = walk.findLast(([step]) => step <= number);
      const node = last && last[1] !== null && `[data-machine="${machine}"][data-node="${last[1]}"]`;
      if (node) document.querySelector(node).classList.add("here");
    });
  }

  const number_of = (step) => steps.indexOf(step) + 1;

  // What is said of a step, and of those that are told with it.
  function remarks(step) {
    const told = (asides.get(number_of(step)) || []).map((number) => steps[number - 1]);
    return [...told, step].flatMap((step) => step.remarks || []);
  }

  function show(number) {
    mark(number);
    if (number === 0) return;
    const step = steps[number - 1];
    const task = step.task === undefined ? "" : " (task " + step.task + ")";
    const list = document.createElement("dl");
    term(list, "process", step.process + task);
    term(list, "operation", step.operation);
    term(list, "outcome", step.outcome);
    term(list, "when", step.when);
    term(list, "peer", step.peer);
    term(list, "at", step.location);
    term(list, "sent by", links(step.arrived));
    term(list, "leads to", links(sent.get(number)));
    details.replaceChildren(element("h2", "Step " + number + " of " + steps.length), list);
    for (const number of asides.get(number_of(step)) || []) {
      const { operation, outcome } = steps[number - 1];
      details.append(element("p", "#" + number + " before it: " + operation + " -> " + outcome, "aside"));
    }
    for (const remark of remarks(step)) details.append(element("p", remark, "remark"));
    if (step.source) details.append(element("pre", step.source, "source"));
    if (step.payload) details.append(element("h3", "Payload"), element("pre", step.payload, "payload"));
    for (const doing of step.did) details.append(element("p", doing, "did"));
    if (situations) details.append(element("h3", "Where everything is then"), processes(number));
  }

  // The words of the steps are at the left: they are left only for a lane that does not fit beside them.
  function show_lane(at) {
    if (!at) return;
    const right = Number(at.getAttribute("cx")) + 24;
    const is_seen = right <= diagram.scrollLeft + diagram.clientWidth && right - 48 >= diagram.scrollLeft;
    if (right <= diagram.clientWidth) diagram.scrollLeft = 0;
    else if (!is_seen) diagram.scrollLeft = right - diagram.clientWidth;
  }

  function select(number) {
    number = Math.min(Math.max(number, 1), steps.length);
    if (steps.length === 0) return;
    // What is told with another step is found there, and what is left out is shown.
    number = steps[number - 1].with || number;
    if (!rows.has(number)) open(whole);
    if (number === current) return;
    rows.get(current)?.classList.remove("selected");
    for (const arrow of arrows.get(current) || []) arrow.classList.remove("active");
    current = number;
    const row = rows.get(number);
    row.classList.add("selected");
    row.scrollIntoView({ block: "nearest", inline: "nearest" });
    show_lane(diagram.querySelector(`[data-at="${number}"]`));
    for (const arrow of arrows.get(number) || []) arrow.classList.add("active");
    show(number);
    draw();
  }

  // Which steps the reader looks for: text that is found in them, and the process of one lane.
  const find = document.getElementById("find");
  const count = document.getElementById("found");
  const texts = steps.map((step) =>
    [step.process, step.operation, step.outcome, step.payload, step.peer, step.location, step.source, ...step.did, ...remarks(step)]
      .join("\n")
      .toLowerCase(),
  );
  let found = [];
  let only = null;

  function look() {
    const sought = find.value.trim().toLowerCase();
    const isOf = (step) => only === null || step.process === only;
    const all = steps.map((_, index) => index + 1);
    found = sought ? all.filter((number) => texts[number - 1].includes(sought) && isOf(steps[number - 1])) : [];
    const numbers = new Set(found.map((number) => steps[number - 1].with || number));
    for (const [number, row] of rows) {
      row.classList.toggle("found", numbers.has(number));
      row.parentNode.classList.toggle("dim", !isOf(steps[number - 1]) || (sought !== "" && !numbers.has(number)));
    }
    count.textContent = sought ? found.length + " of " + steps.length + " steps." : "";
    draw();
  }

  // The next one found after the selected step, or before it, and round.
  function next(isBack) {
    const onwards = isBack ? found.findLast((number) => number < current) : found.find((number) => number > current);
    const round = isBack ? found[found.length - 1] : found[0];
    if (found.length > 0) select(onwards === undefined ? round : onwards);
  }

  find.addEventListener("input", look);
  find.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter") next(event.shiftKey);
    if (event.key === "Escape") {
      find.value = "";
      look();
      diagram.focus();
    }
  });
  for (const lane of document.querySelectorAll(".lane")) {
    lane.addEventListener("click", () => {
      only = only === lane.dataset.process ? null : lane.dataset.process;
      for (const other of document.querySelectorAll(".lane")) {
        other.classList.toggle("only", only !== null && other.dataset.process === only);
      }
      look();
    });
  }

  // The whole execution on the height of the window: what the network did, what is found, what is seen now.
  const map = document.getElementById("map");
  const faulty = steps.flatMap((step, index) => (step.did.length > 0 || step.failed ? [index + 1] : []));
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

  function draw() {
    const height = (map.height = map.clientHeight);
    const paper = map.getContext("2d");
    const line = Math.min(8, Math.max(2, height / Math.max(1, steps.length)));
    const at = (number) => ((number - 1) / Math.max(1, steps.length)) * height;
    const marks = (numbers, name) => {
      paper.fillStyle = colour(name);
      for (const number of numbers) paper.fillRect(2, at(number), 10, line);
    };
    paper.fillStyle = colour("--select");
    paper.fillRect(0, (diagram.scrollTop / diagram.scrollHeight) * height, 14, (diagram.clientHeight / diagram.scrollHeight) * height);
    marks(faulty, "--bad");
    marks(found, "--odd");
    marks(current ? [current] : [], "--datagram");
  }

  map.addEventListener("click", (event) => select(Math.floor((event.offsetY / map.clientHeight) * steps.length) + 1));
  diagram.addEventListener("scroll", draw);
  window.addEventListener("resize", draw);

  // The row that lies so many rows further on.
  function further(count) {
    const numbers = [...rows.keys()];
    const index = Math.max(0, numbers.findLastIndex((number) => number <= current)) + count;
    return numbers[Math.min(Math.max(index, 0), numbers.length - 1)];
  }

  const button = document.getElementById("rounds");

  // Shows a drawing, with the selected step if it is there.
  function open(drawing) {
    look_at(drawing);
    button.hidden = drawings.length < 2;
    button.textContent = drawn === whole ? "fold rounds that repeat" : "show all rounds";
    const kept = rows.has(current) ? current : further(0);
    current = 0;
    for (const row of diagram.querySelectorAll(".row.selected")) row.classList.remove("selected");
    for (const arrow of diagram.querySelectorAll(".arrow.active")) arrow.classList.remove("active");
    select(kept);
    look();
  }

  button.addEventListener("click", () => open(drawn === whole ? drawings[0] : whole));

  const moves = {
    ArrowDown: () => further(1),
    ArrowRight: () => further(1),
    ArrowUp: () => further(-1),
    ArrowLeft: () => further(-1),
    PageDown: () => further(10),
    PageUp: () => further(-10),
    Home: () => 1,
    End: () => steps.length,
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "/") {
      event.preventDefault();
      find.focus();
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    select(moves[event.key]());
  });
  const pointed = (event) => Number(event.target.closest("[data-step]")?.dataset.step || 0);
  diagram.addEventListener("click", (event) => {
    if (event.target.closest(".fold")) open(whole);
    else if (pointed(event)) select(pointed(event));
  });
  diagram.addEventListener("mouseover", (event) => show(pointed(event) || current));
  diagram.addEventListener("mouseleave", () => show(current));
  mark(0);
  current = steps.length;
  // What was violated is what the page is opened for.
  open(drawings[0]);
})();
