
"use strict";
(() => {
  const named = (id) => document.getElementById(id);
  const details = [...document.querySelectorAll("details.finding")];

  // A link to the page of a code opens it, in browsers that do not do so by themselves.
  const reveal = () => {
    const target = named(location.hash.slice(1));
    const page = target && target.closest("details");
    if (page && !page.open) {
      page.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", reveal);
  reveal();

  // Paper cannot be clicked: everything is opened for it, and closed again.
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = details.filter((one) => !one.open);
    for (const one of opened) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of opened) one.open = false;
  });

  const form = document.querySelector("form.filters");
  if (!form) return;
  form.hidden = false;
  const byTool = named("by-tool"), byItem = named("by-item"), byText = named("by-text"), shown = named("shown");
  const whole = shown.textContent;
  const groups = [...document.querySelectorAll("section.group")].map((element) => ({
    element,
    item: element.dataset.item,
    count: element.querySelector("h3 .small"),
    findings: [...element.querySelectorAll("details.finding")].map((one) => ({ one, tool: one.dataset.tool })),
  }));
  for (const group of groups) group.whole = group.count.textContent;
  // Text is looked for in what differs from finding to finding, not in the words around it.
  const parts = (one) => [...one.querySelectorAll("summary, pre, dd > code")].map((part) => part.textContent);
  const said = (finding) => (finding.text ??= parts(finding.one).join("\n").toLowerCase());

  const filter = () => {
    const tool = byTool.value, item = byItem.value, wanted = byText.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const group of groups) {
      let here = 0;
      if (!item || group.item === item) {
        for (const finding of group.findings) {
          const fits = (!tool || finding.tool === tool) && wanted.every((word) => said(finding).includes(word));
          finding.one.hidden = !fits;
          here += fits;
        }
      }
      group.element.hidden = !here;
      group.count.textContent = here === group.findings.length ? group.whole : `${here} of ${group.whole}`;
      left += here;
    }
    shown.textContent = left === details.length ? whole : `${left.toLocaleString("en")} of ${whole}`;
    named("none").hidden = left > 0;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  const clear = () => {
    form.reset();
    filter();
  };
  named("clear").addEventListener("click", clear);
  // What is linked to from the checklist must not be hidden.
  addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest('a[href^="#found-"]');
    if (link) clear();
  });
  filter(); // browsers keep what was chosen when the page is loaded again
})();
