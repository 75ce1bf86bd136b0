"use strict";
/* The history of one instance as the server tells it piece by piece, and what its tokens were after any event. */

window.Cockpit = window.Cockpit || {};

Cockpit.data = (id) => {
  const element = document.getElementById(id);
  return element ? JSON.parse(element.textContent) : null;
};

Cockpit.Feed = class {
  constructor(address, live) {
    this.address = address;
    this.live = live;
    this.steps = [];
    this.status = "";
    this.startedAt = null;
    this.complete = false;
    this.listeners = [];
  }

  listen(listener) { this.listeners.push(listener); }

  get last() { return this.steps.length ? this.steps[this.steps.length - 1].sequence : -1; }

  async start() {
    try {
      while (await this.read());
      this.complete = true;
      this.tell();
    } catch (error) { this.stale(true); }
    if (this.live) setTimeout(() => this.follow(), 2000);
  }

  async follow() {
    try {
      if (!document.hidden) {
        const before = this.last;
        while (await this.read());
        this.complete = true;
        if (this.last !== before) this.tell();
        this.stale(false);
      }
    } catch (error) { this.stale(true); }
    if (this.live) setTimeout(() => this.follow(), 2000);
  }

  async read() {
    const answer = await fetch(`${this.address}?after=${this.last}`, { headers: { "Accept": "application/json" } });
    if (!answer.ok) throw new Error(String(answer.status));
    const piece = await answer.json();
    this.status = piece.status;
    this.startedAt = Date.parse(piece.started_at);
    this.live = piece.status !== "COMPLETED" && piece.status !== "CANCELLED";
    for (const [sequence, at, type, token, node, status, final, details] of piece.steps) {
      this.steps.push({
        sequence, at, type: piece.types[type], token: token < 0 ? null : piece.tokens[token],
        node: node < 0 ? null : piece.nodes[node], status, final: final === 1, details,
      });
    }
    if (piece.more) this.tell();
    return piece.more;
  }

  tell() { for (const listener of this.listeners) listener(this); }

  stale(is) {
    const shown = document.getElementById("stale");
    if (shown) shown.hidden = !is;
  }
};

/* Tokens after the events that were applied so far; going back begins anew. */
Cockpit.Tokens = class {
  constructor(feed) { this.feed = feed; this.clear(); }

  clear() {
    this.applied = 0;
    this.live = new Map();
    this.flows = new Map();
    this.passed = new Set();
  }

  to(sequence) {
    const steps = this.feed.steps;
    if (this.applied && steps[this.applied - 1].sequence > sequence) this.clear();
    while (this.applied < steps.length && steps[this.applied].sequence <= sequence) this.apply(steps[this.applied++]);
    return this;
  }

  apply(step) {
    if (step.type === "InstanceMigrated") this.rename(step.details.nodes || {});
    if (!step.token || !step.status) {
      if (step.type === "TokenMoved" && this.live.has(step.token)) this.live.get(step.token).node = step.node;
      return;
    }
    if (step.final) { this.live.delete(step.token); this.passed.add(step.node); return; }
    const known = this.live.get(step.token) || { node: step.node, status: "", before: "", wait: "" };
    if (step.status === "restored") { known.status = known.before || "Waiting"; this.live.set(step.token, known); return; }
    if (step.status === "Suspended") known.before = known.status;
    if (step.status === "Completed") this.passed.add(step.node);
    known.node = step.node || known.node;
    known.status = step.status;
    known.wait = step.details.wait || "";
    if (step.details.flow && /^Token(Created|Arrived)$/.test(step.type)) this.flows.set(step.details.flow, (this.flows.get(step.details.flow) || 0) + 1);
    this.live.set(step.token, known);
  }

  rename(nodes) {
    for (const token of this.live.values()) token.node = nodes[token.node] || token.node;
  }

  byNode() {
    const found = new Map();
    for (const token of this.live.values()) {
      const tone = Cockpit.tone(token.status);
      const node = found.get(token.node) || {};
      node[tone] = (node[tone] || 0) + 1;
      found.set(token.node, node);
    }
    return found;
  }
};

/* Status to tone; the sign beside it makes sure that colour is never alone. */
Cockpit.tone = (status) => ({ Waiting: "wait", Failed: "bad", Suspended: "warn" }[status] || "live");
Cockpit.signs = { wait: "◷", bad: "!", warn: "‖", live: "▶" };
Cockpit.tones = ["bad", "warn", "live", "wait"];

Cockpit.span = (ms) => {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = ms / 1000;
  if (s < 60) return `${s.toFixed(s < 10 ? 1 : 0)} s`;
  const two = (number, unit, rest, smaller) => (rest ? `${number} ${unit} ${rest} ${smaller}` : `${number} ${unit}`);
  if (s < 3600) return two(Math.floor(s / 60), "min", Math.floor(s % 60), "s");
  if (s < 86400) return two(Math.floor(s / 3600), "h", Math.floor((s % 3600) / 60), "min");
  return two(Math.floor(s / 86400), "d", Math.floor((s % 86400) / 3600), "h");
};
