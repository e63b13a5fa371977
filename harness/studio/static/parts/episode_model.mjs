// The model of an episode for pages: its calls, the shown step, the shown app and item. Pages draw its
// signals. Past and live episodes have the same model; a live one grows.
import { ask, askOnce, forget, listen, served } from "./api.mjs";
import { Flags } from "./flags.mjs";
import { batch, computed, effect, signal } from "./html.mjs";
import { itemOfCall } from "./item_of_call.mjs";
import { Jumps } from "./jumps.mjs";
import { query } from "./route.mjs";
import { APPS } from "./words.mjs";
import { Worth, costliest } from "./worth_model.mjs";

const AHEAD = 4;
const DRAWN_AT_ONCE = 60;

export class Episode {
  /** `at` may have the step, app and item to begin with, as texts from an address; without a step it begins at the
   * costliest. With `values`, the worth of steps is computed if it is not stored. */
  constructor(key, at = {}, values = false) {
    this.key = key;
    this.path = `/api/episodes/${key}`;
    this.error = signal("");
    this.facts = signal(null);
    this.calls = signal([]);
    this.timeline = signal(null);
    this.worth = new Worth(this.path, values);
    this.flags = new Flags(this.path);
    this.step = signal(null);
    const known = APPS.includes(at.app); // an address may be mistyped
    this.app = signal(known ? at.app : "desk");
    this.item = signal(known && at.item || "");
    this.sheet = signal("");
    this.top = signal(1);
    this.follow = signal(!known);
    this.live = signal(false);
    this.search = signal("");
    this.found = signal(null);
    this.appFilter = signal("");
    this.details = signal(undefined); // undefined until known; null in the morning, false if they cannot be shown
    this.state = signal(null);
    this.statePathShown = signal("");
    this.pathAsked = computed(() => this.statePath(this.step.value, this.app.value, this.item.value));
    /** Whether the panes show a different moment than requested. */
    this.stateIsOld = computed(() => this.statePathShown.value !== this.pathAsked.value);
    this.detailsAreOld = computed(() => this.details.value !== undefined && (this.details.value?.call?.step ?? 0) !== this.step.value);
    this.originMissing = signal("");
    this.running = computed(() => served && this.facts.value?.state === "running");
    this.choose = (step) => this.goTo(step);
    this.jumps = new Jumps(this);
    this.moved = !Number.isNaN(Number.parseInt(at.step, 10)); // if the address names a step, nothing else moves it
    this.stops = [];
    this.asking = new AbortController(); // for a step and its neighbours
    this.askingState = new AbortController();
    this.beginning = new AbortController();
    this.begin(at);
  }

  async begin(at) {
    try {
      const [facts, log] = await Promise.all([ask(this.path, this.beginning.signal), ask(`${this.path}/log`, this.beginning.signal), this.worth.load()]);
      const last = log.total, wanted = Number.parseInt(at.step, 10);
      batch(() => {
        this.facts.value = facts;
        this.calls.value = log.calls;
        this.live.value = this.running.value && Number.isNaN(wanted);
        const first = costliest(this.worth.curve.value) ?? Math.min(1, last);
        this.step.value = Number.isNaN(wanted) ? (this.live.value ? last : first) : Math.max(0, Math.min(last, wanted));
      });
      this.flags.load();
      this.stops.push(effect(() => this.load(this.step.value)), effect(() => this.loadState()));
      if (this.running.value) this.watch();
      this.stops.push(effect(() => this.showCostliest(this.worth.curve.value)));
      this.timeline.value = await ask(`${this.path}/timeline`, this.beginning.signal);
    } catch (error) { if (!this.beginning.signal.aborted) this.error.value = error.message; }
  }

  /** Show the costliest step once it is known, unless the user has looked elsewhere. */
  showCostliest(curve) {
    const step = costliest(curve);
    if (step === null || this.moved) return;
    this.step.value = step;
  }

  /** Whether the shown step is completely loaded. */
  drawn() {
    const step = this.step.peek(), details = this.details.peek();
    return (step ? details?.call?.step === step : details === null) && this.state.peek()?.step === step;
  }

  close() {
    this.worth.close();
    for (const stop of this.stops) stop();
    for (const asked of [this.beginning, this.asking, this.askingState]) asked.abort();
  }

  /** Show a step; going back stops following live. */
  goTo(step) {
    const last = this.calls.value.length, next = Math.max(0, Math.min(last, step));
    this.moved = true;
    batch(() => {
      this.step.value = next;
      this.originMissing.value = "";
      this.error.value = "";
      if (this.running.value) this.live.value = next === last;
    });
  }

