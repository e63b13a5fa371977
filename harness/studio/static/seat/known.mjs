// The person's knowledge of each app: the views that the answers so far add up to. Anything shown once
// stays shown, and is as old as the answer that showed it.
import { clock, count } from "../parts/words.mjs";
import { foldFiles } from "./known_files.mjs";
import { foldMonitor } from "./known_monitor.mjs";
import { foldSheets } from "./known_sheets.mjs";

export function knownViews(calls, state) {
  const answered = calls.filter((call) => !call.failed && call.data);
  const files = foldFiles(answered);
  return {
    mail: foldMail(answered), calendar: foldCalendar(answered, state), chat: foldChat(answered, state),
    files, sheets: foldSheets(answered, files), monitor: foldMonitor(answered, state), desk: foldDesk(answered, state),
    asOf: readLists(answered),
  };
}

/** The list that each tool reads, in words; an item opened alone, such as a mail, shows its time beside it. */
const LISTS = {
  mail_list: (given) => given.label ?? "inbox", mail_search: () => "search",
  calendar_list: (given) => (given.day ? "today" : "meetings"), calendar_find_rooms: () => "rooms",
  chat_list_people: () => "people", chat_list_groups: () => "groups", chat_read_history: (given) => (given.peer ? "" : "news"),
  files_search: () => "search", desk_tasks: () => "tasks", desk_read_notes: () => "notes",
  monitor_list_services: () => "services", monitor_get_on_call: () => "on call",
};

/** When each list of each app was last read: `{ mail: { inbox: "…T09:12:00" } }`. */
function readLists(calls) {
  const found = {};
  for (const { tool, arguments: given, until } of calls) {
    const name = LISTS[tool]?.(given), app = tool.split("_")[0];
    if (name) found[app] = { ...found[app], [name]: until };
  }
  return found;
}

function foldMail(calls) {
  const lines = new Map(), texts = new Map();
  let more = null;
  for (const { tool, arguments: given, data, until } of calls) {
    if (tool === "mail_list" || tool === "mail_search") {
      for (const mail of data.mails) lines.set(mail.id, { ...mail, labels: withAll(mail.labels) });
      more = { tool, given, before: data.next_before };
    } else if (tool === "mail_read") {
      const before = texts.get(data.id), text = given.offset && before ? before.text + data.text : data.text;
      texts.set(data.id, { ...data, text, read: until });
      lines.set(data.id, { ...data, to: [...data.to, ...data.cc], attachments: data.attachments.length, unread: false, labels: withAll(data.labels.filter((label) => label !== "unread")) });
    } else if (["mail_send", "mail_reply", "mail_forward"].includes(tool)) {
      const sent = { ...data, at: until, sender: "You", labels: ["all", "sent"] };
      lines.set(data.id, { ...sent, to: [...data.to, ...data.cc], attachments: data.attachments.length, unread: false });
      texts.set(data.id, { ...sent, text: given.body ?? "", attachments: data.attachments.map((name) => ({ name, size: null })), replies_to: tool === "mail_reply" ? given.mail : null, next_offset: null });
    } else if (tool === "mail_label") {
      const line = lines.get(data.id), text = texts.get(data.id);
      if (line) lines.set(data.id, { ...line, labels: withAll(data.labels), unread: data.labels.includes("unread") });
      if (text) texts.set(data.id, { ...text, labels: data.labels });
    }
  }
  const mails = [...lines.values()].sort((a, b) => b.id - a.id), labels = { inbox: 0, all: mails.length };
  for (const mail of mails) for (const label of mail.labels) if (label !== "all") labels[label] = (labels[label] ?? 0) + 1;
  return { labels, mails, texts, more: more?.before ? more : null };
}

function withAll(labels) { return labels.includes("all") ? labels : ["all", ...labels]; }

function foldCalendar(calls, state) {
  const meetings = new Map(), details = new Map();
  let rooms = null, busy = null;
  const note = (id, found) => {
    const before = details.get(id) ?? { agenda: "", minutes_text: null, announcements: [], answers: {} };
    details.set(id, { ...before, ...found });
  };
  for (const { tool, arguments: given, data, until } of calls) {
    if (tool === "calendar_list") for (const meeting of data.meetings) meetings.set(meeting.id, meeting);
    else if (["calendar_book", "calendar_cancel", "calendar_respond"].includes(tool)) {
      meetings.set(data.id, data);
      if (tool === "calendar_book") note(data.id, { agenda: given.agenda ?? "" });
    } else if (tool === "calendar_read_meeting") {
      meetings.set(data.meeting.id, data.meeting);
      note(data.meeting.id, { agenda: data.agenda, answers: data.answers, minutes_text: data.minutes_text, announcements: data.announcements, read: until });
    } else if (tool === "calendar_attend") {
      const known = meetings.get(data.meeting);
      if (known) meetings.set(data.meeting, { ...known, attended: true });
      const came = `${clock(data.arrived)}, ${data.on_time ? "on time" : `late by ${count(data.missed_minutes, "minute")}`}`;
      note(data.meeting, { minutes_text: data.minutes_text, announcements: data.announcements, came, read: until });
    } else if (tool === "calendar_find_rooms") rooms = { ...given, rooms: data.rooms, read: until };
    else if (tool === "calendar_find_busy") busy = { ...data, read: until };
  }
  const listed = [...meetings.values()].sort((a, b) => a.starts.localeCompare(b.starts));
  return { now: state.now, day_starts: state.day_starts, day_ends: state.day_ends, meetings: listed, details, rooms, busy };
}

function foldChat(calls, state) {
  const people = new Map(), groups = new Map(), messages = new Map(), read = new Map();
  for (const { tool, arguments: given, data, until } of calls) {
    if (tool === "chat_read_history" && given.peer) read.set(given.peer, until);
    if (tool === "chat_list_people") for (const person of data.people) people.set(person.id, person);
    if (tool === "chat_read_history") for (const message of data.messages) messages.set(message.id, message);
    if (tool === "chat_send_message") messages.set(data.message.id, data.message);
    if (tool === "chat_create_group" || tool === "chat_list_groups") for (const group of data.groups) groups.set(group.id, group);
  }
  return { me: state.employee, people: [...people.values()], groups: [...groups.values()], messages: [...messages.values()].sort((a, b) => a.id - b.id), read };
}

function foldDesk(calls, state) {
  const tasks = new Map(), notes = new Map(), submitted = {};
  let until = null;
  for (const { tool, data } of calls) {
    if (tool === "desk_tasks") {
      until = data.more_until;
      for (const task of data.tasks) {
        const before = tasks.get(task.id);
        tasks.set(task.id, { ...task, objective: task.objective ?? before?.objective ?? null, assignments: task.assignments.length ? task.assignments : before?.assignments ?? [] });
      }
    } else if (tool === "desk_submit" || tool === "desk_return") {
      submitted[data.task] = data.at;
      const task = tasks.get(data.task);
      if (task) tasks.set(data.task, { ...task, submitted: true });
    } else if (tool === "desk_write_note") notes.set(data.id, data);
    else if (tool === "desk_read_notes") for (const note of data.notes) notes.set(note.id, note);
  }
  const clock = { now: state.now, day_starts: state.day_starts, day_ends: state.day_ends };
  return { clock, tasks: [...tasks.values()], submitted_at: submitted, more_until: until, notes: [...notes.values()] };
}
