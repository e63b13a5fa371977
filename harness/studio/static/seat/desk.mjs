// The desk at a seat: the morning's text, tasks to hand in, notes.
import { html } from "../parts/html.mjs";
import { Desk } from "../apps/desk.mjs";
import { AsOf, CallButton, CallForm, EveryTool, Fold } from "./calls.mjs";

export function SeatDesk({ seat, ...shared }) {
  const known = seat.known.value.desk;
  const asked = Boolean(seat.tools.value.get("desk_submit")?.input_schema.properties.sure);
  const actions = {
    side: html`<div class="acts"><div class="row"><${CallButton} seat=${seat} tool="desk_tasks" words="List tasks" main />
        <${CallButton} seat=${seat} tool="desk_read_notes" words="Read notes" /><${CallButton} seat=${seat} tool="desk_now" words="Time" /></div>
      <${AsOf} seat=${seat} app="desk" />
      <${Fold} title="What you were told this morning" open=${known.tasks.length === 0}><pre class="text briefing">${seat.state.value.prompt}</pre><//></div>`,
    task: (task) => html`<div class="acts"><${CallForm} seat=${seat} tool="desk_submit" id=${`submit ${task.id}`} fixed=${{ task: task.id }} show=${asked ? ["note", "sure"] : ["note"]} rows=${{ note: 1 }}
      labels=${{ note: `Note with ${task.id}`, sure: `How sure you are of ${task.id} (0-100)` }} words=${`Hand in ${task.id}${task.submitted ? " again" : ""}`} />
      ${!task.objective && html`<div class="row"><${CallButton} seat=${seat} tool="desk_tasks" given=${{ task: task.id }} words=${`Read ${task.id}`} /></div>`}</div>`,
    main: html`<div class="pad-side"><${Fold} title="Write a note"><${CallForm} seat=${seat} tool="desk_write_note" show=${["text"]} words="Write note" /><//>
      <${EveryTool} seat=${seat} app="desk" /></div>`,
  };
  return html`<${Desk} view=${known} actions=${actions} ...${shared} />`;
}
