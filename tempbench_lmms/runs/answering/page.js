"use strict";
const at = (id) => document.getElementById(id);
let number = 0, state = null;

async function ask(path, value) {
  const how = value === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value),
  };
  let response;
  try {
    response = await fetch(path, how);
  } catch {
    throw new Error("the command `tempbench answer` has ended; start it again, answers so far are kept");
  }
  const found = await response.json();
  if (!response.ok) throw new Error(found.problem);
  return found;
}

function say(text, bad = false) {
  at("message").textContent = text;
  at("message").className = bad ? "bad" : "";
}

function element(name, values) { return Object.assign(document.createElement(name), values); }

function clock(video) {
  const line = element("figcaption");
  const show = () => {
    const end = Number.isFinite(video.duration) ? ` of ${video.duration.toFixed(1)} s` : "";
    line.textContent = `at ${video.currentTime.toFixed(1)} s${end}`;
  };
  for (const one of ["timeupdate", "seeked", "loadedmetadata"]) video.addEventListener(one, show);
  video.addEventListener("error", () => { line.textContent = "this browser cannot play this video; try another one"; });
  return line;
}

function drawn(part, place, pictures) {
  if (part.kind === "text") return element("div", { className: "text", textContent: part.text });
  const figure = element("figure"), src = `media/${number}/${place}`;
  if (part.kind === "video") {
    const video = element("video", { src, controls: true, preload: "auto" });
    figure.append(video, clock(video));
    return figure;
  }
  pictures.n += 1;
  const link = element("a", { href: src, target: "_blank", rel: "noreferrer" });
  link.append(element("img", { src, alt: `picture ${pictures.n}, opens in full size` }));
  figure.append(link);
  return figure;
}

function showState(found) {
  state = found;
  at("title").textContent = `${found.tasks.join(", ")}: ${found.name}`;
  at("progress").max = found.of;
  at("progress").value = found.answered;
  at("counts").textContent = `${found.answered} of ${found.of} answered`;
  at("finish").hidden = found.next !== null;
  at("open").disabled = found.next === null;
}

async function show(wanted) {
  try {
    const found = await ask(`questions/${wanted}`);
    number = wanted;
    showState(found);
    document.title = `${number + 1} of ${found.of}`;
    at("number").textContent = `Question ${number + 1} of ${found.of}`;
    const pictures = { n: 0 };
    at("question").replaceChildren(...found.parts.map((part, place) => drawn(part, place, pictures)));
    at("reply").value = found.reply ?? "";
    at("back").disabled = number === 0;
    at("on").disabled = number + 1 === found.of;
    say(found.reply === null ? "" : "Answered; another answer takes its place.");
    scrollTo(0, 0);
    at("reply").focus({ preventScroll: true });
  } catch (error) {
    say(error.message, true);
  }
}

function turn(to) {
  if (to === null || to < 0 || to >= state.of) return;
  if (location.hash === `#${to + 1}`) show(to); else location.hash = `#${to + 1}`;
}

function fromHash() {
  const wanted = Number.parseInt(location.hash.slice(1), 10) - 1;
  return Number.isInteger(wanted) && wanted >= 0 && wanted < state.of ? wanted : null;
}

async function send() {
  const reply = at("reply").value;
  if (!reply.trim()) return say("Write an answer first.", true);
  at("send").disabled = true;
  try {
    const found = await ask(`answers/${number}`, { reply });
    showState(found);
    if (!found.read) say("Kept, but no answer could be read in it. Give it in the form that is asked for, or turn the page.", true);
    else if (found.next === null) say("All are answered. Look at some again, or finish.");
    else turn(found.next);
  } catch (error) {
    say(error.message, true);
  } finally {
    at("send").disabled = false;
  }
}

async function finish() {
  try {
    await ask("finish", {});
    at("question").replaceChildren();
    at("form").hidden = true;
    at("number").textContent = "Finished: the log is being written, see the terminal. This page can be closed.";
    at("number").focus();
  } catch (error) {
    say(error.message, true);
  }
}

at("form").addEventListener("submit", (event) => { event.preventDefault(); send(); });
at("reply").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
});
document.addEventListener("keydown", (event) => {
  if (event.altKey && event.key === "PageUp") { event.preventDefault(); turn(number - 1); }
  if (event.altKey && event.key === "PageDown") { event.preventDefault(); turn(number + 1); }
});
at("back").addEventListener("click", () => turn(number - 1));
at("on").addEventListener("click", () => turn(number + 1));
at("open").addEventListener("click", () => turn(state.next));
at("finish").addEventListener("click", finish);
addEventListener("hashchange", () => { const to = fromHash(); if (to !== null) show(to); });
ask("state").then((found) => {
  showState(found);
  const to = fromHash() ?? found.next ?? 0;
  history.replaceState(null, "", `#${to + 1}`);
  show(to);
}, (error) => say(error.message, true));
