// Requests to the studio: JSON over the same origin, and event streams.

/** Whether a studio serves this page and can act; exported pages replace this module. */
export const served = true;

const KEPT = 400;
const cache = new Map();

/** The JSON at `path`; throws an Error with the studio's message. Aborting `signal` stops the request. */
export async function ask(path, signal) {
  const answer = await fetch(path, { headers: { accept: "application/json" }, signal });
  return read(answer);
}

/** The JSON of an answer. An answer that was cut off or aborted has no data and throws. */
async function read(answer) {
  if (answer.ok) return answer.json();
  const { error } = await answer.json().catch(() => ({}));
  throw new Error(error ?? `The studio answered ${answer.status}.`);
}

/** The studio's answer to `body`, posted to `path`; throws as `ask` does. */
export async function post(path, body = {}) {
  const answer = await fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return read(answer);
}

/** Like `ask`, for an answer that never changes: a step, or the state after a step. A caller may pass a `signal`;
 * once the signals of all callers are aborted, the request is aborted, too. */
export function askOnce(path, signal) {
  let known = cache.get(path);
  if (!known) {
    const stop = new AbortController();
    known = { answer: ask(path, stop.signal), stop, waiting: 0, done: false };
    cache.set(path, known);
    known.answer.then(() => { known.done = true; }, () => drop(path, known));
    if (cache.size > KEPT) cache.delete(cache.keys().next().value);
  }
  known.waiting += 1;
  signal?.addEventListener("abort", () => {
    known.waiting -= 1;
    if (known.waiting || known.done) return;
    drop(path, known);
    known.stop.abort();
  }, { once: true });
  return known.answer;
}

function drop(path, known) { if (cache.get(path) === known) cache.delete(path); }

/** Forget the answers whose path begins with `path`, because that episode started again. */
export function forget(path) {
  for (const key of cache.keys()) if (key.startsWith(path)) cache.delete(key);
}

/** Listen to a stream: `on` has a function for each kind of event. Returns a function that stops it. */
export function listen(path, on) {
  const source = new EventSource(path);
  const stop = () => source.close();
  for (const [name, heard] of Object.entries(on)) {
    source.addEventListener(name, (event) => heard(JSON.parse(event.data), stop));
  }
  return stop;
}

/** The address of the studio's picture at `path`. */
export function pictureAddress(path) { return path; }
