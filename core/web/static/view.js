// The viewer's script: keys, the dialog that lists them, which worlds are shown, and keeping a page up to date.
"use strict";
(() => {
  const plain = { createHTML: (text) => text };
  const policy = window.trustedTypes ? window.trustedTypes.createPolicy("adidem", plain) : plain;
  const body = document.body;
  const help = document.getElementById("help");
  const keysOn = document.getElementById("keys-on");

  function kept(name) {
    try { return window.localStorage.getItem(name); } catch { return null; }
  }
  function keep(name, value) {
    try { window.localStorage.setItem(name, value); } catch { /* a browser that keeps nothing */ }
  }

  // ---------------------------------------------------------------- keys

  keysOn.checked = kept("adidem.keys") !== "off";
  keysOn.addEventListener("change", () => keep("adidem.keys", keysOn.checked ? "on" : "off"));

  function writing(target) {
    return target instanceof HTMLElement
      && (target.isContentEditable || target.matches("input:not([type=checkbox]), select, textarea"));
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || help.open) { return; }
    if (event.key === "Escape" && writing(event.target)) { event.target.blur(); return; }
    if (writing(event.target) || !keysOn.checked || event.key.length !== 1) { return; }
    const found = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!found) { return; }
    event.preventDefault();
    if (found.matches("input")) { found.focus(); found.select(); } else { found.click(); }
  });
  document.addEventListener("click", (event) => {
    const opener = event.target instanceof Element && event.target.closest("[data-opens]");
    if (opener) { document.getElementById(opener.dataset.opens).showModal(); }
  });

  // -------------------------------------------------------------- worlds

  function show(which) {
    body.dataset.show = which;
    for (const button of document.querySelectorAll("[data-show][aria-pressed]")) {
      button.setAttribute("aria-pressed", String(button.dataset.show === which));
    }
  }
  document.addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("button[data-show]");
    if (!button) { return; }
    keep("adidem.show", button.dataset.show);
    show(button.dataset.show);
  });
  show(kept("adidem.show") || "both");
  if (location.hash) { // a link to a turn of a world that is not shown shows it
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const side = target && target.closest("[data-world]");
    if (side && side.offsetParent === null) { show("both"); }
    if (target instanceof HTMLInputElement) { target.focus(); } else if (target) { target.scrollIntoView(); }
  }

  // --------------------------------------------------------------- filters

  document.addEventListener("change", (event) => {
    if (event.target instanceof HTMLSelectElement && event.target.form) { event.target.form.requestSubmit(); }
  });
  document.addEventListener("submit", (event) => { // an address holds what is asked for and nothing else
    for (const field of event.target.elements) {
      if (field.name && field.value === "") { field.disabled = true; }
    }
  });
  window.addEventListener("pageshow", () => {
    for (const field of document.querySelectorAll(".filters :disabled")) { field.disabled = false; }
  });

  // ------------------------------------------------------------------ live

  const EVERY = 1500;
  let busy = false;

  function same(one, other) { return one.isEqualNode(other); }

  function rowsInto(old, fresh) { // rows that did not change stay where they are, and with them the place of the reader
    const known = new Map([...old.children].map((row) => [row.id, row]));
    let at = old.firstElementChild;
    for (const row of [...fresh.children]) {
      const before = known.get(row.id);
      known.delete(row.id);
      if (before && same(before, row)) {
        if (before === at) { at = at.nextElementSibling; } else { old.insertBefore(before, at); }
        continue;
      }
      const made = document.importNode(row, true);
      if (before) {
        if (before === at) { at = at.nextElementSibling; }
        before.replaceWith(made);
        if (made.nextElementSibling !== at) { old.insertBefore(made, at); }
      } else { old.insertBefore(made, at); }
      made.classList.add("new");
    }
    for (const gone of known.values()) { gone.remove(); }
  }
  function into(old, fresh) {
    if (same(old, fresh)) { return; }
    if (old.hasAttribute("data-rows")) { rowsInto(old, fresh); return; }
    if (old.contains(document.activeElement) && writing(document.activeElement)) { return; }
    const focused = old.contains(document.activeElement) && document.activeElement.dataset.key;
    const open = new Map([...old.querySelectorAll("details[id]")].map((part) => [part.id, part.open]));
    const made = document.importNode(fresh, true);
    for (const part of made.querySelectorAll("details[id]")) {
      if (open.has(part.id)) { part.open = open.get(part.id); }
    }
    old.replaceWith(made);
    const again = focused && made.querySelector(`[data-key="${CSS.escape(focused)}"]`);
    if (again) { again.focus({ preventScroll: true }); }
  }
  async function look() {
    if (busy || document.hidden) { return; }
    busy = true;
    try {
      const answer = await fetch(body.dataset.live, { cache: "no-store" });
      if (!answer.ok) { return; }
      const { version } = await answer.json();
      if (version === body.dataset.version) { return; }
      const page = await fetch(location.href, { cache: "no-store" });
      if (!page.ok) { return; }
      const text = policy.createHTML(await page.text());
      for (const row of document.querySelectorAll("tr.new")) { row.removeAttribute("class"); }
      const fresh = new DOMParser().parseFromString(text, "text/html");
      for (const part of document.querySelectorAll("[data-part]")) {
        const now = fresh.querySelector(`[data-part="${CSS.escape(part.dataset.part)}"]`);
        if (now) { into(part, now); }
      }
      body.dataset.version = fresh.body.dataset.version;
    } catch { /* the viewer has ended, or is busy: asked again later */ } finally { busy = false; }
  }
  if (body.dataset.live) {
    window.setInterval(look, EVERY);
    document.addEventListener("visibilitychange", look);
  }
})();
