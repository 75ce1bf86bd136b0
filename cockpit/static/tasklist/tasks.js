"use strict";
/* Keeps what is typed into a form until it has been accepted: a reload, a lost session or a closed page loses nothing. */

(() => {
  const KEY = "draft:";
  const skipped = new Set(["csrfmiddlewaretoken", "once", "shown", "for_others", "kept"]);
  const storage = () => { try { return window.sessionStorage; } catch { return null; } };

  const read = (form) => {
    const found = [];
    for (const [name, value] of new FormData(form)) {
      if (!skipped.has(name) && typeof value === "string") found.push([name, value]);
    }
    return found;
  };

  const restore = (form, draft) => {
    const left = new Map();
    for (const [name, value] of draft) left.set(name, [...(left.get(name) || []), value]);
    for (const field of form.elements) {
      if (!field.name || skipped.has(field.name) || field.type === "submit" || field.disabled) continue;
      const values = left.get(field.name) || [];
      if (field.type === "checkbox" || field.type === "radio") field.checked = values.includes(field.value);
      else if (values.length) field.value = values[0];
    }
  };

  const start = () => {
    const kept = storage();
    for (const asking of document.querySelectorAll("[data-focus]")) { asking.focus(); break; }
    if (!kept) return;
    const form = document.querySelector("form[data-draft]");
    if (document.querySelector("[data-draft-done]")) {
      const sent = kept.getItem("sent");
      if (sent) kept.removeItem(sent);
      kept.removeItem("sent");
    }
    if (!form) return;
    const key = KEY + form.dataset.draft;
    const draft = kept.getItem(key);
    if (draft && !("filled" in form.dataset)) {
      try { restore(form, JSON.parse(draft)); } catch { kept.removeItem(key); }
    }
    const keep = () => { try { kept.setItem(key, JSON.stringify(read(form))); } catch { /* no room: nothing is kept */ } };
    form.addEventListener("input", keep);
    form.addEventListener("change", keep);
    form.addEventListener("submit", () => { kept.setItem("sent", key); });
  };

  /* Who logs out leaves nothing behind for the next person. */
  document.addEventListener("submit", (event) => {
    if (event.target.matches(".account")) { const kept = storage(); if (kept) kept.clear(); }
  });

  /* A form is sent once, however often the button is pressed. */
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("form#work")) return;
    if (event.target.dataset.sending) { event.preventDefault(); return; }
    event.target.dataset.sending = "1";
  });
  window.addEventListener("pageshow", () => {
    for (const form of document.querySelectorAll("form#work")) delete form.dataset.sending;
  });

  start();
})();
