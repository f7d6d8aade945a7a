"use strict";
// The browser of single questions. Its lists hold every question; texts and pictures are read when looked at.
(() => {
  const at = (id) => document.getElementById(id);
  const index = JSON.parse(at("data").textContent);
  const ROW = 46; // pixels of a line of the list
  const SIGNS = { r: "✓", w: "✗", u: "?", f: "!", " ": "·" };
  const NAMES = { r: "right", w: "wrong", u: "unparsed", f: "failed", " ": "not asked" };
  const LETTERS = { right: "r", wrong: "w", unparsed: "u", failed: "f" };
  const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

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

  // ---- what there is

  const chunks = new Map();
  function chunkOf(kind, number) {
    const name = `${kind}-${Math.floor(number / index.chunk)}`;
    if (!chunks.has(name)) chunks.set(name, JSON.parse(at(name).textContent));
    return chunks.get(name)[number % index.chunk];
  }

  // All questions of all tasks in one order: number n is question places[n] of task owners[n].
  const starts = [];
  let total = 0;
  for (const task of index.tasks) {
    starts.push(total);
    total += task.ids.length;
  }
  const owners = new Uint16Array(total);
  const told = new Int32Array(total).fill(-1);
  index.tasks.forEach((task, t) => owners.fill(t, starts[t], starts[t] + task.ids.length));
  const seen = index.tasks.map(() => 0);
  index.order.forEach((t, number) => {
    told[starts[t] + index.told[t][seen[t]]] = number;
    seen[t] += 1;
  });
  const taskOf = (n) => index.tasks[owners[n]];
  const idOf = (n) => taskOf(n).ids[n - starts[owners[n]]];
  const textsOf = (n) => (told[n] < 0 ? null : chunkOf("texts", told[n]));
  // What all answers' records say alike stands once, with the question.
  const wholeOf = (n) => {
    const entry = textsOf(n);
    return entry && { ...entry, answers: entry.answers.map((one) => ({ ...one, record: { ...entry.record, ...one.record } })) };
  };
  const keyOf = (n) => [taskOf(n).task, idOf(n)].map(encodeURIComponent).join("/");

  // Questions that a run got wrong come first, of these the ones with texts.
  const rank = new Uint8Array(total);
  for (let n = 0; n < total; n += 1) {
    const task = taskOf(n);
    const place = n - starts[owners[n]];
    const wrong = task.verdicts.some((one) => one[place] !== "r" && one[place] !== " ");
    rank[n] = (wrong ? 0 : 2) + (told[n] < 0 ? 1 : 0);
  }
  const order = Int32Array.from([0, 1, 2, 3].flatMap((wanted) => {
    const part = [];
    for (let n = 0; n < total; n += 1) if (rank[n] === wanted) part.push(n);
    return part;
  }));

  let found = order;
  let current = -1;

  // ---- filters

  at("task").append(option("", `all (${total})`), ...index.tasks.map((task, t) => option(String(t), task.task)));
  at("run").append(option("", "any"), ...index.runs.map((run, r) => option(String(r), run)));
  at("run2").append(option("", "any"), ...index.runs.map((run, r) => option(String(r), run)));
  at("second").hidden = index.runs.length < 2;
  const ways = [...new Set(index.tasks.flatMap((task) => task.words.filter((one) => one !== " ")))].sort();
  at("how").append(option("", "all"), ...ways.map((one) => option(one, one)));

  function showFacets() {
    const chosen = at("task").value;
    const tasks = chosen === "" ? index.tasks : [index.tasks[Number(chosen)]];
    // Fields that all of these tasks have: those of five benchmarks at once would be a wall.
    const facets = new Map();
    for (const name of Object.keys(tasks.length ? tasks[0].facets : {})) {
      if (tasks.every((task) => name in task.facets)) facets.set(name, new Set(tasks.flatMap((task) => task.facets[name].values)));
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

  // A test of a question's place for each task, made once a filter: a page may hold half a million answers.
  function testOf(task, filters) {
    const tests = [];
    for (const [run, verdict, how] of filters.clauses) {
      if (run === "" && !verdict && !how) continue;
      const runs = task.runs.flatMap((one, r) => (run === "" || one === Number(run) ? [r] : []));
      if (!runs.length) return null;
      const letter = verdict ? LETTERS[verdict] : "";
      const code = how ? ALPHABET[task.words.indexOf(how)] : "";
      if (how && code === undefined) return null;
      tests.push((place) => runs.some((r) => {
        const own = task.verdicts[r][place];
        return own !== " " && (!letter || own === letter) && (!code || task.hows[r][place] === code);
      }));
    }
    for (const [name, value] of filters.facets) {
      const facet = task.facets[name];
      const codes = new Set(facet.sets.flatMap((one, code) => (one.includes(value) ? [ALPHABET[code]] : [])));
      tests.push((place) => codes.has(facet.codes[place]));
    }
    return tests;
  }

  function read() {
    return {
      task: at("task").value,
      clauses: [[at("run").value, at("verdict").value, at("how").value], [at("run2").value, at("verdict2").value, ""]],
      pictured: at("pictured").checked,
      text: at("search").value.trim().toLowerCase(),
      facets: [...at("facets").querySelectorAll("select")].filter((one) => one.value).map((one) => [one.dataset.field, one.value]),
    };
  }

  // What is searched, in small letters: ids, and the prompts and replies that are in the page. Texts are made
  // ready while the browser has nothing to do, so that the first search need not wait for it.
  const smallIds = index.tasks.map((task) => task.ids.map((one) => one.toLowerCase()));
  const searched = new Array(index.order.length);
  const wordsOf = (number) => {
    if (searched[number] === undefined) {
      const entry = chunkOf("texts", number);
      const texts = [entry.prompt, ...entry.answers.flatMap((one) => [one.prompt || "", one.reply])];
      searched[number] = texts.join("\n").toLowerCase();
    }
    return searched[number];
  };
  function hasWords(n, text) {
    const owner = owners[n];
    if (smallIds[owner][n - starts[owner]].includes(text)) return true;
    return told[n] >= 0 && wordsOf(told[n]).includes(text);
  }
  let readied = 0;
  function ready(deadline) {
    do {
      for (const end = Math.min(readied + index.chunk, searched.length); readied < end; readied += 1) wordsOf(readied);
    } while (readied < searched.length && deadline.timeRemaining() > 5);
    if (readied < searched.length) requestIdleCallback(ready);
  }
  if (window.requestIdleCallback) requestIdleCallback(ready);

  function apply() {
    const filters = read();
    const tests = index.tasks.map((task, t) => (filters.task !== "" && t !== Number(filters.task) ? null : testOf(task, filters)));
    found = order.filter((n) => {
      const own = tests[owners[n]];
      if (!own) return false;
      const place = n - starts[owners[n]];
      for (const test of own) if (!test(place)) return false;
      if (filters.pictured && !(textsOf(n)?.pictures?.length)) return false;
      return !filters.text || hasWords(n, filters.text);
    });
    at("count").textContent = `${found.length} question${found.length === 1 ? "" : "s"}${counts()}`;
    at("list").scrollTop = 0;
    draw(true);
  }

  // How many of the found questions each run answered rightly.
  function counts() {
    if (!found.length) return "";
    const rights = new Int32Array(index.runs.length);
    const asked = new Int32Array(index.runs.length);
    for (const n of found) {
      const task = taskOf(n);
      const place = n - starts[owners[n]];
      for (let r = 0; r < task.runs.length; r += 1) {
        const own = task.verdicts[r].charCodeAt(place);
        if (own === 32) continue; // a space: not asked
        asked[task.runs[r]] += 1;
        if (own === 114) rights[task.runs[r]] += 1; // r
      }
    }
    const lines = index.runs.flatMap((run, r) => (asked[r] ? [`${run} ${rights[r]} of ${asked[r]} right`] : []));
    return lines.length ? `: ${lines.join("; ")}` : "";
  }

  // ---- the list: only the lines in sight are drawn

  const spacer = make("div", "spacer");
  spacer.setAttribute("role", "presentation");
  at("list").append(spacer);
  let drawnFrom = -1;
  let drawnTo = -1;

  function draw(anew) {
    const box = at("list");
    spacer.style.height = `${found.length * ROW}px`;
    const from = Math.max(0, Math.floor(box.scrollTop / ROW) - 5);
    const to = Math.min(found.length, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + 5);
    if (!anew && from === drawnFrom && to === drawnTo) return;
    drawnFrom = from;
    drawnTo = to;
    const rows = [];
    for (let i = from; i < to; i += 1) rows.push(line(i));
    spacer.replaceChildren(...rows);
    const active = spacer.querySelector("[aria-selected=true]");
    if (active) box.setAttribute("aria-activedescendant", active.id);
    else box.removeAttribute("aria-activedescendant");
  }

  function line(i) {
    const n = found[i];
    const task = taskOf(n);
    const place = n - starts[owners[n]];
    const row = make("div", "row");
    row.id = `row-${n}`;
    row.style.top = `${i * ROW}px`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(n === current));
    row.setAttribute("aria-posinset", String(i + 1));
    row.setAttribute("aria-setsize", String(found.length));
    row.dataset.number = String(n);
    const signs = make("span", "signs");
    task.runs.forEach((run, r) => {
      const letter = task.verdicts[r][place];
      const sign = make("span", `v-${NAMES[letter].replace(" ", "-")}`, SIGNS[letter]);
      sign.title = `${index.runs[run]}: ${NAMES[letter]}`;
      signs.append(sign);
    });
    // Its end is what tells it from its neighbours: the line is cut at its start, and reads as it is.
    const name = make("span", "name");
    name.append(make("bdi", "", idOf(n)));
    row.append(name, make("small", "", task.task), signs);
    return row;
  }

  function reveal(i) {
    const box = at("list");
    const top = i * ROW;
    if (top < box.scrollTop || top + ROW > box.scrollTop + box.clientHeight) box.scrollTop = Math.max(0, top - box.clientHeight / 2);
    draw(true);
  }

  // ---- one question

  function block(title, text) {
    const part = make("div");
    part.append(make("h4", "", title), make("pre", "", text === "" ? "(empty)" : text));
    return part;
  }

  function pictures(entry, box) {
    if (entry.pictures && entry.pictures.length) {
      const all = make("div", "pictures");
      for (const [number, label] of entry.pictures) {
        const button = make("button");
        button.type = "button";
        button.title = "Enlarge";
        const image = make("img");
        image.src = chunkOf("pictures", number);
        image.alt = label;
        button.append(image, make("span", "", label));
        button.addEventListener("click", () => enlarge(image.src, label));
        all.append(button);
      }
      box.append(all);
    }
  }

  function enlarge(source, label) {
    const image = make("img");
    image.src = source;
    image.alt = label;
    at("zoom-title").textContent = label;
    at("zoom").querySelector(".tools").hidden = true;
    at("zoomed").onwheel = null;
    at("zoomed").replaceChildren(image);
    at("zoom").showModal();
  }

  function timeline(entry, box) {
    const known = entry.answers.find((one) => Array.isArray(one.record.windows) && Number.isFinite(one.record.duration));
    if (!known) return;
    const isSpan = (one) => Array.isArray(one) && one.length === 2 && one.every(Number.isFinite);
    const rows = [{ name: "truth", spans: known.record.windows.filter(isSpan), colour: "var(--c2)" }];
    for (const answer of entry.answers) {
      const spans = Array.isArray(answer.record.spans) ? answer.record.spans.filter(isSpan) : [];
      rows.push({ name: index.runs[answer.run], spans, colour: "var(--c1)" });
    }
    const place = make("div", "spans");
    box.append(make("h4", "", "Spans, in seconds"), place);
    place.append(window.tempbenchSpans(rows, known.record.duration, Math.min(640, box.clientWidth - 36)));
  }

  function answered(answer, letter, how) {
    const part = make("section", "answer");
    const title = make("h4", "who");
    title.append(make("span", `v-${NAMES[letter].replace(" ", "-")}`, `${SIGNS[letter]} ${NAMES[letter]} `), make("b", "", index.runs[answer.run]));
    if (how && how !== " ") title.append(" ", make("span", "tag", how));
    part.append(title);
    if (answer.prompt !== undefined) part.append(block("Its prompt differs", answer.prompt));
    part.append(block("Reply", answer.reply));
    const value = answer.record.answer !== undefined ? answer.record.answer : answer.record.prediction;
    if (value !== undefined) part.append(block("What was read", value === null ? "nothing" : words(value)));
    if (answer.whole) part.append(make("p", "note", `Long texts are cut here; whole in ${answer.whole}.`));
    const details = make("details");
    details.append(make("summary", "", "Record"));
    const facts = make("dl");
    for (const [name, one] of Object.entries(answer.record)) facts.append(make("dt", "", name), make("dd", "", words(one)));
    details.append(facts);
    part.append(details);
    return part;
  }

  function show(n) {
    current = n;
    const box = at("question");
    box.replaceChildren();
    box.scrollTop = 0;
    if (n < 0) return;
    const task = taskOf(n);
    const place = n - starts[owners[n]];
    const title = make("h3");
    const link = make("a", "", idOf(n));
    link.href = `#q=${keyOf(n)}`;
    title.append(link);
    const steps = make("div", "steps");
    const here = found.indexOf(n);
    for (const [by, text] of [[-1, "← previous"], [1, "next →"]]) {
      const button = make("button", "", text);
      button.type = "button";
      button.disabled = here < 0 || here + by < 0 || here + by >= found.length;
      button.addEventListener("click", () => step(by));
      steps.append(button);
    }
    box.append(steps, title, make("div", "note", `${task.task}${here < 0 ? "" : `, ${here + 1} of ${found.length}`}`));
    const entry = wholeOf(n);
    if (!entry) {
      const list = make("ul", "note");
      task.runs.forEach((run, r) => list.append(make("li", "", `${index.runs[run]}: ${NAMES[task.verdicts[r][place]]}${task.words[ALPHABET.indexOf(task.hows[r][place])] === " " ? "" : `, ${task.words[ALPHABET.indexOf(task.hows[r][place])]}`}`)));
      box.append(list, make("p", "note", `The texts and pictures of this question were left out for the page's size. More of them: tempbench report ... --questions ${total} --size-budget 200`));
      return;
    }
    pictures(entry, box);
    if (entry.note) box.append(make("p", "note", entry.note));
    if (entry.out) box.append(make("p", "note left-out", `Its pictures were left out for the page's size. To see them: tempbench show ${task.task} --doc ${entry.doc} -o question.html; or more in the page: tempbench report ... --size-budget 200`));
    if (entry.whole) box.append(make("p", "note", `Long texts are cut here; whole in ${entry.whole}.`));
    box.append(block("Prompt", entry.prompt));
    const right = make("div", "pair");
    right.append(block("A right reply", entry.target));
    const gold = entry.answers.map((one) => one.record.gold).find((one) => one !== undefined);
    if (gold !== undefined) right.append(block("What is right", words(gold)));
    box.append(right);
    timeline(entry, box);
    const side = make("div", "side");
    for (const answer of entry.answers) {
      const r = task.runs.indexOf(answer.run);
      side.append(answered(answer, task.verdicts[r][place], task.words[ALPHABET.indexOf(task.hows[r][place])]));
    }
    box.append(side);
    // Who has no mouse scrolls a long text when it has the focus.
    for (const one of box.querySelectorAll("pre")) {
      if (one.scrollHeight <= one.clientHeight) continue;
      one.tabIndex = 0;
      one.setAttribute("role", "region");
      one.setAttribute("aria-label", one.previousSibling.textContent);
    }
  }

  function go(n) {
    if (n === undefined || n < 0) return;
    history.replaceState(null, "", `#q=${keyOf(n)}`);
    show(n);
    const i = found.indexOf(n);
    if (i >= 0) reveal(i);
  }

  function step(by) {
    const i = found.indexOf(current);
    go(found[i < 0 ? 0 : Math.min(Math.max(i + by, 0), found.length - 1)]);
  }

  // The page moves only where the browser of questions is out of sight.
  function bring() {
    const box = at("browser").getBoundingClientRect();
    if (box.bottom < 120 || box.top > window.innerHeight - 120) at("questions").scrollIntoView();
  }

  // ---- links into the page

  const byKey = new Map();
  function numberOf(key) {
    if (!byKey.size) for (let n = 0; n < total; n += 1) byKey.set(keyOf(n), n);
    return byKey.get(key);
  }

  function follow() {
    const hash = location.hash;
    if (hash.startsWith("#find=")) {
      const wanted = new URLSearchParams(hash.slice(6).replace(/\+/g, "%2B"));
      at("filters").reset();
      for (const [name, value] of wanted) if (["task", "run", "verdict", "run2", "verdict2", "how"].includes(name)) at(name).value = value;
      showFacets();
      apply();
      show(found.length ? found[0] : -1);
      draw(true);
      at("questions").scrollIntoView();
      return true;
    }
    if (hash.startsWith("#q=")) {
      const n = numberOf(hash.slice(3));
      if (n === undefined) {
        current = -1;
        at("question").replaceChildren(make("p", "bad", "The question of this link is not in this report."));
      } else {
        if (!found.includes(n)) {
          at("filters").reset();
          showFacets();
          apply();
        }
        go(n);
      }
      at("questions").scrollIntoView();
      return true;
    }
    const place = hash.length > 1 && document.getElementById(decodeURIComponent(hash.slice(1)));
    if (place && place.tagName === "DETAILS") {
      place.open = true;
      place.scrollIntoView();
    }
    return false;
  }

  at("filters").addEventListener("submit", (event) => event.preventDefault());
  let waiting = 0;
  function changed() {
    apply();
    show(found.includes(current) ? current : found.length ? found[0] : -1);
    draw(true);
  }
  at("filters").addEventListener("input", (event) => {
    if (event.target.id === "task") showFacets();
    changed();
  });
  at("filters").addEventListener("reset", () => setTimeout(() => {
    showFacets();
    changed();
  }));
  at("list").addEventListener("scroll", () => {
    if (!waiting) waiting = requestAnimationFrame(() => {
      waiting = 0;
      draw(false);
    });
  });
  new ResizeObserver(() => draw(false)).observe(at("list"));
  at("list").addEventListener("click", (event) => {
    const row = event.target.closest("[role=option]");
    if (row) go(Number(row.dataset.number));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || at("zoom").open) return;
    const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
    if (typing && event.key === "Escape") event.target.blur();
    if (typing) return;
    const inList = event.target === at("list");
    const page = Math.max(1, Math.floor(at("list").clientHeight / ROW) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -total, End: total };
    if (event.key === "j" || event.key === "k") {
      step(event.key === "j" ? 1 : -1);
      bring();
    } else if (inList && event.key in moves) step(moves[event.key]);
    else if (event.key === "/") {
      at("search").focus();
    } else return;
    event.preventDefault();
  });
  window.addEventListener("hashchange", follow);

  showFacets();
  apply();
  if (!follow()) {
    show(found.length ? found[0] : -1);
    draw(true);
  }
})();
