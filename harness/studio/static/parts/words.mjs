// Times, numbers and names in readable form.

export const APPS = ["mail", "calendar", "chat", "files", "sheets", "monitor", "desk"];
export const APP_TITLES = {
  mail: "Mail", calendar: "Calendar", chat: "Chat", files: "Files", sheets: "Sheets",
  monitor: "Monitor", desk: "Desk",
};

/** The kinds of calls: those of apps, and the time that thinking took. */
export const CALL_TITLES = { ...APP_TITLES, thinking: "Thinking" };

/** The class for the colour of an app, or of thinking; unknown apps share one. */
export function hue(app) { return `app-${app in CALL_TITLES ? app : "other"}`; }

/** "09:25" of a simulated time. */
export function clock(time) { return time ? time.slice(11, 16) : ""; }

/** "Wed 1 Oct" of a simulated time. */
export function dayOf(time) {
  if (!time) return "";
  const names = { weekday: "short", day: "numeric", month: "short", timeZone: "UTC" };
  return new Date(`${time.slice(0, 10)}T00:00:00Z`).toLocaleDateString("en-GB", names);
}

/** The time, with its day if that differs from the day of `now`. */
export function when(time, now) {
  if (!time) return "";
  return now && time.slice(0, 10) === now.slice(0, 10) ? clock(time) : `${dayOf(time)} ${clock(time)}`;
}

/** Minutes since 1970 of a simulated time. */
export function minutes(time) { return Date.parse(`${time}Z`) / 60000; }

/** "5 min", "2 h 10 min". */
export function lasting(from, until) {
  const total = Math.round(minutes(until) - minutes(from));
  if (total < 60) return `${total} min`;
  return total % 60 ? `${Math.floor(total / 60)} h ${total % 60} min` : `${total / 60} h`;
}

/** "0.93"; a dash without a score. */
export function score(value) { return value == null ? "–" : value.toFixed(2); }

/** "1 step", "12 steps". */
export function count(number, one, many = `${one}s`) { return `${number.toLocaleString("en")} ${number === 1 ? one : many}`; }

/** "1.2 KB". */
export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** "reached limit" of "reached_limit". */
export function plain(name) { return String(name).replaceAll("_", " "); }

/** The name of a person's id: "Earl Ortiz" of "earl.ortiz", if nothing better is known. */
export function nameOf(id, names = {}) {
  return names[id] ?? id.split(".").map((part) => part.charAt(0).toUpperCase() + part.slice(1)).join(" ");
}
