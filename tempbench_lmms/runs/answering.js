"use strict";
// The times that a browser's controls show have no tenths of a second, which spans are asked for in.
for (const video of document.querySelectorAll("video")) {
  const line = video.nextElementSibling;
  const show = () => { line.textContent = `at ${video.currentTime.toFixed(1)} s of ${video.duration.toFixed(1)} s`; };
  for (const one of ["timeupdate", "seeked", "loadedmetadata"]) video.addEventListener(one, show);
  video.addEventListener("error", () => { line.textContent = "this browser cannot play this video; try another one"; });
}
