"use strict";
// The times that a browser's controls show have no tenths of a second, which spans are asked for in.
for (const video of document.querySelectorAll("video")) {
  const line = video.nextElementSibling;
  const show = () => { line.textContent = `at ${video.currentTime.toFixed(1)} s of ${video.duration.toFixed(1)} s`; };
  for (const one of ["timeupdate", "seeked", "loadedmetadata"]) video.addEventListener(one, show);
  video.addEventListener("error", () => { line.textContent = "this browser cannot play this video; try another one"; });
}
// A click on a picture is its number: the answer, or the next place of an order; a second click takes it back.
const picks = [...document.querySelectorAll(".pick")];
for (const one of picks) {
  one.addEventListener("click", () => {
    const reply = document.getElementById("reply");
    const isOrder = reply.form.dataset.picked === "order";
    const before = isOrder ? reply.value.split(/[^0-9]+/).filter(Boolean) : [];
    const after = before.includes(one.value) ? before.filter((n) => n !== one.value) : [...before, one.value];
    reply.value = after.join(", ");
    for (const each of picks) each.setAttribute("aria-pressed", String(after.includes(each.value)));
  });
}
