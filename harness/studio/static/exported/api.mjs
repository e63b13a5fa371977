// Replaces parts/api.mjs in exported pages: it answers from the page itself and cannot change anything.
import { answers, found, originOf, pictureOf, stateOf } from "./answers.mjs";

export const served = false;

const PLACE = /^\/api\/episodes\/([^/?]+)(?:\/([^?]+))?(?:\?(.*))?$/;
const PLAIN = { "": "facts", log: "log", timeline: "timeline", worth: "worth" };
let opened = null; // once they are unpacked

answers.then((all) => { opened = all; });

function placeOf(path) {
  const [, key, what = "", given = ""] = PLACE.exec(path) ?? [];
  return { key, what, asked: Object.fromEntries(new URLSearchParams(given)) };
}

function answer(episode, what, asked) {
  if (Object.hasOwn(PLAIN, what)) return episode[PLAIN[what]];
  if (what === "found") return { steps: found(episode, asked.q ?? "") };
  if (what === "origin") return { step: originOf(episode, asked) };
  const [kind, number, app] = what.split("/"), step = Number(number);
  if (kind === "steps") return episode.steps[step - 1];
  return kind === "state" ? stateOf(episode, step, app, asked) : undefined;
}

/** The JSON that the studio would answer at `path`; throws an Error if this page does not have it. */
export async function ask(path) {
  const { episodes } = await answers, { key, what, asked } = placeOf(path);
  const known = Object.hasOwn(episodes, key) ? answer(episodes[key], what, asked) : undefined;
  if (known === undefined) throw new Error("This page has no such day or step.");
  return known;
}

export function askOnce(path) { return ask(path); }

export async function post() { throw new Error("This page is read-only. Use the studio to make changes."); }

export function forget() {}

export function listen() { return () => {}; }

export function pictureAddress(path) {
  const { key, what, asked } = placeOf(path);
  return opened ? pictureOf(opened.episodes[key], Number(what.split("/")[1]), asked.item) : "";
}
