// Jumps to the next step of a kind: failed, costly, flagged by people, or found by the search.
import { computed, html } from "./html.mjs";
import { stepOf } from "./worth_model.mjs";

function ascending(step, other) { return step - other; }

/** The steps of an episode to jump between, by kind, each in order. */
export class Jumps {
  constructor(episode) {
    this.episode = episode;
    this.failed = computed(() => episode.calls.value.filter((call) => !call.ok).map((call) => call.step));
    this.costly = computed(() => {
      const curve = episode.worth.curve.value;
      return curve ? [...new Set(curve.losses.map((loss) => stepOf(loss, curve)))].sort(ascending) : [];
    });
    this.flagged = computed(() => episode.flags.all.value.map((flag) => flag.step)
      .filter((step) => step <= episode.calls.value.length)); // an earlier attempt may have had more steps
    this.found = computed(() => [...episode.found.value ?? []].sort(ascending));
  }

  /** The next step of a kind, backwards if `by` is -1; it wraps around at the end. */
  next(kind, by = 1) {
    const steps = this[kind].value, here = this.episode.step.value;
    const onward = by > 0 ? steps.find((step) => step > here) : steps.findLast((step) => step < here);
    return onward ?? (by > 0 ? steps[0] : steps.at(-1));
  }

  go(kind, by = 1) {
    const step = this.next(kind, by);
    if (step !== undefined) this.episode.goTo(step);
  }
}

/** The word on the button, the kind of call, the key. */
const KINDS = { failed: ["failed", "failed call", "f"], costly: ["costly", "costly call", "c"], flagged: ["flag", "flagged call", "g"] };

export function JumpButtons({ jumps }) {
  return html`${Object.entries(KINDS).map(([kind, [word, call, key]]) => {
    const there = jumps[kind].value.length;
    if (kind === "flagged" && !there) return null;
    return html`<button key=${kind} disabled=${!there} onClick=${(event) => jumps.go(kind, event.shiftKey ? -1 : 1)}
      title=${there ? `To the next ${call} (${key}; backwards with Shift)` : `There is no ${call}`}>Next ${word}</button>`;
  })}`;
}
