"use strict";
/* Two diagrams with what was added, removed and changed. */

document.addEventListener("DOMContentLoaded", () => {
  Cockpit.data("comparison-data").forEach(async (one, number) => {
    const diagram = new Cockpit.Diagram(document.getElementById(`diagram-${number}`), one.file);
    if (!(await diagram.open())) return;
    for (const [mark, elements] of Object.entries(one.marks)) diagram.only(mark, elements);
  });
});
