// Says that a question is under way, and sends it once.
addEventListener("submit", (event) => {
  const form = event.target, said = form.querySelector("[role=status]");
  if (form.dataset.sent) return event.preventDefault();
  form.dataset.sent = "yes";
  form.querySelector("button").setAttribute("aria-disabled", "true");
  said.textContent = form.dataset.first;
  setTimeout(() => { if (form.dataset.sent) said.textContent = form.dataset.then; }, 5000);
});
addEventListener("pageshow", () => {
  for (const form of document.forms) {
    delete form.dataset.sent;
    form.querySelector("button").removeAttribute("aria-disabled");
    form.querySelector("[role=status]").textContent = "";
  }
});
