// Keys for whoever looks through many gists, and a verdict that is never older than the words.
"use strict";
(() => {
  const NAMES = { n: "n", j: "n", p: "p", k: "p", a: "a", e: "e", v: "v" };
  const KEPT = "fonds.gist-keys";
  const words = document.getElementById("words");
  const checked = document.getElementById("checked");
  const help = document.getElementById("keys");
  const on = help ? help.querySelector("input") : null;
  let acting = false;

  const of = (key) => document.querySelector(`[data-key="${key}"]`);
  const types = (place) => place.matches("input:not([type=checkbox]), textarea, select, [contenteditable]");
  const off = () => { try { return localStorage.getItem(KEPT) === "off"; } catch { return false; } };
  const keep = (wish) => { try { localStorage.setItem(KEPT, wish); } catch { /* asked again next time */ } };
  const say = (line) => { if (checked) { checked.textContent = line; } };

  if (help) {
    help.hidden = false;
    on.checked = !off();
    on.addEventListener("change", () => keep(on.checked ? "on" : "off"));
  }
  document.addEventListener("keydown", (event) => {
    if (event.target === words) {
      if (event.key === "Escape") { words.blur(); }
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { of("a").click(); }
      return;
    }
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat && !event.isComposing;
    if (!plain || acting || off() || types(event.target) || !Object.hasOwn(NAMES, event.key)) { return; }
    const found = of(NAMES[event.key]);
    if (!found) { return; }
    event.preventDefault();
    if (found === words) { words.focus(); } else { acting = true; found.click(); }
  });
  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-once]")) { return; }
    if (event.target.dataset.sent) { event.preventDefault(); }
    event.target.dataset.sent = "yes";
  });
  window.addEventListener("pageshow", () => {
    acting = false;
    for (const form of document.querySelectorAll("[data-once]")) { delete form.dataset.sent; }
  });
  if (words) {
    words.addEventListener("input", () => say("Not checked yet."));
    for (const name of ["htmx:sendError", "htmx:timeout"]) {
      words.addEventListener(name, () => say("Not checked: the desk did not answer. It is checked when you approve."));
    }
  }
})();
