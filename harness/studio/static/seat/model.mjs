// The model of a person's seat: the answers so far, what they show, drafts, the next call. Only `make`
// reaches the world, with one call of one tool.
import { ask, post } from "../parts/api.mjs";
import { batch, computed, signal } from "../parts/html.mjs";
import { APPS, minutes } from "../parts/words.mjs";
import { knownViews } from "./known.mjs";
import { cannotBeUndone } from "./undo.mjs";

const ASKS_AFTER = 15;
const NEWS_OF = { mail: "mail", message: "chat", chatter: "chat", meeting: "calendar", task: "desk", deadline: "desk", news: "desk" };

export class Seat {
  constructor(key) {
    this.key = key;
    this.path = `/api/seats/${key}`;
    this.error = signal("");
    this.state = signal(null);
    this.calls = signal([]);
    this.earlier = signal([]);
    this.busy = signal("");
    this.confirming = signal(null);
    this.app = signal("desk");
    this.items = signal({});
    this.windows = signal({});
    this.drafts = signal({});
    this.pending = signal({});
    this.seen = signal({});
    this.closed = signal(0);
    this.tools = computed(() => new Map((this.state.value?.tools ?? []).map((tool) => [tool.name, tool])));
    this.working = computed(() => this.state.value?.status === "working");
    this.known = computed(() => (this.state.value ? knownViews([...this.earlier.value, ...this.calls.value], this.state.value) : null));
    this.notices = computed(() => this.calls.value.flatMap((call) => call.notices.map((notice) => ({ ...notice, n: call.n }))));
    this.paths = computed(() => pathsIn([...this.earlier.value, ...this.calls.value]));
    this.unread = computed(() => this.countUnread());
    this.begin();
  }

  async begin() {
    try {
      const state = await ask(this.path);
      const first = this.state.value === null;
      batch(() => { this.state.value = state; this.calls.value = state.calls; this.earlier.value = state.earlier; });
      if (first) this.goOn(state.calls);
      if (state.status === "grading") await this.awaitResult();
      if (state.status === "starting") { await pause(); await this.begin(); }
    } catch (error) { this.error.value = error.message; }
  }

  /** After a return, open the app of the last call, and mark the news that came since its app was last used. */
  goOn(calls) {
    for (const { tool, n } of calls) {
      const app = tool.split("_")[0];
      this.seen.value = { ...this.seen.value, [app]: n };
      if (APPS.includes(app)) this.app.value = app;
    }
  }

  open(app, item) {
    batch(() => {
      this.app.value = app;
      if (item !== undefined) this.items.value = { ...this.items.value, [app]: String(item) };
      this.seen.value = { ...this.seen.value, [app]: this.calls.value.length };
    });
  }

  item(app) { return this.items.value[app] ?? ""; }

  /** Whether a notice came after its app was last looked at. */
  unseen({ kind, n }) { return n > (this.seen.value[NEWS_OF[kind]] ?? 0) && NEWS_OF[kind] !== this.app.value; }

  /** The number of notices about each app since it was last looked at. */
  countUnread() {
    const found = {};
    for (const notice of this.notices.value) {
      const app = NEWS_OF[notice.kind];
      if (this.unseen(notice)) found[app] = (found[app] ?? 0) + 1;
    }
    return found;
  }

  draft(form) { return this.drafts.value[form] ?? {}; }

  write(form, values) { this.drafts.value = { ...this.drafts.value, [form]: { ...this.draft(form), ...values } }; }

  drop(form) { const { [form]: gone, ...kept } = this.drafts.value; this.drafts.value = kept; }

