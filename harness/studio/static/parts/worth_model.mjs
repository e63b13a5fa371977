// What each step of an episode was worth: what is stored, and how it is computed.
import { ask, post } from "./api.mjs";
import { computed, signal } from "./html.mjs";

const PAUSE = 400;

export class Worth {
  /** With `unasked`, what is not stored is computed as soon as that is known. */
  constructor(path, unasked = false) {
    this.unasked = unasked;
    this.path = `${path}/worth`;
    this.shown = signal(null);
    this.error = signal("");
    this.curve = computed(() => this.shown.value?.curve ?? null);
    this.runs = computed(() => this.shown.value?.job?.state === "running");
    this.closed = false;
  }

  /** Load what there is, and go on asking while it is being computed. */
  async load() {
    await this.tell(() => ask(this.path));
    if (this.unasked && !this.closed && this.shown.value?.unasked) await this.tell(() => post(this.path, { unasked: true }));
  }

  compute() { return this.tell(() => post(this.path)); }

  stop() { return this.tell(() => post(`${this.path}/stop`)); }

  async tell(asked) {
    clearTimeout(this.timer);
    this.error.value = "";
    try { this.shown.value = await asked(); } catch (failed) { this.error.value = failed.message; }
    clearTimeout(this.timer);
    if (this.runs.value && !this.closed) this.timer = setTimeout(() => this.load(), PAUSE);
  }

  close() { this.closed = true; clearTimeout(this.timer); }
}

/** The loss that stands first in a day, of those that are more than nothing. */
export function firstLoss(curve) { return curve.losses.find((loss) => loss.rank !== null) ?? null; }

/** How many of the costliest steps are told first. */
export const COSTLIEST = 3;

/** The losses that are more than nothing, the costliest first. */
export function ranked(curve) { return curve.losses.filter((loss) => loss.rank !== null).sort((loss, other) => loss.rank - other.rank); }

/** The step that cost most, null if none cost anything. */
export function costliest(curve) { return curve && ranked(curve).length ? stepOf(ranked(curve)[0], curve) : null; }

/** The step that a loss leads to; the end of the work is at the last one. */
export function stepOf(loss, curve) { return loss.step ?? curve.points.length - 1; }
