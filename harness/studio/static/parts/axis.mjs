// The axes of a timeline: by time of day, to show how long things took, or by call, so that all calls have
// equal room. An axis has
//   at(step)   the position of a step, from 0 to 1; on the time axis, where its call begins
//   until(step) where its call ends
//   of(time)   the position of a simulated time
//   stepAt(x)  the step nearest to x
//   hours      `{ at, words }` of the full hours
import { clock, dayOf, minutes } from "./words.mjs";

const LEAST_APART = 0.045;

/** The position of a time in steps: 2.5 is in the middle of the third call. */
export function placeOf(time, calls, starts) {
  const at = minutes(time);
  let low = 0, high = calls.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (minutes(calls[middle].until) <= at) low = middle + 1; else high = middle;
  }
  if (low >= calls.length) return calls.length;
  const from = low ? minutes(calls[low - 1].until) : minutes(starts), to = minutes(calls[low].until);
  return low + Math.max(0, Math.min(1, to > from ? (at - from) / (to - from) : 0));
}

function written(minute) { return new Date(minute * 60000).toISOString().slice(0, 19); }

/** The full hours between the minutes of `spans` that have room, with the day's name where a new day begins. */
function hoursOf(spans, of) {
  const shown = [];
  let last = -1, day = "";
  for (const [from, to] of spans) {
    for (let minute = Math.ceil(from / 60) * 60; minute <= to; minute += 60) {
      const time = written(minute), at = of(time);
      if (last >= 0 && at - last < LEAST_APART) continue;
      const another = spans.length > 1 && time.slice(0, 10) !== day;
      shown.push({ at, words: `${another ? `${dayOf(time).slice(0, 3)} ` : ""}${clock(time)}` });
      last = at;
      day = time.slice(0, 10);
    }
  }
  return shown;
}

/** An axis on which all calls are equally wide. */
export function callsAxis(calls, starts) {
  const total = Math.max(1, calls.length);
  const of = (time) => placeOf(time, calls, starts) / total;
  const spans = calls.length ? daysOf(calls, starts, null, []) : [];
  const at = (step) => step / total;
  return { kind: "calls", at, until: at, of, stepAt: (x) => Math.round(x * total), hours: hoursOf(spans, of) };
}

/** `[from, to]` in minutes of each day with events: from morning to evening, or longer if calls went on. */
function daysOf(calls, starts, ends, times) {
  const days = new Map(), clockOf = (time) => minutes(time) - minutes(`${time.slice(0, 10)}T00:00:00`);
  const morning = clockOf(starts), evening = ends ? clockOf(ends) : 0;
  const widen = (time) => {
    const date = time.slice(0, 10), midnight = minutes(`${date}T00:00:00`), at = minutes(time);
    const known = days.get(date) ?? [midnight + morning, midnight + Math.max(morning, evening)];
    days.set(date, [Math.min(known[0], at), Math.max(known[1], at)]);
  };
  [starts, ...times].forEach(widen);
  for (const call of calls) { widen(call.at); widen(call.until); }
  return [...days.keys()].sort().map((date) => days.get(date));
}

/** An axis on which all minutes of the working days are equally wide. `times` are further times that it must include. */
export function timeAxis(calls, starts, ends, times) {
  const days = daysOf(calls, starts, ends, times);
  const total = Math.max(1, days.reduce((sum, [from, to]) => sum + to - from, 0));
  const of = (time) => {
    const at = minutes(time);
    let before = 0;
    for (const [from, to] of days) {
      if (at <= to) return (before + Math.max(0, at - from)) / total;
      before += to - from;
    }
    return 1;
  };
  const places = [of(starts), ...calls.map((call) => of(call.at))], over = [places[0], ...calls.map((call) => of(call.until))];
  const stepAt = (x) => {
    let low = 0, high = places.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (places[middle] <= x) low = middle; else high = middle - 1;
    }
    const next = Math.min(places.length - 1, low + 1);
    return Math.abs(places[next] - x) < Math.abs(x - places[low]) ? lastAt(places, next) : low;
  };
  const within = (step) => Math.min(step, places.length - 1);
  return { kind: "time", at: (step) => places[within(step)], until: (step) => over[within(step)], of, stepAt, hours: hoursOf(days, of) };
}

/** The last of the steps at the same position as `step`. */
function lastAt(places, step) {
  let last = step;
  while (places[last + 1] === places[step]) last++;
  return last;
}
