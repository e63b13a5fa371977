// Plays a day step by step. It waits until a step is drawn, and stops at the end or when the user moves.
import { effect, html, signal } from "./html.mjs";

const PAUSE = 900;
const SPEEDS = [1, 2, 4];

export class Player {
  constructor(episode) {
    this.episode = episode;
    this.playing = signal(false);
    this.speed = signal(1);
    this.expected = null;
    this.watch = effect(() => { // the user went elsewhere
      const { value } = episode.step;
      if (this.playing.peek() && value !== this.expected) this.stop();
    });
  }

  toggle() { if (this.playing.value) this.stop(); else this.start(); }

  start() {
    const { step, calls } = this.episode;
    this.playing.value = true;
    this.expected = step.value;
    if (step.value >= calls.value.length) this.go(0);
    this.later();
  }

  stop() {
    clearTimeout(this.timer);
    this.playing.value = false;
  }

  go(step) {
    this.expected = step;
    this.episode.goTo(step);
  }

  later() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.advance(), PAUSE / this.speed.value);
  }

  advance() {
    const { step, calls } = this.episode;
    if (!this.playing.value) return;
    if (step.value >= calls.value.length) { this.stop(); return; }
    if (this.episode.drawn()) this.go(step.value + 1);
    this.later();
  }

  close() { this.stop(); this.watch(); }
}

export function PlayButton({ player }) {
  const playing = player.playing.value, speed = player.speed.value;
  const faster = () => { player.speed.value = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length]; };
  return html`<button class="play" aria-pressed=${playing} onClick=${() => player.toggle()} title=${`${playing ? "Pause" : "Play the day"} (p)`}>${playing ? "Pause" : "Play"}</button>
    <button class="speed" onClick=${faster} aria-label=${`Speed: ${speed} times`} title="How fast the day is played">${speed}×</button>`;
}
