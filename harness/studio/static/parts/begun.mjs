// A run that was just started: its first episode opens once its agent can be reached.
import { ask } from "./api.mjs";
import { go } from "./route.mjs";

const PATIENCE = 150;

/** Go to an episode as soon as it has begun; throws if it does not begin. */
export async function goWhenBegun(episode, job) {
  for (let asked = 0; asked < PATIENCE; asked++) {
    const found = (await ask("/api/jobs")).jobs.find((other) => other.job === job);
    if (found.error) throw new Error(found.error);
    if (found.begun || found.state !== "running") { go("episode", episode); return; }
    await new Promise((next) => setTimeout(next, 150));
  }
  throw new Error("The run has started, but its first day has not begun yet. It will appear on the page Live.");
}
