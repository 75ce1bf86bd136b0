"use strict";
/* What every page needs: refreshing in place without losing focus, selection or scroll position. */

/* While nobody looks, nothing is asked for. */
document.addEventListener("htmx:confirm", (event) => {
  const cause = event.detail.triggeringEvent;
  const timed = !cause || cause.type.startsWith("every") || event.detail.elt.hasAttribute("data-poll");
  if (timed && document.hidden) event.preventDefault();
});

/* A refresh that fails says so once, in words, and goes on trying. */
(() => {
  const text = () => document.getElementById("stale");
  document.addEventListener("htmx:responseError", () => { const shown = text(); if (shown) shown.hidden = false; });
  document.addEventListener("htmx:sendError", () => { const shown = text(); if (shown) shown.hidden = false; });
  document.addEventListener("htmx:afterRequest", (event) => {
    const shown = text();
    if (shown && event.detail.successful) shown.hidden = true;
  });
})();

/* Filters apply themselves on a choice; typing waits for Enter or the button. */
document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-apply-on-choice]");
  if (form && event.target.matches("select, input[type=checkbox]")) form.requestSubmit();
});

/* What a person has opened stays open when its surroundings are refreshed. */
if (window.Idiomorph) {
  Idiomorph.defaults.callbacks.beforeNodeMorphed = (old) => !(old.dataset && "kept" in old.dataset);
  Idiomorph.defaults.callbacks.beforeAttributeUpdated = (name, node) => !(name === "open" && node.tagName === "DETAILS");
}