  /** The arguments of a wait until the clock shows `until`, by default the day's end; null with the reason if that is impossible. */
  waiting(until, wake) {
    const { now, day_ends: ends } = this.state.value, today = now.slice(0, 10);
    const rest = wake ? {} : { wake: false };
    if (minutes(ends) <= minutes(now)) return { given: null, why: "The day is over." };
    if (!until) return { given: ends.slice(0, 10) === today ? { until: ends.slice(11, 16), ...rest } : { minutes: minutes(ends) - minutes(now), ...rest }, why: "" };
    const at = minutes(`${today}T${until}:00`);
    if (Number.isNaN(at)) return { given: null, why: "Write the time like 09:30." };
    if (at <= minutes(now)) return { given: null, why: `${until} has passed.` };
    if (at > minutes(ends)) return { given: null, why: `The day ends at ${ends.slice(11, 16)}.` };
    return { given: { until, ...rest }, why: "" };
  }

  /** The cost of a call, as far as it is known in advance: `{ minutes, most, words }`. */
  cost(tool, given = {}) {
    const listed = this.tools.value.get(tool)?.minutes ?? 0;
    const { now, day_ends: ends } = this.state.value;
    const left = Math.max(0, minutes(ends) - minutes(now));
    if (tool === "desk_finish_day") return priced(left, false, "rest of the day");
    if (tool === "desk_wait") {
      const asked = given.until ? minutes(`${now.slice(0, 10)}T${given.until}:00`) - minutes(now) : given.minutes ?? left;
      return priced(Math.max(0, Math.min(left, asked)), given.wake !== false);
    }
    if (tool === "calendar_attend") {
      const meeting = this.known.value.calendar.meetings.find((meeting) => meeting.id === given.meeting);
      return meeting ? priced(Math.max(listed, minutes(meeting.ends) - minutes(now))) : priced(listed, false, `${listed} min, then until it ends`);
    }
    if (tool === "chat_send_message" && /^G\d+$/.test(given.to ?? "")) return priced(2 * listed);
    return priced(listed);
  }

  /** Make a call, after a question if it takes long or cannot be undone; return whether it was done. */
  async make(tool, given, words) {
    if (this.busy.value) return false;
    const cost = this.cost(tool, given), lost = cannotBeUndone(this.tools.value.get(tool), given, this.known.value);
    if ((cost.minutes > ASKS_AFTER || lost) && !(await this.confirm({ tool, given, words, cost, lost }))) return false;
    return this.perform(tool, given);
  }

  confirm(question) {
    return new Promise((resolve) => {
      this.confirming.value = { ...question, answer: (yes) => { this.confirming.value = null; resolve(yes); } };
    });
  }

  async perform(tool, given) {
    batch(() => { this.busy.value = tool; this.error.value = ""; });
    try {
      const { call, state } = await post(`${this.path}/call`, { tool, arguments: given, n: this.calls.value.length + 1 });
      batch(() => {
        this.calls.value = [...this.calls.value, call];
        const { tools, prompt } = this.state.value;
        this.state.value = { ...state, tools, prompt };
        this.seen.value = { ...this.seen.value, [this.app.value]: call.n };
      });
      if (state.status === "starting") await this.begin(); // the next day of a week
      return !call.failed;
    } catch (error) {
      this.error.value = error.message;
      return false;
    } finally { this.busy.value = ""; }
  }

  async finish(remarks) {
    try {
      await post(`${this.path}/finish`, remarks);
      await this.awaitResult();
    } catch (error) { this.error.value = error.message; }
  }

  async awaitResult() {
    for (;;) {
      const state = await ask(this.path);
      this.state.value = state;
      if (state.status !== "grading") return;
      await pause();
    }
  }
}

/** The file paths in all answers, each once. */
function pathsIn(calls) {
  const found = new Set();
  for (const { text } of calls) for (const path of text.match(/(?:drive|workspace):\/[\w./-]*\w/g) ?? []) found.add(path);
  return [...found].sort();
}

function pause() { return new Promise((resolve) => { setTimeout(resolve, 250); }); }

function priced(total, most = false, words = "") {
  const said = words || (total < 60 ? `${total} min` : total % 60 ? `${Math.floor(total / 60)} h ${total % 60} min` : `${total / 60} h`);
  return { minutes: total, words: most && total ? `≤ ${said}` : said };
}
