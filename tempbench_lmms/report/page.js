"use strict";
// The browser of single questions: its list holds every question, texts and pictures are of some.
(() => {
  const at = (id) => document.getElementById(id);
  const read = (id) => JSON.parse(at(id).textContent);
  const [index, texts, pictures] = ["data", "texts", "pictures"].map(read);
  const MOST = 300; // lines of the list at a time
  const SIGNS = { r: "✓", w: "✗", u: "?", f: "!", a: "–", " ": "·" };
  const NAMES = { r: "right", w: "wrong", u: "unparsed", f: "failed", a: "answered", " ": "not asked" };

  // Text is only ever set as text: replies are a model's words and may look like markup.
  const make = (name, kind, ...content) => {
    const element = document.createElement(name);
    if (kind) element.className = kind;
    element.append(...content);
    return element;
  };
  const note = (text) => make("p", "note", text);
  const words = (value) => (typeof value === "string" ? value : JSON.stringify(value));

  // Questions that a run got wrong come first, of these the ones with texts.
  const all = index.tasks.flatMap((task, t) => task.ids.map((id, place) => ({ t, task, id, place })));
  const starts = index.tasks.map((task, t) => all.findIndex((one) => one.t === t));
  index.told.forEach(([t, place], number) => (all[starts[t] + place].entry = texts[number]));
  all.forEach((one, n) => {
    const isWrong = one.task.verdicts.some((letters) => !"r ".includes(letters[one.place]));
    Object.assign(one, { n, rank: (isWrong ? 0 : 2) + (one.entry ? 0 : 1) });
  });
  const order = [...all].sort((one, other) => one.rank - other.rank);
  const keyOf = ({ task, id }) => [task.task, id].map(encodeURIComponent).join("/");
  const howOf = ({ task, place }, r) => task.words[task.hows[r][place]];
  let found = order;
  let current = null;

  // ---- filters

  const fill = (id, first, options) =>
    at(id).append(new Option(first, ""), ...options.map(([value, text]) => new Option(text, value)));
  fill("task", `all (${all.length})`, index.tasks.map((task, t) => [t, task.task]));
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
      const code = facet.values.indexOf(select.value);
      tests.push((place) => facet.codes[place].includes(code));
    }
    return tests;
  }

  // What is searched, in small letters: ids, and the prompts and replies that are in the page.
  function hasWords(one, text) {
    if (one.searched === undefined) {
      const { prompt = "", answers = [] } = one.entry || {};
      const replies = answers.flatMap((answer) => [answer.prompt || "", answer.reply]);
      one.searched = [one.id, prompt, ...replies].join("\n").toLowerCase();
    }
    return one.searched.includes(text);
  }

  function apply() {
    const task = at("task").value;
    const text = at("search").value.trim().toLowerCase();
    const pictured = at("pictured").checked;
    const isAsked = (t) => task === "" || t === Number(task);
    const tests = index.tasks.map((one, t) => (isAsked(t) ? testsOf(one) : [() => false]));
    found = order.filter((one) => tests[one.t].every((test) => test(one.place))
      && (!pictured || one.entry?.pictures?.length) && (!text || hasWords(one, text)));
    at("count").textContent = `${found.length} question${found.length === 1 ? "" : "s"}${counts()}`;
  }

  // How many of the found questions each run answered rightly.
  function counts() {
    const rights = index.runs.map(() => [0, 0]);
    for (const { task, place } of found) {
      task.runs.forEach((run, r) => {
        const own = task.verdicts[r][place];
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
    const shown = found.slice(from, from + MOST);
    const rows = shown.map((one, i) => line(one, from + i));
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

  function line(one, i) {
    const { task, place, id, entry } = one;
    const signs = make("span", "signs");
    index.runs.forEach((run, number) => {
      const r = task.runs.indexOf(number);
      const letter = r < 0 ? " " : task.verdicts[r][place];
      const sign = signed(letter, SIGNS[letter]);
      sign.title = `${run}: ${NAMES[letter]}`;
      signs.append(sign);
    });
    const name = make("span", "name", entry?.words || id);
    const row = make("div", "row", name, make("small", "", task.task), signs);
    row.title = id;
    row.id = `row-${one.n}`;
    const states = { role: "option", "aria-selected": one === current, "aria-posinset": i + 1 };
    for (const [state, value] of Object.entries(states)) row.setAttribute(state, String(value));
    row.setAttribute("aria-setsize", String(found.length));
    row.addEventListener("click", () => go(one));
    return row;
  }

  // What the signs say, above them: the runs by number, as many columns as there are runs.
  const columns = index.runs.map((run, r) => (index.runs.length > 1 ? `${r + 1} ${run}` : run)).join(", ");
  const numbers = make("span", "signs", ...index.runs.map((run, r) => make("span", "", String(r + 1))));
  at("head").append(make("span", "name", "Question"), numbers);
  at("signs").append(`Signs, by run: ${columns}. ✓ right, ✗ wrong, ? unread, ! failed, – no score of its own, · not asked.`);

  // ---- one question

  function block(title, text) {
    return make("div", "", make("h4", "", title), make("pre", "", text === "" ? "(empty)" : text));
  }

  function pictured([number, label]) {
    const image = make("img");
    image.src = pictures[number];
    image.alt = label;
    const button = make("button", "", image, make("span", "", label));
    button.type = "button";
    button.title = "Enlarge";
    button.addEventListener("click", () => button.classList.toggle("large"));
    return button;
  }

  // Spans of time as bars, the right ones first.
  function timeline(answers) {
    const known = answers.map((one) => one.record)
      .find((one) => Array.isArray(one.windows) && Number.isFinite(one.duration));
    if (!known) return [];
    const isSpan = (one) => Array.isArray(one) && one.length === 2 && one.every(Number.isFinite);
    const spansOf = (value) => (Array.isArray(value) ? value : []).filter(isSpan);
    const rows = answers.map((one) => [index.runs[one.run], spansOf(one.record.spans)]);
    rows.unshift(["right", spansOf(known.windows)]);
    const end = Math.max(known.duration, ...rows.flatMap(([, spans]) => spans.flat()));
    const lines = rows.flatMap(([name, spans]) => {
      const bar = make("div", "spans");
      for (const [from, to] of spans) {
        const span = make("i", name === "right" ? "truth" : "");
        span.style.left = `${(100 * from) / end}%`;
        span.style.width = `${Math.max(0.5, (100 * (to - from)) / end)}%`;
        bar.append(span);
      }
      const said = spans.map(([from, to]) => `${from} to ${to} s`).join(", ");
      return [make("span", "", name), bar, make("span", "", said || "none")];
    });
    return [make("h4", "", `Spans, of ${known.duration} s`), make("div", "timeline", ...lines)];
  }

  function answered(answer, letter, how) {
    const title = make("h4", "who", signed(letter, `${SIGNS[letter]} ${NAMES[letter]} `));
    title.append(make("b", "", index.runs[answer.run]));
    const part = make("section", "answer", title, block("Reply", answer.reply));
    const { answer: chosen, prediction } = answer.record;
    const value = chosen !== undefined ? chosen : prediction;
    const read = value === undefined || value === null ? "" : `read as ${words(value)}`;
    if (read || how) part.append(note([read, how].filter(Boolean).join(", by rule: ")));
    if (answer.prompt !== undefined) part.append(block("Its prompt differs", answer.prompt));
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

  function show(one) {
    current = one;
    draw();
    const box = at("question");
    box.replaceChildren();
    box.scrollTop = 0;
    if (!one) return;
    const { task, place, id, entry } = one;
    const here = found.indexOf(one);
    const link = make("a", "", id);
    link.href = `#q=${keyOf(one)}`;
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
    if (!entry) {
      const said = task.runs.map((run, r) =>
        `${index.runs[run]}: ${[NAMES[task.verdicts[r][place]], howOf(one, r)].filter(Boolean).join(", ")}`);
      const more = `tempbench report ... --questions ${all.length} --size-budget 200`;
      box.append(make("ul", "note", ...said.map((text) => make("li", "", text))));
      box.append(note(`Its texts and pictures were left out for the page's size. More: ${more}`));
      return;
    }
    const side = make("div", "side");
    for (const answer of entry.answers) {
      const r = task.runs.indexOf(answer.run);
      side.append(answered(answer, task.verdicts[r][place], howOf(one, r)));
    }
    box.append(side, block("A right reply", entry.target), block("Prompt", entry.prompt), ...timeline(entry.answers));
    if (entry.pictures?.length) box.append(make("div", "pictures", ...entry.pictures.map(pictured)));
    if (entry.note) box.append(note(entry.note));
    if (entry.out) {
      const how = `tempbench show ${task.task} --doc ${entry.doc} -o question.html`;
      box.append(note(`Its pictures were left out for the page's size. To see them: ${how}`));
    }
    // Who has no mouse scrolls a long text when it has the focus.
    for (const text of box.querySelectorAll("pre")) {
      if (text.scrollHeight <= text.clientHeight) continue;
      text.tabIndex = 0;
      text.setAttribute("role", "region");
      text.setAttribute("aria-label", text.previousSibling.textContent);
    }
  }

  function go(one) {
    if (!one) return;
    history.replaceState(null, "", `#q=${keyOf(one)}`);
    show(one);
  }

  // ---- tables: a click on a heading sorts the rows by its column, largest first, then smallest

  function sortable(table) {
    if (table.querySelector(".group")) return;
    const heads = [...table.tHead.rows].pop().cells;
    const valueOf = (row, i) => {
      const text = row.cells[i].querySelector("data")?.value ?? row.cells[i].textContent.trim();
      const number = parseFloat(text.replace(/,/g, ""));
      return i === 0 ? text : Number.isNaN(number) ? -Infinity : number;
    };
    const compared = (one, other) => (one < other ? -1 : Number(one > other));
    [...heads].forEach((head, i) => {
      if (!head.textContent.trim()) return;
      const button = make("button", "", ...head.childNodes);
      button.type = "button";
      button.title = "Sort";
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const isDown = head.getAttribute("aria-sort") !== "descending";
        for (const one of heads) one.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", isDown ? "descending" : "ascending");
        for (const body of table.tBodies) {
          const rows = [...body.rows].filter((row) => row.className.startsWith("ours"));
          const sign = isDown ? -1 : 1;
          const sorted = [...rows].sort((one, other) => sign * compared(valueOf(one, i), valueOf(other, i)));
          const end = rows.at(-1)?.nextSibling;
          for (const row of sorted) body.insertBefore(row, end);
        }
      });
    });
  }
  document.querySelectorAll("#overview table.main, section > .scroll > table.main").forEach(sortable);

  // ---- links into the page

  function refresh() {
    apply();
    show(found.includes(current) ? current : found[0]);
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
      const one = order.find((each) => keyOf(each) === hash.slice(3));
      if (one && !found.includes(one)) reset();
      if (one) go(one);
      else {
        show(null);
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
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
    if (typing && event.key === "Escape") event.target.blur();
    if (typing) return;
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
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
  if (!follow()) show(found[0]);
})();
