
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const details = [...document.querySelectorAll("details.finding")];

  // Open the page of a code when it is linked to; not every browser does that by itself.
  const reveal = () => {
    const target = byId(location.hash.slice(1));
    const page = target && target.closest("details");
    if (page && !page.open) {
      page.open = true;
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", reveal);
  reveal();

  // Open all findings for printing, and close them afterwards.
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
  const byTool = byId("by-tool"), byItem = byId("by-item"), byText = byId("by-text"), counter = byId("shown");
  const whole = counter.textContent;
  const groups = [...document.querySelectorAll("section.group")].map((element) => ({
    element,
    item: element.dataset.item,
    count: element.querySelector("h3 .small"),
    findings: [...element.querySelectorAll("details.finding")].map((one) => ({ one, tool: one.dataset.tool })),
  }));
  for (const group of groups) group.whole = group.count.textContent;
  // Search only the text that differs between findings, not the labels around it.
  const parts = (one) => [...one.querySelectorAll("summary, pre, dd > code")].map((part) => part.textContent);
  const textOf = (finding) => (finding.text ??= parts(finding.one).join("\n").toLowerCase());

  const filter = () => {
    const tool = byTool.value, item = byItem.value, wanted = byText.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const group of groups) {
      let here = 0;
      if (!item || group.item === item) {
        for (const finding of group.findings) {
          const fits = (!tool || finding.tool === tool) && wanted.every((word) => textOf(finding).includes(word));
          finding.one.hidden = !fits;
          here += fits;
        }
      }
      group.element.hidden = !here;
      group.count.textContent = here === group.findings.length ? group.whole : `${here} of ${group.whole}`;
      left += here;
    }
    counter.textContent = left === details.length ? whole : `${left.toLocaleString("en")} of ${whole}`;
    byId("none").hidden = left > 0;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
  const clear = () => {
    form.reset();
    filter();
  };
  byId("clear").addEventListener("click", clear);
  // A link from the checklist must not lead to a finding that the filter hides.
  addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest('a[href^="#found-"]');
    if (link) clear();
  });
  filter(); // browsers restore the selection when the page is reloaded
})();
