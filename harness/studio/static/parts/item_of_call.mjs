// The app and item that best show a call's effect: the item that it changed, else the one in its arguments.
import { APPS } from "./words.mjs";

const NAMED = {
  mail: ["mail"], calendar: ["meeting"], files: ["path", "target", "source", "folder"],
  sheets: ["path", "target", "source"], monitor: ["page", "server"], desk: ["task"], chat: ["to", "peer"],
};

/** `{ app, item }` for the details of a call; `app` is null if the studio shows nothing of it. */
export function itemOfCall(details) {
  const { call, arguments: given, changes } = details;
  const app = APPS.includes(call.app) ? call.app : APPS.find((name) => changes[name]) ?? null;
  if (!app) return { app: null, item: "" };
  const changed = Object.keys(changes[app] ?? {});
  const named = (NAMED[app] ?? []).map((name) => given[name]).find((value) => value != null);
  if (app === "chat") return { app, item: changed.at(-1) ?? (named == null ? "" : `@${named}`) };
  return { app, item: changed.at(-1) ?? (named == null ? "" : String(named)) };
}
