"use strict";
// Keeps a path of steps, and how many of them are taken; the server says where they lead.
(() => {
  const { name, loaded } = JSON.parse(document.getElementById("begin").textContent);
  const by = (id) => document.getElementById(id);
  const said = by("said");
  // The execution that was loaded last, to come back to.
  let known = loaded?.steps || [];
  let path = known;
  let at = 0;
  // The answer for the first `at` steps of the path.
  let here = null;
  // Answers to older questions are dropped.
  let asked = 0;

  function element(tag, text, className) {
    const made = document.createElement(tag);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  }

  function say(text, isBad) {
    said.textContent = text;
    said.className = isBad ? "bad" : "";
  }

  async function ask(where, question) {
    const response = await fetch(where, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(question),
    });
    if (!response.ok) throw new Error(await response.text());
    return response;
  }

  // Asks, and says why there is no answer.
  async function tried(work) {
    try {
      return await work();
    } catch (error) {
      say(error instanceof TypeError ? "the explorer does not answer: " + error.message : error.message, true);
    }
  }

  const taken = () => path.slice(0, at);

  // Goes to the state after so many steps of a path.
  function go(steps, count) {
    const mine = ++asked;
    return tried(async () => {
      const then = steps[count] || null;
      const place = await (await ask("/look", { steps: steps.slice(0, count), then })).json();
      if (mine !== asked) return;
      // As they read now; after a violation nothing comes.
      const now = place.steps.map((shown) => shown.step);
      path = [...now, ...(now.length === count ? steps.slice(count) : [])];
      at = now.length;
      here = place;
      say("");
      draw();
    });
  }

  function take(next) {
    return next.is_then ? go(path, at + 1) : go([...taken(), next.step], at + 1);
  }

  function shownStep(number, step, who, what, did) {
    const button = element("button", "", "step");
    button.type = "button";
    if (number) button.append(element("span", number, "number"));
    button.append(element("span", who, "who"), element("code", what));
    const when = step.timing ? (step.timing.at_ns / 1e9).toFixed(3) + " s  " : "";
    const arrived = (step.arrived || []).map((sent) => " ← #" + sent).join("");
    const place = when + (step.location || "") + arrived;
    if (place.trim()) button.append(element("span", place, "place"));
    if (step.source) button.title = step.source;
    for (const doing of did) button.append(element("span", doing, "did"));
    return button;
  }

  function whoOf(step) {
    return step.task === undefined ? step.process : `${step.process} (task ${step.task})`;
  }

  function drawPath() {
    const list = document.createElement("ol");
    path.forEach((step, index) => {
      const shown = here.steps[index];
      const what = step.outcome === "done" ? step.operation : `${step.operation} -> ${step.outcome}`;
      const button = shown
        ? shownStep(index + 1, shown.step, shown.who, shown.what, shown.did)
        : shownStep(index + 1, step, whoOf(step), what, []);
      if (index >= at) button.classList.add("ahead");
      if (index === at - 1) button.setAttribute("aria-current", "step");
      button.addEventListener("click", () => go(path, index + 1));
      const item = document.createElement("li");
      item.append(button);
      list.append(item);
    });
    by("path").replaceChildren(element("h2", `The path: ${at} steps`), list);
    const current = list.querySelector("[aria-current]");
    if (current) current.scrollIntoView({ block: "nearest" });
  }

  function drawNext() {
    const title = at < path.length ? "What could have come next" : "What could come next";
    const all = [element("h2", title)];
    if (here.violation) all.push(element("p", "✗ " + here.violation, "violation"));
    if (here.next.length === 0) all.push(element("p", "Nothing: the execution has ended."));
    const groups = new Map();
    here.next.forEach((next, index) => {
      const button = shownStep(index + 1, next.step, next.who, next.what, next.did);
      button.dataset.next = index;
      if (next.is_then) button.append(element("span", "the next step of this path", "then"));
      if (next.violation) button.append(element("span", "✗ " + next.violation, "did"));
      button.addEventListener("click", () => take(next));
      groups.set(next.who, [...(groups.get(next.who) || []), button]);
    });
    for (const [who, buttons] of groups) all.push(element("h3", who), ...buttons);
    by("next").replaceChildren(...all);
  }

  function drawPlaces() {
    const { states, changes } = here.situations;
    const all = new Map();
    for (const change of changes) {
      for (const [process, state] of Object.entries(change)) all.set(process, states[state]);
    }
    const moved = changes.length > 1 ? changes[changes.length - 1] : {};
    const list = element("dl", "", "states");
    for (const [process, state] of [...all].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const data = element("dd", state.is || "");
      for (const { task, operation, location } of state.pending || []) {
        const line = element("div", task === undefined ? "" : `task ${task}: `);
        line.append(element("code", operation));
        if (location) line.append(" ", element("span", location, "place"));
        data.append(line);
      }
      list.append(element("dt", process, Object.hasOwn(moved, process) ? "moved" : ""), data);
    }
    by("places").replaceChildren(element("h2", "Where the processes are"), list);
    const of = by("of");
    const [any] = of.options;
    const chosen = of.value;
    of.replaceChildren(any, ...[...all.keys()].sort().map((process) => new Option(process)));
    of.value = all.has(chosen) ? chosen : "";
  }

  // The page of the path, in a frame of its own.
  async function drawDiagram() {
    const drawing = by("drawing");
    if (!drawing.open) return;
    const mine = asked;
    await tried(async () => {
      const html = await (await ask("/diagram", { steps: taken() })).text();
      if (mine !== asked) return;
      const frame = document.createElement("iframe");
      frame.title = "the path as a diagram";
      frame.setAttribute("sandbox", "allow-scripts");
      frame.srcdoc = html;
      drawing.replaceChildren(drawing.querySelector("summary"), frame);
    });
  }

  function draw() {
    by("back").disabled = by("start").disabled = at === 0;
    by("forward").disabled = at === path.length;
    by("reload").hidden = known.length === 0;
    drawPath();
    drawNext();
    drawPlaces();
    drawDiagram();
  }

  by("start").addEventListener("click", () => go(path, 0));
  by("back").addEventListener("click", () => go(path, at - 1));
  by("forward").addEventListener("click", () => go(path, at + 1));
  by("reload").addEventListener("click", () => go(known, Math.max(known.length - 1, 0)));
  by("drawing").addEventListener("toggle", drawDiagram);

  by("search").addEventListener("submit", (event) => {
    event.preventDefault();
    say("looking for it …");
    tried(async () => {
      const question = {
        steps: taken(),
        text: by("wanted").value,
        process: by("of").value || null,
        states_max: Number(by("states").value) || 1,
      };
      const way = await (await ask("/search", question)).json();
      if (way.steps) await go(way.steps, way.steps.length);
      say(way.message, !way.steps);
    });
  });

  by("save").addEventListener("click", () =>
    tried(async () => {
      const trace = await (await ask("/trace", { steps: taken() })).blob();
      const link = document.createElement("a");
      link.href = URL.createObjectURL(trace);
      link.download = name.replace(/[^\w.-]+/g, "-") + ".json";
      link.click();
      URL.revokeObjectURL(link.href);
      say(`saved as ${link.download}: NETCHECK_REPLAY=FILE runs it again, replay = "FILE" makes it a test`);
    }),
  );

  by("mermaid").addEventListener("click", () =>
    tried(async () => {
      const text = await (await ask("/mermaid", { steps: taken() })).text();
      await navigator.clipboard.writeText(text);
      say("copied");
    }),
  );

  by("load").addEventListener("change", (event) =>
    tried(async () => {
      const [file] = event.target.files;
      const { steps } = JSON.parse(await file.text());
      if (!Array.isArray(steps)) throw new Error("this is no trace: it has no steps");
      known = steps;
      await go(known, Math.max(known.length - 1, 0));
    }),
  );

  by("end").addEventListener("click", () =>
    tried(async () => {
      say(await (await ask("/end", {})).text());
      for (const button of document.querySelectorAll("button")) button.disabled = true;
    }),
  );

  const keys = {
    ArrowLeft: () => go(path, Math.max(at - 1, 0)),
    Backspace: () => go(path, Math.max(at - 1, 0)),
    ArrowRight: () => go(path, Math.min(at + 1, path.length)),
    Home: () => go(path, 0),
    End: () => go(path, path.length),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select")) return;
    const next = here?.next[Number(event.key) - 1];
    if (!next && !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    if (next) take(next);
    else keys[event.key]();
  });

  // Before the last step of an execution that is known: what else could have happened there?
  go(path, Math.max(path.length - 1, 0));
})();
