"use strict";
/* A BPMN diagram with tokens, paths and heat on it. */

window.Cockpit = window.Cockpit || {};

Cockpit.Diagram = class {
  constructor(box, file) {
    this.box = box;
    this.file = file;
    this.badges = new Map();
    this.marked = new Map();
    this.placed = false;
    this.onPick = () => {};
  }

  async open() {
    const room = this.box.querySelector(".diagram-room");
    if (!window.BpmnJS) { this.fail(); return false; }
    this.viewer = new BpmnJS({ container: room });
    try {
      const answer = await fetch(this.file);
      if (!answer.ok) throw new Error(String(answer.status));
      await this.viewer.importXML(await answer.text());
    } catch (error) { this.fail(); return false; }
    this.canvas = this.viewer.get("canvas");
    this.overlays = this.viewer.get("overlays");
    this.registry = this.viewer.get("elementRegistry");
    this.fit();
    this.viewer.get("eventBus").on("element.click", (event) => this.onPick(event.element.id));
    this.buttons();
    this.box.dataset.ready = "yes";
    return true;
  }

  fail() { this.box.querySelector(".diagram-failed").hidden = false; this.box.dataset.ready = "failed"; }

  fit() {
    this.canvas.zoom("fit-viewport", "auto");
    this.canvas.zoom(Math.min(this.canvas.zoom() * 0.92, 1), "auto");
  }

  buttons() {
    const by = (factor) => () => this.canvas.zoom(Math.min(Math.max(this.canvas.zoom() * factor, 0.1), 4), "auto");
    const acts = { in: by(1.25), out: by(0.8), fit: () => this.fit() };
    for (const button of this.box.querySelectorAll("[data-zoom]")) button.addEventListener("click", acts[button.dataset.zoom]);
  }

  /* Counts of the tokens inside a collapsed subprocess stand on it as well, one plane up. */
  spread(byNode) {
    const found = new Map(byNode);
    for (const [node, tones] of byNode) {
      let element = this.registry.get(node);
      while (element) {
        const root = this.canvas.findRoot(element);
        const owner = root && root.id.endsWith("_plane") ? this.registry.get(root.id.slice(0, -6)) : null;
        if (!owner) break;
        const sum = { ...(found.get(owner.id) || {}) };
        for (const tone of Object.keys(tones)) sum[tone] = (sum[tone] || 0) + tones[tone];
        sum.inside = true;
        found.set(owner.id, sum);
        element = owner;
      }
    }
    return found;
  }

  tokens(byNode, describe) {
    if (!this.registry) return;
    const all = this.spread(byNode);
    for (const [node, badge] of this.badges) {
      if (!all.has(node)) { this.overlays.remove(badge.id); this.badges.delete(node); this.mark(node, "holds", false); }
    }
    for (const [node, tones] of all) {
      if (!this.registry.get(node)) continue;
      const text = Cockpit.tones.filter((tone) => tones[tone]).map((tone) => `${tone}${tones[tone]}`).join() + (tones.inside ? "i" : "");
      const known = this.badges.get(node);
      if (known && known.text === text) continue;
      if (known) this.overlays.remove(known.id);
      const html = this.badge(tones, describe ? describe(node, tones) : "");
      this.badges.set(node, { text, id: this.overlays.add(node, "tokens", { position: { top: -20, left: -10 }, html }) });
      this.mark(node, "holds", true);
    }
    if (!this.placed) { this.placed = true; this.toTokens(byNode); }
  }

  badge(tones, title) {
    const box = document.createElement("div");
    box.className = tones.inside ? "tokens inside" : "tokens";
    if (title) box.title = title;
    for (const tone of Cockpit.tones) {
      if (!tones[tone]) continue;
      const one = document.createElement("span");
      one.className = `token ${tone}`;
      one.textContent = `${Cockpit.signs[tone]} ${tones[tone]}`;
      box.append(one);
    }
    return box;
  }

  /* Where no token is on the plane that is shown, go to the one that has the first of them. */
  toTokens(byNode) {
    const here = this.canvas.getRootElement();
    const roots = [...byNode.keys()].map((node) => this.registry.get(node)).filter(Boolean).map((one) => this.canvas.findRoot(one));
    if (roots.length && !roots.includes(here)) { this.canvas.setRootElement(roots[0]); this.fit(); }
    const first = [...byNode.keys()].find((node) => this.registry.get(node));
    if (first && this.box.clientWidth < 600 && this.canvas.zoom() < 0.5) {
      this.canvas.zoom(0.6, "auto");
      this.canvas.scrollToElement(first, 80);
    }
  }

  mark(element, name, on) {
    if (!this.registry || !this.registry.get(element)) return;
    const key = `${name} ${element}`;
    if (on === this.marked.has(key)) return;
    if (on) { this.marked.set(key, true); this.canvas.addMarker(element, name); } else { this.marked.delete(key); this.canvas.removeMarker(element, name); }
  }

  only(name, elements) {
    const wanted = new Set(elements);
    for (const key of [...this.marked.keys()]) {
      const [marker, ...rest] = key.split(" ");
      if (marker === name && !wanted.has(rest.join(" "))) this.mark(rest.join(" "), name, false);
    }
    for (const element of wanted) this.mark(element, name, true);
  }

  notes(kind, texts) {
    if (!this.overlays) return;
    this.overlays.remove({ type: kind });
    for (const [node, text, title] of texts) {
      if (!this.registry.get(node)) continue;
      const html = document.createElement("div");
      html.className = `note ${kind}`;
      html.textContent = text;
      if (title) html.title = title;
      this.overlays.add(node, kind, { position: { bottom: 10, right: 14 }, html });
    }
  }
};

/* The diagram of an instance, as it is now; the pages of time line and replay move it themselves. */
document.addEventListener("DOMContentLoaded", async () => {
  const box = document.getElementById("instance-diagram");
  const data = Cockpit.data("diagram-data");
  if (!box || !data) return;
  const diagram = Cockpit.diagram = new Cockpit.Diagram(box, data.file);
  const feed = Cockpit.feed = new Cockpit.Feed(data.pieces, data.live);
  const tokens = Cockpit.tokens = new Cockpit.Tokens(feed);
  const name = (node) => (data.nodes[node] && data.nodes[node].name) || node;
  const picked = () => document.querySelectorAll("[data-node]").forEach((row) => row.classList.toggle("picked", row.dataset.node === Cockpit.picked));
  const open = await diagram.open();
  Cockpit.show = () => {
    if (!open) return;
    diagram.tokens(tokens.byNode(), name);
    diagram.only("taken", [...tokens.flows].filter(([, times]) => times > 0).map(([flow]) => flow));
    diagram.only("passed", tokens.passed);
  };
  diagram.onPick = (node) => { Cockpit.picked = Cockpit.picked === node ? null : node; diagram.only("chosen", Cockpit.picked ? [node] : []); picked(); };
  document.addEventListener("htmx:afterSettle", picked);
  if (!box.dataset.driven) feed.listen(() => { tokens.to(Infinity); Cockpit.show(); });
  document.dispatchEvent(new CustomEvent("cockpit:ready"));
  feed.start();
});
