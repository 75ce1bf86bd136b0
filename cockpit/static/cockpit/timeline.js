"use strict";
/* Draws lanes on a canvas that holds only what is in view, so that a thousand tokens cost what thirty do. */

Cockpit.TimelineView = class {
  constructor(box, data) {
    this.box = box;
    this.view = box.querySelector(".timeline-view");
    this.canvas = this.view.querySelector("canvas");
    this.space = this.view.querySelector(".timeline-space");
    this.detail = document.getElementById("timeline-detail");
    this.lanes = new Cockpit.Lanes(data.flows);
    this.nodes = data.nodes;
    this.axis = "at";
    this.range = null;
    this.chosen = -1;
    this.row = 26;
    this.head = 26;
    this.listen();
  }

  get left() { return this.view.clientWidth < 520 ? 110 : 230; }
  get whole() { return { from: 0, to: Math.max(this.now(), 1) }; }
  get shown() { return this.range || this.whole; }

  now() {
    const end = this.lanes.end[this.axis];
    if (this.axis === "at" && Cockpit.feed.live && Cockpit.feed.startedAt) return Math.max(end, Date.now() - Cockpit.feed.startedAt) * 1.02;
    return end * 1.02;
  }

  take(feed) {
    this.lanes.take(feed.steps);
    this.view.style.height = `${Math.max(this.lanes.lanes.length * this.row + this.head + 12, 120)}px`;
    this.space.style.height = `${this.lanes.lanes.length * this.row + this.head + 12 - this.view.clientHeight}px`;
    document.getElementById("timeline-count").textContent = `${this.lanes.lanes.length.toLocaleString()} ${this.box.dataset.tokens}`;
    this.draw();
  }

  listen() {
    const acts = { in: () => this.zoom(0.5), out: () => this.zoom(2), fit: () => { this.range = null; this.draw(); } };
    for (const button of this.box.querySelectorAll("[data-act]")) button.addEventListener("click", acts[button.dataset.act]);
    document.getElementById("axis").addEventListener("change", (event) => { this.axis = event.target.value; this.range = null; this.draw(); });
    this.view.addEventListener("scroll", () => this.draw());
    this.view.addEventListener("keydown", (event) => this.key(event));
    this.view.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey) return;
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.value(event.offsetX));
    }, { passive: false });
    let dragged = null;
    this.canvas.addEventListener("pointerdown", (event) => { dragged = { x: event.offsetX, range: this.shown, moved: false }; });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!dragged || !(event.buttons & 1)) return;
      if (Math.abs(event.offsetX - dragged.x) < 4 && !dragged.moved) return;
      dragged.moved = true;
      const move = ((dragged.x - event.offsetX) / this.room) * (dragged.range.to - dragged.range.from);
      this.range = { from: dragged.range.from + move, to: dragged.range.to + move };
      this.draw();
    });
    this.canvas.addEventListener("pointerup", (event) => { if (dragged && !dragged.moved) this.pick(event); dragged = null; });
    new ResizeObserver(() => this.draw()).observe(this.view);
  }

  get room() { return Math.max(this.view.clientWidth - this.left - 12, 50); }
  x(value) { const { from, to } = this.shown; return this.left + ((value - from) / (to - from)) * this.room; }
  value(x) { const { from, to } = this.shown; return from + ((x - this.left) / this.room) * (to - from); }

  zoom(factor, around) {
    const { from, to } = this.shown;
    const at = around === undefined ? (from + to) / 2 : around;
    const least = this.axis === "at" ? 1 : 4;
    const width = Math.max((to - from) * factor, least);
    if (width >= this.whole.to) this.range = null;
    else { const start = Math.max(at - (at - from) * (width / (to - from)), 0); this.range = { from: start, to: start + width }; }
    this.draw();
  }

  key(event) {
    const { from, to } = this.shown;
    const shift = (part) => { const by = (to - from) * part; this.range = { from: from + by, to: to + by }; this.draw(); };
    const acts = {
      ArrowDown: () => this.choose(this.chosen + 1), ArrowUp: () => this.choose(this.chosen - 1),
      PageDown: () => this.choose(this.chosen + 15), PageUp: () => this.choose(this.chosen - 15),
      Home: () => this.choose(0), End: () => this.choose(this.lanes.lanes.length - 1),
      ArrowLeft: () => shift(-0.2), ArrowRight: () => shift(0.2),
      "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => { this.range = null; this.draw(); },
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  pick(event) {
    const number = Math.floor((event.offsetY - this.head + this.view.scrollTop) / this.row);
    if (event.offsetY > this.head) this.choose(number, this.value(event.offsetX));
  }

  choose(number, value) {
    if (!this.lanes.lanes.length) return;
    this.chosen = Math.min(Math.max(number, 0), this.lanes.lanes.length - 1);
    const top = this.chosen * this.row;
    if (top < this.view.scrollTop) this.view.scrollTop = top;
    if (top + this.row + this.head > this.view.scrollTop + this.view.clientHeight) this.view.scrollTop = top + this.row + this.head - this.view.clientHeight;
    this.tell(value);
    this.draw();
  }

  name(node) { return (this.nodes[node] && this.nodes[node].name) || node || ""; }

  tell(value) {
    const lane = this.lanes.lanes[this.chosen];
    const stay = value === undefined ? lane.stays[lane.stays.length - 1]
      : lane.stays.find((one) => one.from[this.axis] <= value && (!one.to || one.to[this.axis] >= value));
    const until = (point) => (point ? point.at : this.now() / 1.02);
    const parts = [`${this.chosen + 1} / ${this.lanes.lanes.length}`, lane.token];
    if (stay) parts.push(this.name(stay.node), stay.wait ? `${stay.status} (${stay.wait})` : stay.status, this.axis === "at" ? Cockpit.span(until(stay.to) - stay.from.at) : `#${stay.from.sequence}`);
    const lease = lane.spans.find((one) => one.kind === "lease" && value !== undefined && one.from[this.axis] <= value && (!one.to || one.to[this.axis] >= value));
    if (lease) parts.push(`${this.box.dataset.lease} ${lease.who}`);
    parts.push(`${lane.reason || ""} #${lane.from.sequence}${lane.to ? `–${lane.to.sequence}` : ""}`, lane.nodes.map((node) => this.name(node)).join(" → "));
    this.detail.textContent = parts.filter(Boolean).join(" · ");
  }

  colours() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(`--${name}`).trim();
    return {
      line: of("line"), text: of("text"), muted: of("muted"), chosen: of("accent-ground"), ground: of("surface"), strong: of("line-strong"),
      Waiting: of("wait"), Failed: of("bad"), Suspended: of("warn"), Ready: of("accent"), Executing: of("accent"), Created: of("accent"),
      Completed: of("good"), lease: of("good"), retry: of("warn"), bad: of("bad"), warn: of("warn"),
    };
  }

  draw() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => { this.asked = false; this.paint(); });
  }

  paint() {
    const width = this.view.clientWidth, height = this.view.clientHeight, ratio = window.devicePixelRatio || 1;
    if (!width) return;
    if (this.canvas.width !== width * ratio || this.canvas.height !== height * ratio) {
      this.canvas.width = width * ratio;
      this.canvas.height = height * ratio;
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
    }
    const pen = this.canvas.getContext("2d");
    const colour = this.colours();
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "12px system-ui, sans-serif";
    pen.textBaseline = "middle";
    const first = Math.max(Math.floor(this.view.scrollTop / this.row), 0);
    const last = Math.min(first + Math.ceil(height / this.row) + 1, this.lanes.lanes.length);
    this.grid(pen, colour, width, height);
    for (let number = first; number < last; number++) this.lane(pen, colour, this.lanes.lanes[number], this.y(number), width);
    this.links(pen, colour, first, last);
    pen.fillStyle = colour.ground;
    pen.fillRect(0, 0, width, this.head);
    this.ticks(pen, colour, width);
  }

  y(number) { return this.head + number * this.row - this.view.scrollTop; }

  steps() {
    const { from, to } = this.shown;
    const wide = (to - from) / Math.max(Math.floor(this.room / 110), 2);
    const nice = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 3e5, 6e5, 1.8e6, 3.6e6, 1.08e7, 2.16e7, 8.64e7, 1.728e8, 6.048e8, 2.592e9, 7.776e9];
    const step = nice.find((one) => one >= wide) || wide;
    const found = [];
    for (let value = Math.ceil(from / step) * step; value <= to; value += step) found.push(value);
    return found;
  }

  grid(pen, colour, width, height) {
    pen.strokeStyle = colour.line;
    pen.lineWidth = 1;
    for (const value of this.steps()) { const x = Math.round(this.x(value)) + 0.5; pen.beginPath(); pen.moveTo(x, this.head); pen.lineTo(x, height); pen.stroke(); }
  }

  ticks(pen, colour, width) {
    pen.fillStyle = colour.muted;
    for (const value of this.steps()) {
      const text = this.axis === "at" ? `+${Cockpit.span(value)}` : `#${Math.round(value)}`;
      if (this.x(value) < width - 40) pen.fillText(text, this.x(value) + 3, this.head / 2);
    }
    pen.strokeStyle = colour.strong;
    pen.beginPath(); pen.moveTo(0, this.head + 0.5); pen.lineTo(width, this.head + 0.5); pen.moveTo(this.left - 4.5, 0); pen.lineTo(this.left - 4.5, 4000); pen.stroke();
  }

  lane(pen, colour, lane, y, width) {
    if (lane.number === this.chosen) { pen.fillStyle = colour.chosen; pen.fillRect(0, y, width, this.row); }
    pen.save();
    pen.beginPath(); pen.rect(0, y, this.left - 10, this.row); pen.clip();
    pen.fillStyle = colour.text;
    pen.fillText(this.name(lane.nodes[lane.nodes.length - 1]), 12, y + this.row / 2);
    pen.restore();
    pen.save();
    pen.beginPath(); pen.rect(this.left - 4, y, width, this.row); pen.clip();
    const end = this.now() / 1.02;
    for (const stay of lane.stays) {
      const x = this.x(stay.from[this.axis]);
      const to = Math.max(this.x(stay.to ? stay.to[this.axis] : end), x + 1.5);
      if (to < this.left - 4 || x > width) continue;
      pen.fillStyle = colour[stay.status] || colour.muted;
      if (stay.status === "Waiting") { pen.globalAlpha = 0.85; pen.fillRect(x, y + 9, to - x, 8); pen.globalAlpha = 1; } else pen.fillRect(x, y + 6, to - x, 14);
      if (to - x > 70) this.label(pen, colour, stay, x, to, y);
    }
    for (const span of lane.spans) {
      const x = this.x(span.from[this.axis]);
      const to = Math.max(this.x(span.to ? span.to[this.axis] : end), x + 1.5);
      pen.fillStyle = colour[span.kind];
      pen.fillRect(x, y + (span.kind === "lease" ? 19 : 3), to - x, 3.5);
    }
    for (const mark of lane.marks) {
      const x = this.x(mark[this.axis]);
      pen.fillStyle = colour[mark.kind];
      pen.beginPath(); pen.moveTo(x, y + 2); pen.lineTo(x + 5, y + 12); pen.lineTo(x - 5, y + 12); pen.fill();
    }
    if (lane.to) { pen.fillStyle = colour.muted; pen.fillRect(this.x(lane.to[this.axis]) - 1, y + 4, 2.5, 18); }
    pen.restore();
  }

  label(pen, colour, stay, x, to, y) {
    const from = Math.max(x, this.left);
    pen.save();
    pen.beginPath(); pen.rect(from, y, to - from - 4, this.row); pen.clip();
    pen.font = "10.5px system-ui, sans-serif";
    pen.fillStyle = colour.ground;
    const text = this.name(stay.node) + (stay.wait ? ` (${stay.wait})` : "");
    const wide = pen.measureText(text).width + 8;
    if (wide < to - from) { pen.fillRect(from + 6, y + 6, wide, 14); pen.fillStyle = colour.text; pen.fillText(text, from + 10, y + this.row / 2 + 0.5); }
    pen.restore();
  }

  links(pen, colour, first, last) {
    pen.save();
    pen.beginPath(); pen.rect(this.left - 4, this.head, 10000, 10000); pen.clip();
    pen.strokeStyle = colour.strong;
    pen.lineWidth = 1.2;
    for (const link of this.lanes.links) {
      const top = Math.min(link.from.number, link.to.number), low = Math.max(link.from.number, link.to.number);
      if (low < first || top > last) continue;
      const x = this.x(link.point[this.axis]);
      if (x < this.left - 4 || x > this.canvas.width) continue;
      pen.setLineDash(link.kind === "join" ? [] : [3, 2]);
      pen.beginPath(); pen.moveTo(x, this.y(link.from.number) + this.row / 2); pen.lineTo(x, this.y(link.to.number) + this.row / 2); pen.stroke();
    }
    pen.restore();
  }
};

document.addEventListener("cockpit:ready", () => {
  const view = Cockpit.timeline = new Cockpit.TimelineView(document.getElementById("timeline"), Cockpit.data("diagram-data"));
  Cockpit.feed.listen((feed) => view.take(feed));
});
