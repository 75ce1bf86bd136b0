"use strict";
/* One lane per token, made from the history as it comes in: stays, leases, marks, and the lines of forks and joins. */

window.Cockpit = window.Cockpit || {};

Cockpit.Lanes = class {
  constructor(flows) {
    this.flows = flows;
    this.lanes = [];
    this.byToken = new Map();
    this.finals = new Map();
    this.outer = new Map();
    this.links = [];
    this.applied = 0;
    this.end = { at: 0, sequence: 0 };
  }

  take(steps) {
    for (; this.applied < steps.length; this.applied++) {
      const step = steps[this.applied];
      this.end = { at: Math.max(this.end.at, step.at), sequence: step.sequence };
      if (step.type === "ScopeEntered" && step.token) this.outer.set(step.details.scope, step.token);
      if (step.token) this.step(step);
    }
  }

  step(step) {
    const point = { at: step.at, sequence: step.sequence };
    let lane = this.byToken.get(step.token);
    if (!lane) {
      if (!step.status && step.type !== "TokenMoved") return;
      lane = { token: step.token, number: this.lanes.length, from: point, to: null, stays: [], spans: [], marks: [], nodes: [] };
      this.byToken.set(step.token, lane);
      this.lanes.push(lane);
      this.link(step, lane, point);
    }
    this.span(step, lane, point);
    if (!step.status) return;
    const last = lane.stays[lane.stays.length - 1];
    let status = step.status;
    if (status === "restored") status = (last && last.before) || "Waiting";
    if (last && !last.to) last.to = point;
    if (step.final) {
      lane.to = point;
      lane.ended = step.status;
      if (step.type === "TokenCompleted") this.final(step, lane);
      return;
    }
    if (step.status === "Failed") lane.marks.push({ ...point, kind: "bad" });
    lane.stays.push({
      from: point, to: null, node: step.node, status, wait: step.details.wait || "", before: last ? last.status : "",
    });
    if (lane.nodes[lane.nodes.length - 1] !== step.node) lane.nodes.push(step.node);
  }

  final(step, lane) {
    const known = this.finals.get(step.node);
    if (!known || known.used) this.finals.set(step.node, { lanes: [lane], used: false });
    else known.lanes.push(lane);
  }

  link(step, lane, point) {
    const { reason, flow, scope } = step.details;
    const source = flow && this.flows[flow] ? this.flows[flow][0] : null;
    const ended = reason === "join" ? this.finals.get(step.node) : this.finals.get(source);
    let parents = [];
    if (ended && (reason === "join" || reason === "fork" || source)) {
      ended.used = true;
      parents = reason === "join" ? ended.lanes : ended.lanes.slice(-1);
    } else if (this.outer.has(scope)) {
      parents = [this.byToken.get(this.outer.get(scope))].filter(Boolean);
    }
    for (const parent of parents) this.links.push({ from: parent, to: lane, point, kind: reason === "join" ? "join" : "fork" });
    lane.reason = reason;
  }

  span(step, lane, point) {
    const { details, type } = step;
    const open = lane.spans[lane.spans.length - 1];
    const close = () => { if (open && !open.to) open.to = point; };
    if (type === "ExternalTaskLocked") { close(); lane.spans.push({ kind: "lease", from: point, to: null, who: details.worker, until: details.expires_at }); }
    else if (type === "JobStarted") { close(); lane.spans.push({ kind: "lease", from: point, to: null, who: `job, ${details.attempt}`, until: null }); }
    else if (type === "ExternalTaskLockExtended" && open) open.until = details.expires_at;
    else if (/^(ExternalTask|Job)(Completed|Unlocked|LockExpired|LeaseExpired|ErrorThrown|Cancelled)$/.test(type)) {
      close();
      if (/Expired$/.test(type)) lane.marks.push({ ...point, kind: "warn" });
    } else if (/^(ExternalTask|Job)Failed$/.test(type)) {
      close();
      lane.marks.push({ ...point, kind: "bad", retries: details.retries });
      if (details.retries > 0) lane.spans.push({ kind: "retry", from: point, to: null, who: details.available_at, until: null });
    } else if (step.status === "Ready" || step.final) close();
  }
};
