// To the next step of a kind: one that failed, one that cost something, one in which the search found its words.
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
    this.found = computed(() => [...episode.found.value ?? []].sort(ascending));
  }

  /** The next step of a kind, backwards with `by` -1; after the last comes the first. */
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

const KINDS = { failed: ["failed", "f"], costly: ["costly", "c"] };

export function JumpButtons({ jumps }) {
  return html`${Object.entries(KINDS).map(([kind, [word, key]]) => {
    const there = jumps[kind].value.length;
    return html`<button key=${kind} disabled=${!there} onClick=${(event) => jumps.go(kind, event.shiftKey ? -1 : 1)}
      title=${there ? `To the next ${word} call (${key}; backwards with Shift)` : `There is no ${word} call`}>Next ${word}</button>`;
  })}`;
}
