// The calendar at a seat: meetings, rooms to book, invitations to answer, meetings to attend.
import { html } from "../parts/html.mjs";
import { Calendar } from "../apps/calendar.mjs";
import { clock, minutes, when } from "../parts/words.mjs";
import { AsOf, CallButton, CallForm, EveryTool, Fold, ReadAt } from "./calls.mjs";

function Side({ seat }) {
  return html`<div class="acts"><div class="row">
      <${CallButton} seat=${seat} tool="calendar_list" words="List meetings" main />
      <${CallButton} seat=${seat} tool="calendar_list" given=${{ day: seat.state.value.now.slice(0, 10) }} words="Today" /></div>
    <${AsOf} seat=${seat} app="calendar" /></div>`;
}

/** A button to attend the meeting while that is possible, and before that to wait for it. */
function Attending({ seat, meeting }) {
  const { now, attend_early: early } = seat.state.value;
  if (meeting.attended || meeting.cancelled) return "";
  if (minutes(now) >= minutes(meeting.ends)) return html`<span class="quiet small">It is over. People who attended can tell you what was said.</span>`;
  const opens = new Date((minutes(meeting.starts) - early) * 60000).toISOString().slice(0, 19);
  if (minutes(now) >= minutes(opens)) return html`<${CallButton} seat=${seat} tool="calendar_attend" given=${{ meeting: meeting.id }} words="Attend" main />`;
  const today = opens.slice(0, 10) === now.slice(0, 10), until = clock(opens);
  return html`<span class="quiet small">Can be attended from ${when(opens, now)} on.</span>
    ${today && html`<${CallButton} seat=${seat} tool="desk_wait" given=${{ until }} words=${`Wait until ${until}`} about="or until there is news" />`}`;
}

function Chosen({ seat, meeting, read }) {
  const given = { meeting: meeting.id }, own = meeting.your_answer === "organizer";
  const answerable = !own && !meeting.attended && !meeting.cancelled && minutes(seat.state.value.now) < minutes(meeting.ends);
  return html`<div class="acts below"><div class="row"><${Attending} seat=${seat} meeting=${meeting} />
      <${CallButton} seat=${seat} tool="calendar_read_meeting" given=${given} words=${read ? "Read again" : "Read details"} /><${ReadAt} seat=${seat} time=${read} /></div>
    ${answerable && html`<div class="row" role="group" aria-label="Answer the invitation">${["accepted", "tentative", "declined"].map((answer) => html`
      <${CallButton} seat=${seat} tool="calendar_respond" given=${{ ...given, answer }} words=${{ accepted: "Accept", tentative: "Maybe", declined: "Decline" }[answer]} />`)}</div>`}
    ${own && !meeting.cancelled && minutes(seat.state.value.now) < minutes(meeting.starts) && html`<div class="row"><${CallButton} seat=${seat} tool="calendar_cancel" given=${given} words="Cancel meeting" /></div>`}</div>`;
}

/** The answer of the tool about other people's calendars. */
function Busy({ seat, busy }) {
  return html`<div><p class="quiet small">Taken on ${busy.day}, <${ReadAt} seat=${seat} time=${busy.read} words="read" /></p><dl class="head">${Object.entries(busy.busy).map(([person, spans]) => html`
    <dt>${person}</dt><dd>${spans.map((span) => `${clock(span.starts)}–${clock(span.ends)}`).join(", ") || "no entries"}</dd>`)}</dl></div>`;
}

function Booking({ seat, rooms, busy }) {
  const choose = (room) => seat.write("calendar_book", { room, starts: rooms.starts, ends: rooms.ends });
  return html`<${Fold} title="Find a room and book"><div class="two-forms">
    <${CallForm} seat=${seat} tool="calendar_find_rooms" show=${["starts", "ends", "people"]} start=${{ people: 1 }} words="Find rooms" />
    ${rooms && html`<div><p class="quiet small">Free ${rooms.starts}–${rooms.ends}</p><div class="row">${Object.entries(rooms.rooms).map(([room, seats]) => html`
      <button type="button" class="chip" onClick=${() => choose(room)}>${room.replaceAll("_", " ")} <span class="quiet">${seats}</span></button>`)}
      ${Object.keys(rooms.rooms).length === 0 && html`<span class="quiet">No room is free then.</span>`}</div></div>`}
    <${CallForm} seat=${seat} tool="calendar_book" show=${["title", "room", "starts", "ends", "attendees", "agenda"]} words="Book" />
    <${CallForm} seat=${seat} tool="calendar_find_busy" show=${["people", "day"]} words="See when they are busy" />
    ${busy && html`<${Busy} seat=${seat} busy=${busy} />`}</div><//>`;
}

export function SeatCalendar({ seat, ...shared }) {
  const known = seat.known.value.calendar;
  const meeting = known.meetings.find((meeting) => String(meeting.id) === shared.item), more = meeting && known.details.get(meeting.id);
  const details = meeting ? { meeting, agenda: more?.agenda ?? "", answers: more?.answers && Object.keys(more.answers).length ? more.answers : answersOf(meeting), minutes_text: more?.minutes_text ?? null, announcements: more?.announcements ?? [], came: more?.came } : null;
  const actions = {
    side: html`<${Side} seat=${seat} />`,
    main: html`${meeting && html`<${Chosen} key=${meeting.id} seat=${seat} meeting=${meeting} read=${more?.read} />`}<${Booking} seat=${seat} rooms=${known.rooms} busy=${known.busy} /><${EveryTool} seat=${seat} app="calendar" />`,
  };
  return html`<${Calendar} view=${{ ...known, meeting: details }} actions=${actions} ...${shared} />`;
}

function answersOf(meeting) { return Object.fromEntries(meeting.attendees.map((id) => [id, meeting.answered[id] ?? "invited"])); }
