"use strict";
(() => {
  const items = [...document.querySelectorAll("[data-item]")];
  const sheet = document.body.dataset.sheet;
  const annotator = document.getElementById("annotator");
  const kept = "adidem-" + sheet;
  let place = 0;
  let unsaved = false;

  const fields = items.flatMap((item) => [...item.querySelectorAll("[data-question]")].map((field) => ({ item, field })));

  // One row a question; an open one has no answer.
  const rows = () => fields.map(({ item, field }) => {
    const answer = field.querySelector("input:checked")?.value ?? null;
    const turn = field.querySelector("[data-turn]");
    const named = answer === "yes" && turn !== null && turn.value !== "" ? Number(turn.value) : null;
    return { sheet, annotator: annotator.value.trim(), item: item.dataset.item, question: field.dataset.question, answer, turn: named };
  });

  const answered = (item) => [...item.querySelectorAll("[data-question]")].every((field) => field.querySelector("input:checked"));

  const show = (number) => {
    place = Math.max(0, Math.min(items.length - 1, number));
    items.forEach((item, index) => { item.hidden = index !== place; });
    document.getElementById("place").textContent = `${place + 1} of ${items.length}`;
    document.getElementById("back").disabled = place === 0;
    document.getElementById("next").disabled = place === items.length - 1;
    window.scrollTo(0, 0);
  };

  const progress = () => {
    const done = fields.filter(({ field }) => field.querySelector("input:checked")).length;
    document.getElementById("progress").textContent = `${done} of ${fields.length} questions answered`;
  };

  const keep = () => {
    try { localStorage.setItem(kept, JSON.stringify(rows())); } catch { /* a browser that keeps nothing: save the file */ }
  };

  const restore = () => {
    let before = [];
    try { before = JSON.parse(localStorage.getItem(kept) ?? "[]"); } catch { return; }
    const found = new Map(before.map((row) => [`${row.item}/${row.question}`, row]));
    for (const { item, field } of fields) {
      const row = found.get(`${item.dataset.item}/${field.dataset.question}`);
      if (row === undefined) continue;
      annotator.value = row.annotator;
      for (const input of field.querySelectorAll("input[type=radio]")) input.checked = input.value === row.answer;
      const turn = field.querySelector("[data-turn]");
      if (turn !== null && row.turn !== null) turn.value = row.turn;
    }
  };

  const save = () => {
    if (!/^[A-Za-z0-9_-]{1,40}$/.test(annotator.value.trim())) {
      annotator.focus();
      document.getElementById("progress").textContent = "Your name or code may hold letters, digits, - and _ only.";
      return;
    }
    const text = rows().map((row) => JSON.stringify(row) + "\n").join("");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
    link.download = `${annotator.value.trim()}-${sheet}.jsonl`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
    unsaved = false;
  };

  document.addEventListener("input", () => { unsaved = true; keep(); progress(); });
  document.getElementById("back").addEventListener("click", () => show(place - 1));
  document.getElementById("next").addEventListener("click", () => show(place + 1));
  document.getElementById("open").addEventListener("click", () => {
    const after = [...items.slice(place + 1), ...items.slice(0, place + 1)].find((item) => !answered(item));
    if (after !== undefined) show(items.indexOf(after));
  });
  document.getElementById("save").addEventListener("click", save);
  window.addEventListener("beforeunload", (event) => { if (unsaved) event.preventDefault(); });
  restore();
  progress();
  show(0);
})();
