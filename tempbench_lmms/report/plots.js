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
  const number = (value) => value.toFixed(Math.abs(value) < 10 ? 3 : 1);

  const lookOf = (one) => (one.slot === null
    ? { colour: "var(--soft)", symbol: one.symbol || "cross", dash: "3 3" }
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

  function domainOf(figure) {
    const values = figure.chance.filter((one) => one !== null);
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

  function bars(figure, width) {
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
    const axes = { x: { domain: domainOf(figure), inset: 6 }, y: { domain: [bottom, 0], axis: null } };
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
    const figure = data[Number(element.dataset.figure)];
    const references = figure.series.filter((one) => one.slot === null);
    references.forEach((one, r) => (one.symbol = SYMBOLS.at(-1 - r)));
    const box = element.querySelector(".drawing");
    element.querySelector(".as-svg").addEventListener("click", () => save(box.firstChild, figure.title));
    whenSeen(element, () => put(element, bars(figure, widthOf(box)), legend(figure)), box);
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

  document.querySelectorAll("figure[data-figure]").forEach(card);
})();
