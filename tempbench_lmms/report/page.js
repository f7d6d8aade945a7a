"use strict";
// The browser of single questions. Its lists hold every question; texts and pictures are read when looked at.
(() => {
  const at = (id) => document.getElementById(id);
  const index = JSON.parse(at("data").textContent);
  const MOST = 300; // lines of the list at a time
  const SIGNS = { r: "✓", w: "✗", u: "?", f: "!", " ": "·" };
  const NAMES = { r: "right", w: "wrong", u: "unparsed", f: "failed", " ": "not asked" };

  // Text is only ever set as text: replies are a model's words and may look like markup.
  const make = (name, kind, ...content) => {
    const element = document.createElement(name);
    if (kind) element.className = kind;
    element.append(...content);
    return element;
  };
  const note = (text) => make("p", "note", text);
  const words = (value) => (typeof value === "string" ? value : JSON.stringify(value));

  // ---- what there is

  const chunks = new Map();
  function chunkOf(kind, number) {
    const name = `${kind}-${Math.floor(number / index.chunk)}`;
    if (!chunks.has(name)) chunks.set(name, JSON.parse(at(name).textContent));
    return chunks.get(name)[number % index.chunk];
  }

  // All questions of all tasks in one order: number n is question n - starts[t] of task t.
  const starts = [];
  let total = 0;
  for (const task of index.tasks) {
    starts.push(total);
    total += task.ids.length;
  }
  const owners = new Uint16Array(total);
  index.tasks.forEach((task, t) => owners.fill(t, starts[t], starts[t] + task.ids.length));
  const told = new Int32Array(total).fill(-1);
  index.told.forEach(([t, place], number) => (told[starts[t] + place] = number));
  const taskOf = (n) => index.tasks[owners[n]];
  const placeOf = (n) => n - starts[owners[n]];
  const idOf = (n) => taskOf(n).ids[placeOf(n)];
  const howOf = (task, r, place) => task.words[task.hows[r][place]];
  const keyOf = (n) => [taskOf(n).task, idOf(n)].map(encodeURIComponent).join("/");

  // Questions that a run got wrong come first, of these the ones with texts.
  const ranks = [[], [], [], []];
  for (let n = 0; n < total; n += 1) {
    const wrong = taskOf(n).verdicts.some((one) => !"r ".includes(one[placeOf(n)]));
    ranks[(wrong ? 0 : 2) + (told[n] < 0 ? 1 : 0)].push(n);
  }
  const order = Int32Array.from(ranks.flat());
  let found = order;
  let current = -1;

  // ---- filters

  const fill = (id, first, options) =>
    at(id).append(new Option(first, ""), ...options.map(([value, text]) => new Option(text, value)));
  fill("task", `all (${total})`, index.tasks.map((task, t) => [t, task.task]));
  fill("run", "any", [...index.runs.entries()]);
  fill("run2", "any", [...index.runs.entries()]);
  const ways = [...new Set(index.tasks.flatMap((task) => task.words))].filter(Boolean).sort();
  fill("how", "all", ways.map((one) => [one, one]));
  at("second").hidden = index.runs.length < 2;
  const facetSelects = () => [...at("facets").querySelectorAll("select")];

  // Fields that all chosen tasks have.
  function showFacets() {
    const chosen = at("task").value;
    const tasks = chosen === "" ? index.tasks : [index.tasks[Number(chosen)]];
    const kept = new Map(facetSelects().map((one) => [one.dataset.field, one.value]));
    at("facets").replaceChildren();
    for (const name of Object.keys(tasks.length ? tasks[0].facets : {})) {
      if (!tasks.every((task) => name in task.facets)) continue;
      const values = [...new Set(tasks.flatMap((task) => task.facets[name].values))].sort();
      const select = make("select", "", new Option("all", ""), ...values.map((one) => new Option(one)));
      select.dataset.field = name;
      if (values.includes(kept.get(name))) select.value = kept.get(name);
      at("facets").append(make("label", "", name, select));
    }
  }

  // Tests of a question's place, made once a task: a page may hold half a million answers.
  function testsOf(task) {
    const tests = [];
    for (const [run, verdict, how] of [["run", "verdict", "how"], ["run2", "verdict2", ""]]) {
      const wanted = at(run).value;
      const letter = (at(verdict).value || " ")[0];
      const code = how && at(how).value ? task.words.indexOf(at(how).value) : 0;
      if (wanted === "" && letter === " " && !code) continue;
      const runs = [...task.runs.keys()].filter((r) => wanted === "" || task.runs[r] === Number(wanted));
      tests.push((place) => runs.some((r) => {
        const own = task.verdicts[r][place];
        return own !== " " && (letter === " " || own === letter) && (!code || task.hows[r][place] === code);
      }));
    }
    for (const select of facetSelects().filter((one) => one.value)) {
      const facet = task.facets[select.dataset.field];
      const codes = facet.sets.flatMap((one, code) => (one.includes(select.value) ? [code] : []));
      tests.push((place) => codes.includes(facet.codes[place]));
    }
    return tests;
  }

  // What is searched, in small letters: ids, and the prompts and replies that are in the page.
  const searched = [];
  function hasWords(n, text) {
    if (idOf(n).toLowerCase().includes(text)) return true;
    const number = told[n];
    if (number < 0) return false;
    if (searched[number] === undefined) {
      const { prompt, answers } = chunkOf("texts", number);
      const texts = [prompt, ...answers.flatMap((one) => [one.prompt || "", one.reply])];
      searched[number] = texts.join("\n").toLowerCase();
    }
    return searched[number].includes(text);
  }

  function apply() {
    const task = at("task").value;
    const text = at("search").value.trim().toLowerCase();
    const pictured = at("pictured").checked;
    const isAsked = (t) => task === "" || t === Number(task);
    const tests = index.tasks.map((one, t) => (isAsked(t) ? testsOf(one) : [() => false]));
    found = order.filter((n) => {
      if (!tests[owners[n]].every((test) => test(placeOf(n)))) return false;
      if (pictured && !(told[n] >= 0 && chunkOf("texts", told[n]).pictures?.length)) return false;
      return !text || hasWords(n, text);
    });
    at("count").textContent = `${found.length} question${found.length === 1 ? "" : "s"}${counts()}`;
  }

  // How many of the found questions each run answered rightly.
  function counts() {
    const rights = index.runs.map(() => [0, 0]);
    for (const n of found) {
      taskOf(n).runs.forEach((run, r) => {
        const own = taskOf(n).verdicts[r][placeOf(n)];
        if (own === "r") rights[run][0] += 1;
        if (own !== " ") rights[run][1] += 1;
      });
    }
    const lines = rights.map(([right, of], r) => of && `${index.runs[r]} ${right} of ${of} right`);
    return lines.some(Boolean) ? `: ${lines.filter(Boolean).join("; ")}` : "";
  }

  // ---- the list: as many lines as are quickly drawn, the question that is shown among them

  function draw() {
    const from = Math.floor(Math.max(0, found.indexOf(current)) / MOST) * MOST;
    const shown = [...found.slice(from, from + MOST)];
    const rows = shown.map((n, i) => line(n, from + i));
    at("list").replaceChildren(...rows);
    if (found.length > MOST) {
      const row = make("div", "row note", `${from + 1} to ${from + shown.length} of ${found.length}`);
      row.setAttribute("role", "presentation");
      at("list").append(row);
    }
    const active = rows[shown.indexOf(current)];
    if (active) {
      at("list").setAttribute("aria-activedescendant", active.id);
      const [box, own] = [at("list").getBoundingClientRect(), active.getBoundingClientRect()];
      if (own.top < box.top || own.bottom > box.bottom) at("list").scrollTop += own.top - box.top;
    } else at("list").removeAttribute("aria-activedescendant");
  }

  const signed = (letter, text) => make("span", `v-${NAMES[letter].replace(" ", "-")}`, text);

  function line(n, i) {
    const task = taskOf(n);
    const signs = make("span", "signs");
    task.runs.forEach((run, r) => {
      const letter = task.verdicts[r][placeOf(n)];
      const sign = signed(letter, SIGNS[letter]);
      sign.title = `${index.runs[run]}: ${NAMES[letter]}`;
      signs.append(sign);
    });
    // Its end is what tells it from its neighbours: the line is cut at its start, and reads as it is.
    const name = make("span", "name", make("bdi", "", idOf(n)));
    const row = make("div", "row", name, make("small", "", task.task), signs);
    row.id = `row-${n}`;
    row.dataset.number = String(n);
    const states = { role: "option", "aria-selected": n === current, "aria-posinset": i + 1 };
    for (const [state, value] of Object.entries(states)) row.setAttribute(state, String(value));
    row.setAttribute("aria-setsize", String(found.length));
    return row;
  }

  // ---- one question

  function block(title, text) {
    return make("div", "", make("h4", "", title), make("pre", "", text === "" ? "(empty)" : text));
  }

  function pictured([number, label]) {
    const image = make("img");
    image.src = chunkOf("pictures", number);
    image.alt = label;
    const button = make("button", "", image, make("span", "", label));
    button.type = "button";
    button.title = "Enlarge";
    button.addEventListener("click", () => {
      at("zoom-title").textContent = label;
      at("zoomed").replaceChildren(image.cloneNode());
      at("zoom").showModal();
    });
    return button;
  }
  at("close").addEventListener("click", () => at("zoom").close());

  function timeline(records, runs, box) {
    const known = records.find((one) => Array.isArray(one.windows) && Number.isFinite(one.duration));
    if (!known) return;
    const spansOf = (value) => (Array.isArray(value) ? value : []).filter(
      (one) => Array.isArray(one) && one.length === 2 && one.every(Number.isFinite),
    );
    const rowOf = (name, spans, colour) => ({ name, spans: spansOf(spans), colour });
    const rows = records.map((one, r) => rowOf(runs[r], one.spans, "var(--c1)"));
    rows.unshift(rowOf("truth", known.windows, "var(--c2)"));
    const place = make("div", "spans");
    box.append(make("h4", "", "Spans, in seconds"), place);
    place.append(window.tempbenchSpans(rows, known.duration, Math.min(640, box.clientWidth - 36)));
  }

  const cutNote = (where) => note(`Long texts are cut here; whole in ${where}.`);

  function answered(answer, record, letter, how) {
    const title = make("h4", "who", signed(letter, `${SIGNS[letter]} ${NAMES[letter]} `));
    title.append(make("b", "", index.runs[answer.run]));
    if (how) title.append(" ", make("span", "tag", how));
    const part = make("section", "answer", title);
    if (answer.prompt !== undefined) part.append(block("Its prompt differs", answer.prompt));
    part.append(block("Reply", answer.reply));
    const value = record.answer !== undefined ? record.answer : record.prediction;
    if (value !== undefined) part.append(block("What was read", value === null ? "nothing" : words(value)));
    if (answer.whole) part.append(cutNote(answer.whole));
    const facts = make("dl");
    for (const [name, one] of Object.entries(answer.record)) {
      facts.append(make("dt", "", name), make("dd", "", words(one)));
    }
    part.append(make("details", "", make("summary", "", "Record"), facts));
    return part;
  }

  function step(by) {
    const i = found.indexOf(current);
    go(found[i < 0 ? 0 : Math.min(Math.max(i + by, 0), found.length - 1)]);
  }

  function show(n) {
    current = n;
    draw();
    const box = at("question");
    box.replaceChildren();
    box.scrollTop = 0;
    if (n < 0) return;
    const [task, place, here] = [taskOf(n), placeOf(n), found.indexOf(n)];
    const link = make("a", "", idOf(n));
    link.href = `#q=${keyOf(n)}`;
    const steps = make("div", "steps");
    for (const [by, text] of [[-1, "← previous"], [1, "next →"]]) {
      const button = make("button", "", text);
      button.type = "button";
      button.disabled = here < 0 || here + by < 0 || here + by >= found.length;
      button.addEventListener("click", () => step(by));
      steps.append(button);
    }
    const where = `${task.task}${here < 0 ? "" : `, ${here + 1} of ${found.length}`}`;
    box.append(steps, make("h3", "", link), make("div", "note", where));
    if (told[n] < 0) {
      const list = make("ul", "note");
      task.runs.forEach((run, r) => {
        const said = [NAMES[task.verdicts[r][place]], howOf(task, r, place)].filter(Boolean).join(", ");
        list.append(make("li", "", `${index.runs[run]}: ${said}`));
      });
      const more = `tempbench report ... --questions ${total} --size-budget 200`;
      box.append(list, note(`Its texts and pictures were left out for the page's size. More: ${more}`));
      return;
    }
    const entry = chunkOf("texts", told[n]);
    // What all answers' records say alike stands once, with the question.
    const records = entry.answers.map((one) => ({ ...entry.record, ...one.record }));
    if (entry.pictures?.length) box.append(make("div", "pictures", ...entry.pictures.map(pictured)));
    if (entry.note) box.append(note(entry.note));
    if (entry.out) {
      const how = `tempbench show ${task.task} --doc ${entry.doc} -o question.html`;
      box.append(note(`Its pictures were left out for the page's size. To see them: ${how}`));
    }
    if (entry.whole) box.append(cutNote(entry.whole));
    const right = make("div", "pair", block("A right reply", entry.target));
    const gold = records.map((one) => one.gold).find((one) => one !== undefined);
    if (gold !== undefined) right.append(block("What is right", words(gold)));
    box.append(block("Prompt", entry.prompt), right);
    timeline(records, entry.answers.map((one) => index.runs[one.run]), box);
    const side = make("div", "side");
    entry.answers.forEach((answer, a) => {
      const r = task.runs.indexOf(answer.run);
      side.append(answered(answer, records[a], task.verdicts[r][place], howOf(task, r, place)));
    });
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
  }

  // ---- links into the page

  function refresh() {
    apply();
    show(found.includes(current) ? current : found.length ? found[0] : -1);
  }

  function reset(values = []) {
    at("filters").querySelectorAll("select, input").forEach((one) => {
      one.value = "";
      one.checked = false;
    });
    for (const [name, value] of values) at(name).value = value;
    showFacets();
    refresh();
  }

  function follow() {
    const hash = location.hash;
    if (hash.startsWith("#find=")) {
      const known = ["task", "run", "verdict", "run2", "verdict2", "how"];
      const wanted = new URLSearchParams(hash.slice(6).replace(/\+/g, "%2B"));
      reset([...wanted].filter(([name]) => known.includes(name)));
    } else if (hash.startsWith("#q=")) {
      const n = order.find((one) => keyOf(one) === hash.slice(3));
      if (n !== undefined && !found.includes(n)) reset();
      if (n !== undefined) go(n);
      else {
        show(-1);
        at("question").append(make("p", "bad", "The question of this link is not in this report."));
      }
    } else {
      const place = hash.length > 1 && at(decodeURIComponent(hash.slice(1)));
      if (place && place.tagName === "DETAILS") {
        place.open = true;
        place.scrollIntoView();
      }
      return false;
    }
    at("questions").scrollIntoView();
    return true;
  }

  at("filters").addEventListener("submit", (event) => event.preventDefault());
  at("filters").addEventListener("input", (event) => {
    if (event.target.id === "task") showFacets();
    refresh();
  });
  at("filters").addEventListener("reset", (event) => {
    event.preventDefault();
    reset();
  });
  at("list").addEventListener("click", (event) => {
    const row = event.target.closest("[role=option]");
    if (row) go(Number(row.dataset.number));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || at("zoom").open) return;
    const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
    if (typing && event.key === "Escape") event.target.blur();
    if (typing) return;
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -total, End: total };
    if (event.key === "j" || event.key === "k") {
      step(event.key === "j" ? 1 : -1);
      // The page moves only where the browser of questions is out of sight.
      const box = at("browser").getBoundingClientRect();
      if (box.bottom < 120 || box.top > window.innerHeight - 120) at("questions").scrollIntoView();
    } else if (event.target === at("list") && event.key in moves) step(moves[event.key]);
    else if (event.key === "/") at("search").focus();
    else return;
    event.preventDefault();
  });
  window.addEventListener("hashchange", follow);

  showFacets();
  apply();
  if (!follow()) show(found.length ? found[0] : -1);
})();
