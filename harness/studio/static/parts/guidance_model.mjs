// The user's side of an episode that this studio runs: what waits for them, and their actions.
import { ask, listen, post, served } from "./api.mjs";
import { batch, computed, signal } from "./html.mjs";

export class Guidance {
  constructor(key) {
    this.path = `/api/live/${key}`;
    this.key = key;
    this.facts = signal(null);
    this.error = signal("");
    this.said = signal("");
    this.control = computed(() => this.facts.value?.control ?? null);
    this.attended = computed(() => this.control.value?.working ?? false);
    this.given = computed(() => this.facts.value?.given ?? []);
    this.stop = () => {};
    this.closed = false;
    this.begin();
  }

  /** Load the guidance, and listen for changes if people can guide the agent. */
  async begin() {
    if (!served) return;
    try {
      this.facts.value = await ask(`${this.path}/guidance`);
      if (this.closed || !this.control.value) return;
      this.stop = listen(`${this.path}/guidance/events`, { guidance: (facts) => { this.facts.value = facts; } });
    } catch (error) { if (!this.facts.value) this.error.value = error.message; }
  }

  close() { this.closed = true; this.stop(); }

  /** Post to the episode; return whether it succeeded. Errors are shown beside the buttons. */
  async act(what, body, said = "") {
    batch(() => { this.error.value = ""; this.said.value = ""; });
    try {
      const done = await post(`${this.path}/${what}`, body);
      this.said.value = done.text || said;
      return true;
    } catch (error) { this.error.value = error.message; return false; }
  }
}
