// The answers of an exported page, which has no studio: `harness/studio/answer_table.py` packs them into the
// page itself.

/** Unpack the values of `ValuePool`: every reference to an entry gives the same object. */
function unpacked({ names, entries, root }) {
  const known = new Array(entries.length);
  const valueOf = (atom) => (Array.isArray(atom) ? entry(atom[0]) : atom);
  const entry = (number) => known[number] ??= made(entries[number]);
  const made = (written) => {
    if (typeof written === "string") return written;
    const [kind, ...atoms] = written, values = atoms.map(valueOf);
    return kind < 0 ? values : Object.fromEntries(names[kind].map((name, n) => [name, values[n]]));
  };
  return entry(root);
}

async function read() {
  const packed = JSON.parse(document.getElementById("answers").textContent).gzip;
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return unpacked(await new Response(plain).json());
}

/** All data of this page: `{ run, episodes }`, the episodes by their keys. */
export const answers = read();

/** The last of `versions` that holds at `step`; each begins with its first step. */
function upTo(versions, step) { return versions?.findLast(([from]) => from <= step) ?? [0, []]; }

/** The window of an item that contains row `top` of a sheet. */
function windowOf(episode, app, step, { item = "", sheet = "", top = 1 }) {
  const items = episode.apps[app].items;
  const [from, windows] = upTo(Object.hasOwn(items, item) ? items[item] : [], step);
  const ofSheet = windows.filter((part) => part.sheet === sheet), own = ofSheet.length ? ofSheet : windows.filter((part) => part.sheet === "");
  return { from, window: own.findLast((part) => part.top <= Number(top)) ?? null };
}

function changesOf(episode, step, app) { return episode.steps[step - 1]?.changes[app] ?? {}; }

/** The state of an app after a step, as in the studio's `/state/STEP/APP`. */
export function stateOf(episode, step, app, asked) {
  const { now, view } = episode.apps[app].bases[step];
  const { from, window } = windowOf(episode, app, step, asked);
  return {
    step, app, now, view: { ...view, ...window?.opened }, changed: changesOf(episode, step, app),
    within: from === step ? window?.within ?? [] : [],
  };
}

/** The picture among the files after a step, as a data URL; "" if it is missing. */
export function pictureOf(episode, step, item) { return windowOf(episode, "files", step, { item }).window?.picture ?? ""; }

/** The last step up to `before` that changed an item, or a part of it; null if it was there in the morning. */
export function originOf(episode, { app, item = "", sheet, part, before }) {
  for (let step = Number(before); step > 0; step--) {
    const kind = changesOf(episode, step, app)[item];
    if (kind && (!part || kind !== "changed" || partsChanged(episode, step, app, { item, sheet }).has(part))) return step;
  }
  return null;
}

function partsChanged(episode, step, app, { item, sheet = "" }) {
  const [from, windows] = upTo(episode.apps[app].items[item], step);
  return new Set(from === step ? windows.filter((part) => part.sheet === sheet).flatMap((part) => part.within) : []);
}

/** The steps that contain every word of `text`, as in the studio's search. */
export function found(episode, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const hit = ({ call, arguments: given, text: answer, notices, thought }) => {
    const all = [call.tool, JSON.stringify(given), answer, ...notices.map((notice) => notice.text), thought?.message, thought?.reasoning]
      .join("\n").toLowerCase();
    return words.every((word) => all.includes(word));
  };
  return episode.steps.filter(hit).map((details) => details.call.step);
}
