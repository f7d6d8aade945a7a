"use strict";
// Draws the page's plots with Observable Plot from the values that stand in it.
(() => {
  const data = JSON.parse(document.getElementById("plots").textContent);
  // The colours of Okabe and Ito, each with a symbol and a line of its own. Of more runs than colours, those
  // of one colour differ in both.
  const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "wye", "cross"];
  const DASHES = [undefined, "6 3", "2 2", "8 3 2 3", "1 3", "10 4", "4 8"];
  const N_COLOURS = 6;
  const CHANCE = { stroke: "currentColor", strokeDasharray: "4 3" };
  // Widths of texts as the page draws them, in pixels.
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const wide = (text) => pen.measureText(text).width;
  const cut = (text, width) => {
    let end = text.length;
    while (end > 1 && wide(text.slice(0, end)) > width - (end < text.length ? 12 : 0)) end -= 1;
    return end < text.length ? `${text.slice(0, end)}…` : text;
  };
  // As the tables (`record.decimals`): a value that lies halfway, 0.0625, goes away from zero.
  const number = (value) => value.toFixed(Math.abs(value) < 10 ? 3 : 1);
  window.tempbenchNumber = number;

  const lookOf = (one) => (one.slot === null
    ? { colour: "var(--soft)", symbol: "cross", dash: "3 3" }
    : {
      colour: `var(--c${one.slot % N_COLOURS})`,
      symbol: SYMBOLS[(one.slot + Math.floor(one.slot / N_COLOURS)) % SYMBOLS.length],
      dash: DASHES[(one.slot + Math.floor(one.slot / N_COLOURS)) % DASHES.length],
    });

  const pointsOf = (figure, s) => figure.series[s].points.flatMap((one, c) => {
    if (one === null) return [];
    const [value, low, high, n] = one;
    return [{ c, value, low, high, n, category: figure.categories[c], name: figure.series[s].name }];
  });
  function tip(one) {
    const range = one.low === null ? "" : ` [${number(one.low)}, ${number(one.high)}]`;
    const where = [one.name, one.category].filter(Boolean).join(", ");
    return `${where}\n${number(one.value)}${range}${one.n === null ? "" : `, n ${one.n}`}`;
  }

  function domainOf(figure, more = []) {
    const values = [...more, ...figure.chance.filter((one) => one !== null)];
    for (const one of figure.series) {
      values.push(...one.points.flatMap((point) => (point || []).slice(0, 3)).filter(Number.isFinite));
    }
    const high = Math.max(...values, 0);
    return [Math.min(0, ...values), high <= 1 ? 1 : high * 1.05];
  }

  // One picture with one name: Plot names its groups too, which no reader of screens can use.
  function plot(label, width, height, margins, rest) {
    const [marginTop, marginRight, marginBottom, marginLeft] = margins;
    const style = { fontSize: "12px", fontFamily: "inherit", overflow: "hidden", background: "none" };
    const frame = { width, height, marginTop, marginRight, marginBottom, marginLeft, style };
    const svg = Plot.plot({ ...frame, className: "plot", ariaLabel: label, ...rest });
    svg.setAttribute("role", "img");
    svg.querySelectorAll("g[aria-label]").forEach((one) => one.removeAttribute("aria-label"));
    return svg;
  }

  // Names at the left of a plot, as wide as they need, in at most a share of it.
  function names(texts, width, share, y) {
    const left = Math.min(width * share, 16 + Math.max(0, ...texts.map(wide)));
    const text = (one) => cut(one, left - 12);
    const place = { y, frameAnchor: "left", dx: -8, textAnchor: "end", text, title: (one) => one };
    return [left, Plot.text(texts, place)];
  }

  function bars(figure, width, marks = []) {
    const n = figure.series.length;
    const step = n > 12 ? 5 : n > 3 ? 9 : 13;
    const block = n * step + 10;
    const bottom = block * figure.categories.length;
    const [left, labels] = names(figure.categories, width, 0.4, (one, c) => c * block + block / 2);
    const chance = figure.chance.flatMap((value, c) =>
      (value === null ? [] : [{ value, from: c * block, to: (c + 1) * block }]));
    const rules = { x: "value", y1: "from", y2: "to", clip: true };
    const drawn = [Plot.axisX({ ticks: 5, label: null }), Plot.gridX({ ticks: 5 }), labels];
    drawn.push(Plot.ruleX(chance, { ...rules, ...CHANCE, strokeOpacity: 0.8 }));
    for (const [kind, , value] of marks) drawn.push(Plot.ruleX([value], MARKS[kind]));
    const all = [];
    figure.series.forEach((one, s) => {
      const look = lookOf(one);
      const points = pointsOf(figure, s).map((p) => ({ ...p, y: p.c * block + 5 + (s + 0.5) * step }));
      all.push(...points);
      const ranges = points.filter((p) => p.low !== null);
      const line = { x1: "low", x2: "high", y: "y", stroke: look.colour, strokeWidth: 1.5, clip: true };
      drawn.push(Plot.ruleY(ranges, line));
      const dot = { x: "value", y: "y", fill: look.colour, symbol: look.symbol, clip: true };
      drawn.push(Plot.dot(points, { ...dot, r: n > 12 ? 2.5 : 4 }));
    });
    drawn.push(Plot.tip(all, Plot.pointer({ x: "value", y: "y", title: tip })));
    const x = { domain: domainOf(figure, marks.map((one) => one[2])), inset: 6 };
    const axes = { x, y: { domain: [bottom, 0], axis: null } };
    return plot(figure.title, width, 34 + bottom, [6, 16, 26, left], { ...axes, marks: drawn });
  }

  // ---- legends

  function item(look, text) {
    const svg = d3.create("svg:svg").attr("class", "sign").attr("viewBox", "-13 -6 26 12");
    svg.attr("width", 26).attr("height", 12).attr("aria-hidden", "true");
    const line = svg.append("line").attr("x1", -12).attr("x2", 12).attr("stroke-width", 1.5);
    line.attr("stroke", look.colour || look.stroke);
    line.attr("stroke-dasharray", look.dash || look.strokeDasharray || null);
    if (look.symbol) {
      const symbol = d3[`symbol${look.symbol[0].toUpperCase()}${look.symbol.slice(1)}`];
      svg.append("path").attr("d", d3.symbol(symbol, 42)()).attr("fill", look.colour);
    }
    const entry = document.createElement("li");
    entry.append(svg.node(), text);
    return entry;
  }

  function legend(figure) {
    const own = figure.series.filter((one) => one.name && (figure.series.length > 1 || one.slot !== null));
    const items = own.map((one) => item(lookOf(one), one.name));
    if (figure.chance.some((one) => one !== null)) items.push(item(CHANCE, "chance"));
    const ranged = figure.series.some((one) => one.points.some((point) => point && point[1] !== null));
    return ranged ? [...items, "lines through points: 95 % intervals"] : items;
  }

  // ---- cards

  // A plot is drawn when its place comes near the window, and again when that changes its width.
  function whenSeen(element, show, box) {
    let width = 0;
    const draw = () => {
      if (box.clientWidth && box.clientWidth !== width) {
        width = box.clientWidth;
        show();
      }
    };
    const near = new IntersectionObserver((entries) => {
      if (!entries.some((one) => one.isIntersecting)) return;
      near.disconnect();
      draw();
      new ResizeObserver(draw).observe(box);
    }, { rootMargin: "600px" });
    near.observe(element);
    window.addEventListener("beforeprint", draw);
  }

  function put(element, svg, items) {
    element.querySelector(".drawing").replaceChildren(svg);
    element.querySelector(".legend").replaceChildren(...items.map((one) => {
      if (typeof one !== "string") return one;
      const line = document.createElement("li");
      line.append(one);
      return line;
    }));
  }
  const widthOf = (box) => Math.max(240, Math.floor(box.clientWidth));

  function card(element) {
    const figure = data.figures[Number(element.dataset.figure)];
    const box = element.querySelector(".drawing");
    element.querySelector(".as-svg").addEventListener("click", () => save(box.firstChild, figure.title));
    whenSeen(element, () => put(element, bars(figure, widthOf(box)), legend(figure)), box);
  }

  const MARKS = {
    chance: CHANCE,
    best: { stroke: "var(--c1)", strokeWidth: 1.5 },
    human: { stroke: "var(--c2)", strokeDasharray: "1 3", strokeWidth: 2.5 },
  };

  function chart(element) {
    const about = data.charts[Number(element.dataset.chart)];
    const select = element.querySelector("select");
    const box = element.querySelector(".drawing");
    const show = () => {
      const { name, runs, marks } = about.metrics.find((one) => one.name === select.value);
      const points = runs.map(([, ...point]) => [...point, null]);
      const series = [{ name: "", slot: 0, points }];
      const title = `${about.benchmark}: ${name}`;
      const figure = { title, categories: runs.map(([run]) => run), series, chance: [] };
      put(element, bars(figure, widthOf(box), marks), marks.map(([kind, label, value, note]) => {
        const whose = kind === "best" ? `best in the paper, ${label}` : label;
        const line = item(MARKS[kind], `${whose} ${number(value)}${note ? " †" : ""}`);
        line.title = note;
        return line;
      }));
    };
    select.addEventListener("change", show);
    whenSeen(element, show, box);
  }

  // ---- export

  function save(svg, title) {
    const copy = svg.cloneNode(true);
    const root = getComputedStyle(document.documentElement);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("color", getComputedStyle(svg).color);
    copy.setAttribute("font-family", "sans-serif");
    const text = new XMLSerializer().serializeToString(copy)
      .replace(/var\((--[a-z0-9]+)\)/g, (whole, name) => root.getPropertyValue(name).trim());
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
    link.download = `${title.replace(/[^A-Za-z0-9]+/g, "_")}.svg`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // ---- spans of time, for the browser of questions

  window.tempbenchSpans = (rows, duration, room) => {
    const width = Math.max(240, room);
    const titles = rows.map((one) => one.name);
    const [left, labels] = names(titles, width, 0.35, (one, place) => place);
    const seconds = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(2));
    const spans = rows.flatMap(({ name, colour, spans: own }, place) => own.map(([from, to]) => {
      const title = `${name}: ${seconds(from)} to ${seconds(to)} s`;
      return { from, to, top: place - 0.32, bottom: place + 0.32, colour, title };
    }));
    const box = { x1: "from", x2: "to", y1: "top", y2: "bottom", fill: "colour", title: "title" };
    return plot("Spans of time in seconds", width, 30 + rows.length * 22, [2, 16, 26, left], {
      x: { domain: [0, Math.max(duration, ...spans.map((one) => one.to))] },
      y: { domain: [rows.length - 0.5, -0.5], axis: null },
      color: { type: "identity" },
      marks: [
        Plot.gridX({ ticks: 6 }),
        Plot.axisX({ ticks: 6, label: null, tickFormat: (one) => `${one} s` }),
        labels,
        Plot.rect(spans, box),
      ],
    });
  };

  document.querySelectorAll("figure[data-figure]").forEach(card);
  document.querySelectorAll("figure[data-chart]").forEach(chart);
})();
