"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const MORE = 200;
  const SIGNS = { right: "✓", wrong: "✗", unparsed: "?", failed: "!" };
  const keyOf = (q) => [data.tasks[q.t].run, data.tasks[q.t].task, q.id].map(encodeURIComponent).join("/");
  const byKey = new Map(data.questions.map((q) => [keyOf(q), q]));
  let found = [];
  let current = null;
  let listed = 0;

  // Text is only ever set as text: replies are a model's words and may look like markup.
  const make = (name, kind, text) => {
    const element = document.createElement(name);
    if (kind) element.className = kind;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const option = (value, text) => {
    const element = make("option", "", text);
    element.value = value;
    return element;
  };
  const words = (value) => (typeof value === "string" ? value : JSON.stringify(value));

  at("task").append(option("", `all (${data.questions.length})`));
  data.tasks.forEach((task, number) => at("task").append(option(String(number), `${task.task}, ${task.run}`)));

  function showFacets() {
    const chosen = at("task").value;
    const tasks = chosen === "" ? data.tasks : [data.tasks[Number(chosen)]];
    // Fields that all of these tasks have: those of five benchmarks at once would be a wall.
    const facets = new Map();
    for (const name of Object.keys(tasks.length ? tasks[0].facets : {})) {
      if (tasks.every((task) => name in task.facets)) facets.set(name, new Set(tasks.flatMap((task) => task.facets[name])));
    }
    const kept = new Map([...at("facets").querySelectorAll("select")].map((one) => [one.dataset.field, one.value]));
    at("facets").replaceChildren();
    for (const [name, values] of facets) {
      const label = make("label", "", name);
      const select = make("select");
      select.dataset.field = name;
      select.append(option("", "all"), ...[...values].sort().map((value) => option(value, value)));
      if (values.has(kept.get(name))) select.value = kept.get(name);
      label.append(select);
      at("facets").append(label);
    }
  }

  function matches(q, filters) {
    if (filters.task !== "" && q.t !== Number(filters.task)) return false;
    if (filters.verdict && q.verdict !== filters.verdict) return false;
    if (filters.pictured && !(q.pictures && q.pictures.length)) return false;
    for (const [name, value] of filters.facets) {
      const own = q.record[name];
      if (!(Array.isArray(own) ? own.includes(value) : own === value)) return false;
    }
    return !filters.text || `${q.id}\n${q.prompt}\n${q.reply}`.toLowerCase().includes(filters.text);
  }

  function apply() {
    const filters = {
      task: at("task").value,
      verdict: at("verdict").value,
      pictured: at("pictured").checked,
      text: at("search").value.trim().toLowerCase(),
      facets: [...at("facets").querySelectorAll("select")].filter((one) => one.value).map((one) => [one.dataset.field, one.value]),
    };
    found = data.questions.filter((q) => matches(q, filters));
    listed = 0;
    at("list").replaceChildren();
    list(MORE);
    const counts = Object.keys(SIGNS)
      .map((name) => [name, found.filter((q) => q.verdict === name).length])
      .filter(([, n]) => n)
      .map(([name, n]) => `${n} ${name}`);
    at("count").textContent = `${found.length} questions${counts.length ? ": " + counts.join(", ") : ""}`;
  }

  function list(upTo) {
    const box = at("list");
    if (box.lastChild && box.lastChild.tagName === "BUTTON") box.lastChild.remove();
    for (; listed < Math.min(upTo, found.length); listed += 1) {
      const q = found[listed];
      const row = make("div");
      row.setAttribute("role", "option");
      row.setAttribute("aria-selected", String(q === current));
      row.dataset.key = keyOf(q);
      const sign = make("span", `v-${q.verdict}`, SIGNS[q.verdict]);
      sign.title = q.verdict;
      row.append(sign, make("span", "", q.id), make("small", "", `${data.tasks[q.t].task}, ${data.tasks[q.t].run}`));
      box.append(row);
    }
    if (listed < found.length) {
      const more = make("button", "", `${found.length - listed} more`);
      more.type = "button";
      more.addEventListener("click", () => list(listed + MORE));
      box.append(more);
    }
  }

  function block(title, text) {
    const part = make("div");
    part.append(make("h4", "", title), make("pre", "", text === "" ? "(empty)" : text));
    return part;
  }

  function show(q) {
    current = q;
    const box = at("question");
    box.replaceChildren();
    if (!q) return;
    const task = data.tasks[q.t];
    const title = make("h3");
    const link = make("a", "", q.id);
    link.href = `#q=${keyOf(q)}`;
    title.append(make("span", `v-${q.verdict}`, `${SIGNS[q.verdict]} ${q.verdict} `), link);
    if (q.read) title.append(" ", make("span", "tag", q.read));
    box.append(title, make("div", "note", `${task.task}, ${task.run}`));
    if (q.pictures && q.pictures.length) {
      const pictures = make("div", "pictures");
      q.pictures.forEach((number, place) => {
        const image = make("img");
        image.src = data.pictures[number];
        image.alt = `picture ${place + 1} of ${q.pictures.length}`;
        pictures.append(image);
      });
      box.append(pictures);
    }
    if (q.note) box.append(make("p", "note", q.note));
    if (q.whole) box.append(make("p", "note", `Long texts are cut here; whole in ${q.whole}.`));
    const read = q.record.answer !== undefined ? q.record.answer : q.record.prediction;
    const pair = make("div", "pair");
    pair.append(block("Reply", q.reply), block("A right reply", q.target));
    if (read !== undefined) pair.append(block("What was read", read === null ? "nothing" : words(read)));
    if (q.record.gold !== undefined) pair.append(block("What is right", words(q.record.gold)));
    box.append(block("Prompt", q.prompt), pair);
    const details = make("details");
    details.append(make("summary", "", "Record"));
    const facts = make("dl");
    for (const [name, value] of Object.entries(q.record)) facts.append(make("dt", "", name), make("dd", "", words(value)));
    details.append(facts);
    box.append(details);
    const steps = make("div", "steps");
    const place = found.indexOf(q);
    for (const [by, text] of [[-1, "← previous"], [1, "next →"]]) {
      const other = found[place + by];
      if (place < 0 || !other) continue;
      const step = make("a", "", text);
      step.href = `#q=${keyOf(other)}`;
      steps.append(step);
    }
    box.append(steps);
    for (const row of at("list").querySelectorAll("[role=option]")) {
      const chosen = row.dataset.key === keyOf(q);
      row.setAttribute("aria-selected", String(chosen));
      if (chosen) at("list").scrollTop = Math.max(0, row.offsetTop - at("list").offsetTop - at("list").clientHeight / 2);
    }
  }

  function go(q) {
    if (!q) return;
    const place = found.indexOf(q);
    if (place >= listed) list(place + MORE);
    history.replaceState(null, "", `#q=${keyOf(q)}`);
    show(q);
  }

  function step(by) {
    const place = found.indexOf(current);
    go(found[place < 0 ? 0 : Math.min(Math.max(place + by, 0), found.length - 1)]);
  }

  function follow() {
    if (!location.hash.startsWith("#q=")) return false;
    const q = byKey.get(location.hash.slice(3));
    if (!q) {
      current = null;
      at("question").replaceChildren(make("p", "bad", "The question of this link is not in this report."));
    } else {
      if (!found.includes(q)) {
        at("filters").reset();
        showFacets();
        apply();
      }
      go(q);
    }
    at("questions").scrollIntoView();
    return true;
  }

  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("filters").addEventListener("input", (event) => {
    if (event.target.id === "task") showFacets();
    apply();
    show(found.includes(current) ? current : found[0] || null);
  });
  at("list").addEventListener("click", (event) => {
    const row = event.target.closest("[role=option]");
    if (row) go(byKey.get(row.dataset.key));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
    if (typing && event.key === "Escape") event.target.blur();
    if (typing) return;
    const inList = event.target === at("list");
    if (event.key === "j" || (inList && event.key === "ArrowDown")) step(1);
    else if (event.key === "k" || (inList && event.key === "ArrowUp")) step(-1);
    else if (event.key === "/") at("search").focus();
    else return;
    event.preventDefault();
  });
  window.addEventListener("hashchange", follow);

  showFacets();
  apply();
  if (!follow()) show(found[0] || null);
})();