  move(by, sameApp) {
    const calls = this.calls.value, app = calls[this.step.value - 1]?.app;
    let next = this.step.value + by;
    if (sameApp) while (next > 0 && next <= calls.length && calls[next - 1].app !== app) next += by;
    if (next >= 0 && next <= calls.length && !(sameApp && next < 1)) this.goTo(next);
  }

  open(app, item) {
    if (!APPS.includes(app)) return;
    this.moved = true;
    batch(() => { this.app.value = app; this.item.value = item; this.sheet.value = ""; this.top.value = 1; this.follow.value = false; });
  }

  statePath(step, app, item) {
    const asked = { item, sheet: this.sheet.value, top: this.top.value > 1 ? this.top.value : "" };
    return `${this.path}/state/${step}/${app}${query(asked)}`;
  }

  /** Load the call of a step, and let the shown app follow it. */
  async load(step) {
    if (step === null) return;
    const before = this.asking, { signal } = this.asking = new AbortController();
    const failed = (error) => {
      if (signal.aborted) return undefined;
      this.error.value = error.message;
      return false;
    };
    const asked = step ? askOnce(`${this.path}/steps/${step}`, signal).catch(failed) : null;
    before.abort(); // only now, since the new request may reuse one made in advance
    const details = await asked;
    if (this.step.peek() !== step || details === undefined) return;
    batch(() => {
      this.details.value = details;
      if (!this.follow.peek() || !details) return;
      const { app, item } = itemOfCall(details);
      if (app && (app !== this.app.peek() || item !== this.item.peek())) {
        this.app.value = app; this.item.value = item; this.sheet.value = ""; this.top.value = 1;
      }
    });
    for (let n = 1; n <= AHEAD; n++) {
      for (const near of [step + n, step - n]) {
        if (near > 0 && near <= this.calls.peek().length) askOnce(`${this.path}/steps/${near}`, signal).catch(() => {});
      }
    }
  }

  /** Load the state of the shown app; a late answer is not drawn. */
  async loadState() {
    const path = this.pathAsked.value;
    if (this.step.value === null) return;
    this.askingState.abort();
    const { signal } = this.askingState = new AbortController();
    const show = (state) => batch(() => { this.state.value = state; this.statePathShown.value = path; });
    try {
      const state = await askOnce(path, signal);
      if (!signal.aborted) show(state);
    } catch (error) {
      if (!signal.aborted) batch(() => { show(null); this.error.value = error.message; });
    }
  }

  async find(text) {
    this.search.value = text;
    if (!text.trim()) { this.found.value = null; return; }
    const { steps } = await ask(`${this.path}/found${query({ q: text })}`);
    if (this.search.value === text) this.found.value = new Set(steps);
  }

  /** Show the next search result, in any app. */
  goToFound(by) {
    this.appFilter.value = "";
    this.jumps.go("found", by);
  }

  /** Go back to the step that last changed an item, or a part of it. */
  async goToOrigin(part = "") {
    const app = this.app.value, item = this.item.value, shown = this.step.value;
    const asked = { app, item, sheet: this.sheet.value, part, before: shown };
    const { step } = await ask(`${this.path}/origin${query(asked)}`);
    if (step === null) { this.originMissing.value = "It was there in the morning."; return; }
    batch(() => { this.follow.value = false; this.goTo(step); });
    if (step === shown) this.originMissing.value = "This step changed it.";
  }

  watch() {
    this.moved = true; // a watching user stays at the same step when the day is over
    const from = this.calls.value.length;
    this.stops.push(listen(`${this.path}/events?after=${from}`, {
      calls: ({ calls, total }) => this.grow(calls, total),
      again: () => { forget(this.path); batch(() => { this.calls.value = []; this.step.value = 0; this.live.value = true; }); },
      state: async ({ state }, stop) => {
        if (state !== "done" && state !== "broken") return;
        stop();
        this.facts.value = await ask(this.path);
        this.timeline.value = await ask(`${this.path}/timeline`);
        this.worth.load();
      },
    }));
  }

  grow(fresh, total) {
    const known = this.calls.value.length;
    batch(() => {
      this.calls.value = [...this.calls.value, ...fresh.filter((call) => call.step > known)];
      if (this.live.value) this.step.value = total;
    });
    if (fresh.length > DRAWN_AT_ONCE || fresh.some((call) => call.app === "desk" || call.notices)) this.redrawTimeline();
  }

  redrawTimeline() {
    clearTimeout(this.redraw);
    this.redraw = setTimeout(async () => { this.timeline.value = await ask(`${this.path}/timeline`); }, 300);
  }
}
