// The chat at a seat: people, conversations, groups, writing.
import { html } from "../parts/html.mjs";
import { Chat } from "../apps/chat.mjs";
import { AsOf, CallButton, CallForm, EveryTool, Fold, ReadAt } from "./calls.mjs";

function Side({ seat }) {
  return html`<div class="acts">
    <div class="row"><${CallButton} seat=${seat} tool="chat_read_history" words="Read all news" main /></div>
    <${CallForm} seat=${seat} tool="chat_list_people" show=${["query"]} labels=${{ query: "Find people" }} words="Find" side />
    <${Fold} title="Departments and groups">
      <${CallForm} seat=${seat} tool="chat_list_people" id="department" show=${["department", "cursor"]} words="List people" />
      <${CallButton} seat=${seat} tool="chat_list_groups" words="List groups" />
      <${CallForm} seat=${seat} tool="chat_create_group" show=${["name", "members"]} words="Make a group" /><//>
    <${AsOf} seat=${seat} app="chat" /></div>`;
}

function Talk({ seat, peer, last, read }) {
  return html`<div class="acts below talk-acts">
    <${CallForm} seat=${seat} tool="chat_send_message" id=${`to ${peer}`} fixed=${{ to: peer }} show=${["text"]} labels=${{ text: `Message to ${peer}` }} rows=${{ text: 2 }} words="Send" />
    <div class="row"><${CallButton} seat=${seat} tool="chat_read_history" given=${last ? { peer, after: last } : { peer }} words=${last ? "Read what is new" : "Read this talk"} />
      ${last > 0 && html`<${CallButton} seat=${seat} tool="chat_read_history" given=${{ peer }} words="Read latest" />`}<${ReadAt} seat=${seat} time=${read} /></div></div>`;
}

export function SeatChat({ seat, ...shared }) {
  const known = seat.known.value.chat, shown = shared.item;
  const peer = shown.startsWith("@") ? shown.slice(1) : /^G\d+$/.test(shown) ? shown : "";
  const theirs = known.messages.filter((message) => message.to === peer || (message.sender === peer && message.to === known.me));
  const actions = {
    side: html`<${Side} seat=${seat} />`,
    main: html`${peer && html`<${Talk} key=${peer} seat=${seat} peer=${peer} last=${theirs.at(-1)?.id ?? 0} read=${known.read.get(peer)} />`}
      ${!peer && html`<${Fold} title="Write to somebody"><${CallForm} seat=${seat} tool="chat_send_message" show=${["to", "text"]} words="Send" /><//>`}
      <${EveryTool} seat=${seat} app="chat" />`,
    empty: peer ? html`<p class="quiet pad">You have not read this conversation yet.</p>` : html`<p class="quiet pad">Find somebody to write to, or read what is new.</p>`,
    chosen: true,
  };
  return html`<${Chat} view=${known} actions=${actions} ...${shared} />`;
}
