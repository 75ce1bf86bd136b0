"use strict";
/* A slider over the events: tokens move at once, what the server knows of the moment follows. */

document.addEventListener("cockpit:ready", () => {
  const box = document.getElementById("replay");
  const slider = document.getElementById("cursor");
  const say = document.getElementById("replay-say");
  const { feed, tokens } = Cockpit;
  const play = box.querySelector("[data-act=play]");
  let timer = null, asked = null, following = true, telling = false;

  const bySequence = (sequence) => {
    let low = 0, high = feed.steps.length - 1;
    while (low < high) { const middle = (low + high) >> 1; if (feed.steps[middle].sequence < sequence) low = middle + 1; else high = middle; }
    return feed.steps[low];
  };
  const name = (node) => { const known = Cockpit.data("diagram-data").nodes[node]; return (known && known.name) || node; };

  const show = () => {
    const sequence = Number(slider.value);
    const step = bySequence(sequence);
    if (!step) return;
    tokens.to(sequence);
    Cockpit.show();
    Cockpit.diagram.only("chosen", step.node ? [step.node] : []);
    const when = `+${Cockpit.span(step.at)}`;
    say.textContent = [`#${sequence} ${box.dataset.of} ${slider.max}`, step.type, step.node ? name(step.node) : "", when].filter(Boolean).join(" · ");
    slider.setAttribute("aria-valuetext", say.textContent);
    clearTimeout(asked);
    asked = setTimeout(() => { history.replaceState(null, "", `#${sequence}`); tell(); }, 150);
  };
  /* One question at a time: folding a long history takes the server a moment, and only the newest answer counts. */
  const tell = async () => {
    if (telling) return;
    telling = true;
    for (let told = null; told !== slider.value;) {
      told = slider.value;
      try { await htmx.ajax("GET", `${box.dataset.snapshot}${told}/`, { target: "#snapshot", swap: "morph:innerHTML" }); } catch (error) { break; }
    }
    telling = false;
  };
  const go = (sequence) => { slider.value = sequence; show(); };
  const stop = () => { clearInterval(timer); timer = null; play.textContent = box.dataset.play; };
  const acts = {
    first: () => go(0), last: () => go(slider.max),
    back: () => go(Number(slider.value) - 1), on: () => go(Number(slider.value) + 1),
    incident: () => {
      const steps = feed.steps.filter((step) => step.type === "IncidentOpened");
      const next = steps.find((step) => step.sequence > Number(slider.value)) || steps[0];
      if (next) go(next.sequence);
    },
    play: () => {
      if (timer) { stop(); return; }
      if (Number(slider.value) >= Number(slider.max)) slider.value = 0;
      play.textContent = box.dataset.pause;
      const stride = Math.max(1, Math.ceil(feed.steps.length / 600));
      timer = setInterval(() => { if (Number(slider.value) >= Number(slider.max)) stop(); else go(Number(slider.value) + stride); }, 350);
    },
  };
  for (const button of box.querySelectorAll("[data-act]")) button.addEventListener("click", () => { following = button.dataset.act === "last"; if (button.dataset.act !== "play") stop(); acts[button.dataset.act](); });
  slider.addEventListener("input", () => { following = false; stop(); show(); });
  window.addEventListener("hashchange", () => { if (/^#\d+$/.test(location.hash)) { following = false; go(Number(location.hash.slice(1))); } });
  if (/^#\d+$/.test(location.hash)) following = false;
  const wanted = Number(location.hash.slice(1));
  let begun = false;
  feed.listen(() => {
    slider.max = feed.last;
    box.querySelector("[data-act=incident]").disabled = !feed.steps.some((step) => step.type === "IncidentOpened");
    if (!feed.complete && !following) return;
    if (following) { slider.value = feed.last; show(); } else if (!begun) { begun = true; go(Math.min(wanted, feed.last)); }
  });
});
