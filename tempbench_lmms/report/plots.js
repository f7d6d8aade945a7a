"use strict";
// Draws the page's plots with Observable Plot from the values that stand in it.
(() => {
  const data = JSON.parse(document.getElementById("plots").textContent);
  const N_COLOURS = 6;
  const SYMBOLS = ["circle", "square", "triangle", "diamond", "star", "wye"];
  const DASHES = [undefined, "6 3", "2 2", "8 3 2 3", "1 3", "10 4"];
  const at = (id) => document.getElementById(id);
  const make = (name, kind, text) => {
    const element = document.createElement(name);
    if (kind) element.className = kind;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  // Widths of texts as the page draws them, in pixels.
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  const wide = (text) => pen.measureText(text).width;
  const widest = (texts) => Math.max(0, ...texts.map(wide));
  const cut = (text, width) => {
    if (wide(text) <= width) return text;
    let [fits, not] = [1, text.length];
    while (not - fits > 1) {
      const n = (fits + not) >> 1;
      if (wide(`${text.slice(0, n)}…`) <= width) fits = n;
      else not = n;
    }
    return `${text.slice(0, fits)}…`;
  };
  // As the tables (`record.decimals`): a value that lies halfway, 0.0625, goes away from zero.
  const number = (value) => value.toFixed(Math.abs(value) < 10 ? 3 : 1);
  const seconds = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(2));
  window.tempbenchNumber = number;
  const words = (point) => {
    const range = point.low === null ? "" : ` [${number(point.low)}, ${number(point.high)}]`;
    return `${number(point.value)}${range}${point.n === null ? "" : `, n ${point.n}`}`;
  };

  // The colours of Okabe and Ito, each with a symbol and a line of its own. More runs than colours: one of
  // them is highlighted and the others are grey, so that no colour ever stands for two runs.
  function looks(figure, chosen) {
    const own = figure.series.filter((one) => one.slot !== null);
    const crowded = isCrowded(figure);
    const slots = [...new Set(own.map((one) => one.slot))].sort((a, b) => a - b);
    const place = (slot) => (Math.max(...slots) < N_COLOURS ? slot : slots.indexOf(slot));
    return figure.series.map((one, index) => {
      if (one.slot === null) return { colour: "var(--soft)", symbol: "cross", dash: "3 3", weight: 1.2 };
      if (!crowded) return { colour: `var(--c${place(one.slot)})`, symbol: SYMBOLS[place(one.slot)], dash: DASHES[place(one.slot)], weight: 2 };
      const first = own.indexOf(one) === chosen;
      return { colour: first ? "var(--c0)" : "var(--other)", symbol: "circle", dash: undefined, weight: first ? 3 : 1, first };
    });
  }
  const isCrowded = (figure) => figure.series.filter((one) => one.slot !== null).length > N_COLOURS;

  function pointsOf(figure, s) {
    return figure.series[s].points.flatMap((one, c) =>
      one === null ? [] : [{ c, s, value: one[0], low: one[1], high: one[2], n: one[3], category: figure.categories[c], name: figure.series[s].name }]
    );
  }
  const tip = (one) => `${[one.name, one.category].filter(Boolean).join(", ")}\n${words(one)}`;

  function domainOf(figure) {
    const values = [...figure.marks.map((one) => one[1]), ...figure.chance.filter((one) => one !== null)];
    figure.series.forEach((one, s) => pointsOf(figure, s).forEach((p) => values.push(p.value, p.low ?? p.value, p.high ?? p.value)));
    const low = Math.min(0, ...values);
    const high = Math.max(...values, 0);
    return [low, high <= 1 ? 1 : high * 1.05];
  }

  // One picture with one name: Plot names its groups too, which no reader of screens can use.
  function asPicture(svg) {
    svg.setAttribute("role", "img");
    svg.querySelectorAll("g[aria-label]").forEach((one) => one.removeAttribute("aria-label"));
    return svg;
  }

  const common = (width, label) => ({
    width,
    className: "plot",
    ariaLabel: label,
    style: { fontSize: "12px", fontFamily: "inherit", overflow: "hidden", background: "none" },
  });

  function bars(figure, width, domain, chosen) {
    const look = looks(figure, chosen);
    const n = figure.series.length;
    const step = n > 12 ? 5 : n > 3 ? 9 : 13;
    const block = n * step + 10;
    const left = Math.min(width * 0.4, 16 + widest(figure.categories));
    const height = 34 + block * figure.categories.length;
    const y = (c, s) => c * block + 5 + (s + 0.5) * step;
    const marks = [Plot.axisX({ ticks: 5, labelArrow: "none", label: null }), Plot.gridX({ ticks: 5 })];
    marks.push(Plot.text(figure.categories, { y: (one, c) => c * block + block / 2, frameAnchor: "left", dx: -8, textAnchor: "end", text: (one) => cut(one, left - 12), title: (one) => one }));
    const chance = figure.chance.flatMap((value, c) => (value === null ? [] : [{ value, c, from: c * block, to: (c + 1) * block }]));
    marks.push(Plot.ruleX(chance, { x: "value", y1: "from", y2: "to", stroke: "currentColor", strokeDasharray: "4 3", strokeOpacity: 0.8, clip: true }));
    marks.push(Plot.ruleX(figure.marks.map((one) => one[1]), { stroke: "currentColor", strokeDasharray: "4 3", clip: true }));
    let all = [];
    const order = figure.series.map((one, s) => s).sort((a, b) => Boolean(look[a].first) - Boolean(look[b].first));
    for (const s of order) {
      const points = pointsOf(figure, s).map((one) => ({ ...one, y: y(one.c, s) }));
      all = all.concat(points);
      marks.push(Plot.ruleY(points.filter((one) => one.low !== null), { x1: "low", x2: "high", y: "y", stroke: look[s].colour, strokeWidth: look[s].first ? 2.5 : 1.5, clip: true }));
      marks.push(Plot.dot(points, { x: "value", y: "y", fill: look[s].colour, symbol: look[s].symbol, r: n > 12 ? 2.5 : 4, clip: true }));
    }
    marks.push(Plot.tip(all, Plot.pointer({ x: "value", y: "y", title: tip })));
    return Plot.plot({
      ...common(width, figure.title),
      height,
      marginLeft: left,
      marginRight: 16,
      marginTop: 6,
      marginBottom: 26,
      x: { domain, inset: 6 },
      y: { domain: [block * figure.categories.length, 0], axis: null },
      marks,
    });
  }

  // The values that can be written below an axis without touching each other, the first one among them.
  function apart(values, scale) {
    let end = -Infinity;
    return [...new Set(values)].sort((a, b) => a - b).filter((one) => {
      const half = wide(String(one)) / 2 + 3;
      if (one * scale - half < end) return false;
      end = one * scale + half;
      return true;
    });
  }

  function lines(figure, width, domain, chosen) {
    const look = looks(figure, chosen);
    const x = figure.categories.map(Number);
    const pad = (Math.max(...x) - Math.min(...x)) * 0.04 || 0.5;
    const marks = [Plot.gridY({ ticks: 5 }), Plot.axisY({ ticks: 5, label: null }), Plot.axisX({ ticks: apart(x, (width - 52) / (Math.max(...x) - Math.min(...x) + 2 * pad)), tickFormat: (one) => String(one), label: figure.axis || null, labelArrow: "none", labelAnchor: "center" })];
    const chance = figure.chance.flatMap((value, c) => (value === null ? [] : [{ x: x[c], value }])).sort((a, b) => a.x - b.x);
    marks.push(Plot.line(chance, { x: "x", y: "value", stroke: "currentColor", strokeDasharray: "4 3", clip: true }));
    marks.push(Plot.ruleY(figure.marks.map((one) => one[1]), { stroke: "currentColor", strokeDasharray: "4 3", clip: true }));
    let all = [];
    const order = figure.series.map((one, s) => s).sort((a, b) => Boolean(look[a].first) - Boolean(look[b].first));
    const n = figure.series.length;
    for (const s of order) {
      // Runs stand a little apart, so that their intervals do not cover one another.
      const aside = n > 1 ? ((s - (n - 1) / 2) / n) * pad * 0.8 : 0;
      const points = pointsOf(figure, s).map((one) => ({ ...one, x: x[one.c] + aside })).sort((a, b) => a.x - b.x);
      all = all.concat(points);
      marks.push(Plot.line(points, { x: "x", y: "value", stroke: look[s].colour, strokeWidth: look[s].weight, strokeDasharray: look[s].dash, clip: true }));
      marks.push(Plot.ruleX(points.filter((one) => one.low !== null), { x: "x", y1: "low", y2: "high", stroke: look[s].colour, strokeWidth: 1.2, clip: true }));
      marks.push(Plot.dot(points, { x: "x", y: "value", fill: look[s].colour, symbol: look[s].symbol, r: 3.5, clip: true }));
    }
    marks.push(Plot.tip(all, Plot.pointer({ x: "x", y: "value", title: tip })));
    return Plot.plot({
      ...common(width, figure.title),
      height: Math.round(Math.max(220, Math.min(420, width * 0.55))),
      marginLeft: 40,
      marginRight: 12,
      marginTop: 10,
      marginBottom: 40,
      x: { domain: [Math.min(...x) - pad, Math.max(...x) + pad] },
      y: { domain, inset: 6 },
      marks,
    });
  }

  function matrix(figure, width) {
    const left = Math.min(width * 0.35, 16 + widest(figure.series.map((one) => one.name)));
    const room = (width - left - 10) / figure.categories.length;
    const cells = figure.series.flatMap((one, s) => {
      const total = one.points.reduce((sum, point) => sum + (point ? point[0] : 0), 0);
      return pointsOf(figure, s).map((point) => ({ ...point, share: total ? point.value / total : 0 }));
    });
    const text = (one) => `${one.name}, ${one.category}\n${one.value}, ${number(one.share)} of the row`;
    return Plot.plot({
      ...common(width, figure.title),
      height: 34 + 38 * figure.series.length,
      marginLeft: left,
      marginRight: 6,
      marginTop: 28,
      marginBottom: 4,
      padding: 0.04,
      x: { domain: figure.categories, axis: null },
      y: { domain: figure.series.map((one) => one.name), axis: null },
      marks: [
        Plot.axisX({ anchor: "top", tickSize: 0, label: null, tickFormat: (one) => cut(one, room) }),
        Plot.axisY({ anchor: "left", tickSize: 0, label: null, tickFormat: (one) => cut(one, left - 10) }),
        Plot.cell(cells, { x: "category", y: "name", fill: "var(--c0)", fillOpacity: "share", stroke: "var(--line)" }),
        Plot.text(cells, { x: "category", y: "name", text: (one) => String(one.value), fill: (one) => (one.share > 0.55 ? "var(--raised)" : "var(--ink)") }),
        Plot.tip(cells, Plot.pointer({ x: "category", y: "name", title: text })),
      ],
      opacity: { domain: [0, 1], range: [0, 1] },
      color: { type: "identity" },
    });
  }

  function drawn(figure, width, domain, chosen) {
    const draw = { bars, lines, matrix }[figure.kind];
    const svg = draw(figure, Math.max(240, Math.floor(width)), domain || domainOf(figure), chosen);
    return asPicture(svg);
  }

  // ---- legends

  function sign(look) {
    const svg = d3.create("svg:svg").attr("class", "sign").attr("width", 26).attr("height", 12).attr("viewBox", "-13 -6 26 12").attr("aria-hidden", "true");
    svg.append("line").attr("x1", -12).attr("x2", 12).attr("stroke", look.colour).attr("stroke-width", 1.5).attr("stroke-dasharray", look.dash || null);
    if (look.symbol) {
      const symbol = d3[`symbol${look.symbol[0].toUpperCase()}${look.symbol.slice(1)}`];
      svg.append("path").attr("d", d3.symbol(symbol, 42)()).attr("fill", look.colour);
    }
    return svg.node();
  }
  const LINE = { colour: "currentColor", dash: "4 3" };

  function item(look, text) {
    const line = make("li");
    line.append(sign(look), make("span", "", text));
    return line;
  }

  function legend(list, figure, chosen, redraw) {
    list.replaceChildren();
    if (figure.kind === "matrix") {
      list.append(make("li", "", `Columns: ${figure.axis || "predicted"}`));
      return;
    }
    const look = looks(figure, chosen);
    if (isCrowded(figure)) {
      const own = figure.series.filter((one) => one.slot !== null);
      const line = make("li");
      const label = make("label", "", "Highlighted ");
      const select = make("select", "highlight");
      own.forEach((one, place) => {
        const option = make("option", "", one.name);
        option.value = String(place);
        option.selected = place === chosen;
        select.append(option);
      });
      select.addEventListener("change", () => redraw(Number(select.value)));
      label.append(select);
      line.append(sign({ colour: "var(--c0)", symbol: "circle" }), label);
      list.append(line, item({ colour: "var(--other)", symbol: "circle" }, `the other ${own.length - 1} runs`));
    }
    figure.series.forEach((one, s) => {
      if (one.slot !== null && isCrowded(figure)) return;
      if (one.name && (figure.series.length > 1 || one.slot !== null)) list.append(item(look[s], one.name));
    });
    if (figure.chance.some((one) => one !== null)) list.append(item(LINE, "chance"));
    for (const [name, value] of figure.marks) list.append(item(LINE, `${name} ${number(value)}`));
    if (figure.series.some((one) => one.points.some((point) => point && point[1] !== null))) list.append(make("li", "", "lines through points: 95 % intervals"));
  }

  // ---- cards

  function card(element) {
    const places = element.dataset.figures.split(" ").map(Number);
    const state = { which: 0, chosen: 0 };
    const box = element.querySelector(".drawing");
    const show = () => {
      const figure = data.figures[places[state.which]];
      box.replaceChildren(drawn(figure, box.clientWidth, null, state.chosen));
      legend(element.querySelector(".legend"), figure, state.chosen, (chosen) => {
        state.chosen = chosen;
        show();
        element.querySelector(".highlight").focus();
      });
      element.querySelectorAll(".numbers").forEach((one, place) => one.classList.toggle("other", place !== state.which));
    };
    const which = element.querySelector(".which");
    if (which) {
      which.addEventListener("change", () => {
        state.which = Number(which.value);
        show();
      });
    }
    const name = () => data.figures[places[state.which]].title.replace(/[^A-Za-z0-9]+/g, "_");
    element.querySelector(".as-svg").addEventListener("click", () => save(new Blob([standalone(box.firstChild)], { type: "image/svg+xml" }), `${name()}.svg`));
    element.querySelector(".as-png").addEventListener("click", () => picture(box.firstChild, `${name()}.png`));
    element.querySelector(".enlarge").addEventListener("click", () => enlarge(data.figures[places[state.which]], state.chosen));
    whenSeen(element, show, box);
  }

  function chart(element) {
    const about = data.charts[Number(element.dataset.chart)];
    const select = element.querySelector("select");
    const box = element.querySelector(".drawing");
    const show = () => {
      const metric = about.metrics.find((one) => one.name === select.value);
      const figure = { title: `${about.benchmark}: ${metric.name}`, kind: "bars", axis: "", categories: metric.runs.map((one) => one[0]), series: [{ name: "", slot: 0, points: metric.runs.map((one) => [one[1], one[2], one[3], null]) }], marks: [], chance: [] };
      const values = metric.marks.map((one) => one[2]);
      const [low, high] = domainOf({ ...figure, marks: values.map((one) => ["", one]) });
      box.replaceChildren(overview(figure, Math.max(220, box.clientWidth), [low, high], metric.marks));
      const list = element.querySelector(".legend");
      list.replaceChildren(...metric.marks.map(([kind, label, value, note]) => {
        const line = item(MARKS[kind], `${{ chance: "chance", best: `best in the paper, ${label}`, human: label }[kind]} ${number(value)}${note ? " †" : ""}`);
        line.title = note;
        return line;
      }));
    };
    select.addEventListener("change", show);
    whenSeen(element, show, box);
  }
  const MARKS = {
    chance: { colour: "currentColor", dash: "4 3" },
    best: { colour: "var(--c1)", dash: undefined },
    human: { colour: "var(--c2)", dash: "1 3" },
  };

  function overview(figure, width, domain, marks) {
    const row = 24;
    const left = Math.min(width * 0.42, 14 + widest(figure.categories));
    const points = pointsOf(figure, 0).map((one) => ({ ...one, y: (one.c + 0.5) * row }));
    const svg = Plot.plot({
      ...common(width, figure.title),
      height: 32 + row * figure.categories.length,
      marginLeft: left,
      marginRight: 14,
      marginTop: 4,
      marginBottom: 24,
      x: { domain, inset: 6 },
      y: { domain: [row * figure.categories.length, 0], axis: null },
      marks: [
        Plot.gridX({ ticks: 4 }),
        Plot.axisX({ ticks: 4, label: null }),
        Plot.text(points, { y: "y", frameAnchor: "left", dx: -8, textAnchor: "end", text: (one) => cut(one.category, left - 10), title: "category" }),
        ...marks.map(([kind, , value]) => Plot.ruleX([value], { stroke: MARKS[kind].colour, strokeDasharray: MARKS[kind].dash, strokeWidth: kind === "human" ? 2.5 : 1.5 })),
        Plot.ruleY(points.filter((one) => one.low !== null), { x1: "low", x2: "high", y: "y", stroke: "var(--c0)", strokeWidth: 2 }),
        Plot.dot(points, { x: "value", y: "y", fill: "var(--c0)", r: 4.5 }),
        Plot.tip(points, Plot.pointerY({ x: "value", y: "y", title: tip })),
      ],
    });
    return asPicture(svg);
  }

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

  // ---- enlarging and zooming

  function enlarge(figure, chosen) {
    const box = at("zoomed");
    const whole = domainOf(figure);
    let domain = whole;
    const redraw = () => {
      const svg = drawn(figure, Math.max(300, box.clientWidth - 4), domain, chosen);
      box.replaceChildren(svg);
      const list = make("ul", "legend");
      legend(list, figure, chosen, (other) => {
        chosen = other;
        redraw();
      });
      box.append(list);
    };
    const scaled = (factor, middle) => {
      const span = Math.min(whole[1] - whole[0], (domain[1] - domain[0]) * factor);
      const low = Math.max(whole[0], Math.min(whole[1] - span, middle - span / 2));
      domain = [low, low + span];
      redraw();
    };
    const middle = () => (domain[0] + domain[1]) / 2;
    const values = figure.series.flatMap((one) => one.points.filter(Boolean).map((point) => point[0]));
    const centre = () => (domain === whole && values.length ? d3.mean(values) : middle());
    at("zoom-title").textContent = figure.title;
    at("zoom").querySelector(".tools").hidden = figure.kind === "matrix";
    at("closer").onclick = () => scaled(0.6, centre());
    at("farther").onclick = () => scaled(1 / 0.6, middle());
    at("whole").onclick = () => {
      domain = whole;
      redraw();
    };
    box.onwheel = (event) => {
      if (figure.kind === "matrix") return;
      event.preventDefault();
      scaled(event.deltaY < 0 ? 0.85 : 1 / 0.85, centre());
    };
    at("zoom").showModal();
    redraw();
  }
  at("close").addEventListener("click", () => at("zoom").close());
  at("zoom").addEventListener("click", (event) => {
    if (event.target === at("zoom")) at("zoom").close();
  });

  // ---- export

  function standalone(svg) {
    const copy = svg.cloneNode(true);
    const style = getComputedStyle(svg);
    const root = getComputedStyle(document.documentElement);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("color", style.color);
    copy.setAttribute("font-family", "sans-serif");
    const ground = document.createElementNS("http://www.w3.org/2000/svg", "rect");
    ground.setAttribute("width", "100%");
    ground.setAttribute("height", "100%");
    ground.setAttribute("fill", root.getPropertyValue("--raised"));
    copy.prepend(ground);
    return new XMLSerializer().serializeToString(copy).replace(/var\((--[a-z0-9]+)\)/g, (whole, name) => root.getPropertyValue(name).trim());
  }

  function picture(svg, name) {
    const image = new Image();
    const { width, height } = svg.viewBox.baseVal;
    image.onload = () => {
      const canvas = document.createElement("canvas");
      canvas.width = width * 3;
      canvas.height = height * 3;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => save(blob, name));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone(svg))}`;
  }

  function save(blob, name) {
    const link = make("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  // ---- spans of time, for the browser of questions

  window.tempbenchSpans = (rows, duration, width) => {
    const height = 30 + rows.length * 22;
    const points = rows.flatMap((one, place) => one.spans.map(([from, to]) => ({ from, to, y: place, name: one.name, colour: one.colour })));
    const left = Math.min(width * 0.35, 14 + widest(rows.map((one) => one.name)));
    const end = Math.max(duration, ...points.map((one) => one.to));
    const svg = Plot.plot({
      ...common(Math.max(240, width), "Spans of time in seconds"),
      height,
      marginLeft: left,
      marginRight: 16,
      marginTop: 2,
      marginBottom: 26,
      x: { domain: [0, end] },
      y: { domain: [rows.length - 0.5, -0.5], axis: null },
      marks: [
        Plot.gridX({ ticks: 6 }),
        Plot.axisX({ ticks: 6, label: null, tickFormat: (one) => `${one} s` }),
        Plot.text(rows, { y: (one, place) => place, frameAnchor: "left", dx: -8, textAnchor: "end", text: (one) => cut(one.name, left - 10), title: "name" }),
        ...points.map((one) => Plot.rect([one], { x1: "from", x2: "to", y1: one.y - 0.32, y2: one.y + 0.32, fill: one.colour, title: () => `${one.name}: ${seconds(one.from)} to ${seconds(one.to)} s` })),
      ],
    });
    return asPicture(svg);
  };

  document.querySelectorAll("figure[data-figures]").forEach(card);
  document.querySelectorAll("figure[data-chart]").forEach(chart);
})();
