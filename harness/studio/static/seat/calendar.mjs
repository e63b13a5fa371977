// The calendar at a seat: meetings, rooms to book, invitations to answer, meetings to attend.
import { html } from "../parts/html.mjs";
import { Calendar } from "../apps/calendar.mjs";
import { AsOf, CallButton, CallForm, EveryTool, Fold } from "./calls.mjs";

function Side({ seat }) {
  return html`<div class="acts"><div class="row">
      <${CallButton} seat=${seat} tool="calendar_list" words="List meetings" main />
      <${CallButton} seat=${seat} tool="calendar_list" given=${{ day: seat.state.value.now.slice(0, 10) }} words="Today" /></div>
    <${AsOf} seat=${seat} app="calendar" /></div>`;
}

function Chosen({ seat, meeting }) {
  const given = { meeting: meeting.id }, own = meeting.your_answer === "organizer";
  return html`<div class="acts below"><div class="row">
      ${!meeting.attended && !meeting.cancelled && html`<${CallButton} seat=${seat} tool="calendar_attend" given=${given} words="Attend" main />`}
      <${CallButton} seat=${seat} tool="calendar_read_meeting" given=${given} words="Read details" /></div>
    ${!own && !meeting.attended && html`<div class="row" role="group" aria-label="Answer the invitation">${["accepted", "tentative", "declined"].map((answer) => html`
      <${CallButton} seat=${seat} tool="calendar_respond" given=${{ ...given, answer }} words=${{ accepted: "Accept", tentative: "Maybe", declined: "Decline" }[answer]} />`)}</div>`}
    ${own && !meeting.cancelled && html`<div class="row"><${CallButton} seat=${seat} tool="calendar_cancel" given=${given} words="Cancel meeting" /></div>`}</div>`;
}

function Booking({ seat, rooms }) {
  const choose = (room) => seat.write("calendar_book", { room, starts: rooms.starts, ends: rooms.ends });
  return html`<${Fold} title="Find a room and book"><div class="two-forms">
    <${CallForm} seat=${seat} tool="calendar_find_rooms" show=${["starts", "ends", "people"]} start=${{ people: 1 }} words="Find rooms" />
    ${rooms && html`<div><p class="quiet small">Free ${rooms.starts}–${rooms.ends}</p><div class="row">${Object.entries(rooms.rooms).map(([room, seats]) => html`
      <button type="button" class="chip" onClick=${() => choose(room)}>${room.replaceAll("_", " ")} <span class="quiet">${seats}</span></button>`)}
      ${Object.keys(rooms.rooms).length === 0 && html`<span class="quiet">No room is free then.</span>`}</div></div>`}
    <${CallForm} seat=${seat} tool="calendar_book" show=${["title", "room", "starts", "ends", "attendees", "agenda"]} words="Book" />
    <${CallForm} seat=${seat} tool="calendar_find_busy" show=${["people", "day"]} words="See when they are busy" /></div><//>`;
}

export function SeatCalendar({ seat, ...shared }) {
  const known = seat.known.value.calendar;
  const meeting = known.meetings.find((one) => String(one.id) === shared.item), more = meeting && known.details.get(meeting.id);
  const details = meeting ? { meeting, agenda: more?.agenda ?? "", answers: more?.answers && Object.keys(more.answers).length ? more.answers : answersOf(meeting), minutes_text: more?.minutes_text ?? null, announcements: more?.announcements ?? [] } : null;
  const actions = {
    side: html`<${Side} seat=${seat} />`,
    main: html`${meeting && html`<${Chosen} key=${meeting.id} seat=${seat} meeting=${meeting} />`}<${Booking} seat=${seat} rooms=${known.rooms} /><${EveryTool} seat=${seat} app="calendar" />`,
  };
  return html`<${Calendar} view=${{ ...known, meeting: details }} actions=${actions} ...${shared} />`;
}

function answersOf(meeting) { return Object.fromEntries(meeting.attendees.map((id) => [id, meeting.answered[id] ?? "invited"])); }
