"use strict";
/* Live tokens and heat of one version. */

document.addEventListener("DOMContentLoaded", async () => {
  const data = Cockpit.data("definition-data");
  const diagram = new Cockpit.Diagram(document.getElementById("definition-diagram"), data.file);
  if (!(await diagram.open())) return;
  const choice = document.getElementById("heat");
  const say = document.getElementById("heat-say");
  const tones = { Waiting: "wait", Failed: "bad", Suspended: "warn" };
  const stale = (is) => { document.getElementById("stale").hidden = !is; };

  const count = async () => {
    try {
      if (!document.hidden) {
        const answer = await fetch(data.counts);
        if (!answer.ok) throw new Error(String(answer.status));
        const found = await answer.json();
        const byNode = new Map();
        for (const [node, status, number] of found.nodes) {
          const tone = tones[status] || "live";
          const held = byNode.get(node) || {};
          held[tone] = (held[tone] || 0) + number;
          byNode.set(node, held);
        }
        diagram.tokens(byNode);
        if (found.partial && !choice.value) say.textContent = say.dataset.partial;
        stale(false);
      }
    } catch (error) { stale(true); }
    setTimeout(count, 3000);
  };
  count();
  diagram.onPick = (node) => { if (data.nodes[node]) location.assign(data.search + encodeURIComponent(node)); };

  let heat = null;
  const clear = () => { for (let level = 1; level <= 5; level++) diagram.only(`heat-${level}`, []); diagram.notes("heat", []); say.textContent = ""; };
  choice.addEventListener("change", async () => {
    clear();
    const what = choice.value;
    if (!what) return;
    if (!heat) heat = await (await fetch(data.heat)).json();
    const values = heat.nodes.filter((one) => one[what] !== null);
    const top = Math.max(...values.map((one) => one[what]), 0);
    const level = (value) => (top > 0 ? Math.min(5, 1 + Math.floor((Math.log1p(value) / Math.log1p(top)) * 4.999)) : 1);
    for (let n = 1; n <= 5; n++) diagram.only(`heat-${n}`, values.filter((one) => level(one[what]) === n).map((one) => one.node_id));
    diagram.notes("heat", values.map((one) => [one.node_id, what === "passes" ? String(one.passes) : Cockpit.span(one[what] * 1000), ""]));
    say.textContent = `${say.dataset.of} ${heat.instances}`;
  });
});
