// The worth of each step of an episode: the stored values, and their computation.
import { ask, post } from "./api.mjs";
import { computed, signal } from "./html.mjs";

const PAUSE = 400;

export class Worth {
  /** With `unasked`, missing values are computed as soon as they are known to be missing. */
  constructor(path, unasked = false) {
    this.unasked = unasked;
    this.path = `${path}/worth`;
    this.shown = signal(null);
    this.error = signal("");
    this.curve = computed(() => this.shown.value?.curve ?? null);
    this.runs = computed(() => this.shown.value?.job?.state === "running");
    this.closed = false;
  }

  /** Load the stored values, and keep asking while they are being computed. */
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

/** The first loss of a day that does not round to nothing. */
export function firstLoss(curve) { return curve.losses.find((loss) => loss.rank !== null) ?? null; }

/** The number of costliest steps that are listed first. */
export const COSTLIEST = 3;

/** The losses that do not round to nothing, the costliest first. */
export function ranked(curve) { return curve.losses.filter((loss) => loss.rank !== null).sort((loss, other) => loss.rank - other.rank); }

/** The costliest step, null if none cost anything. */
export function costliest(curve) { return curve && ranked(curve).length ? stepOf(ranked(curve)[0], curve) : null; }

/** The step that a loss leads to; the end of the work leads to the last one. */
export function stepOf(loss, curve) { return loss.step ?? curve.points.length - 1; }
