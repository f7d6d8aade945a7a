"use strict";
// Shows one document at a time. Without this script all of them stand below each other, and the links work.
(() => {
  const all = [...document.querySelectorAll("article.seen")];
  const wanted = () => Math.max(0, all.findIndex((one) => `#${one.id}` === location.hash));
  let current = wanted();
  const show = (moves) => {
    current = wanted();
    all.forEach((one, place) => one.toggleAttribute("hidden", place !== current));
    if (!moves) return;
    window.scrollTo(0, 0);
    all[current].focus({ preventScroll: true });
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const by = { j: 1, ArrowRight: 1, k: -1, ArrowLeft: -1 }[event.key];
    const next = by && all[current + by];
    if (!next) return;
    event.preventDefault();
    location.hash = next.id;
  });
  window.addEventListener("hashchange", () => {
    // Back to the page as it was opened has no hash: that is the first document.
    if (!location.hash || all.some((one) => `#${one.id}` === location.hash)) show(true);
  });
  show(false);
})();
