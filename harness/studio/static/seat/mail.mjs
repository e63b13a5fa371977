// Mail at a seat: list, search, read, write, answer, sort, save.
import { html } from "../parts/html.mjs";
import { Mail } from "../apps/mail.mjs";
import { AsOf, CallButton, CallForm, EveryTool, Fold, ReadAt } from "./calls.mjs";

function Side({ seat, known }) {
  return html`<div class="acts"><div class="row">
      <${CallButton} seat=${seat} tool="mail_list" words="List inbox" main />
      <${CallButton} seat=${seat} tool="mail_list" given=${{ label: "sent" }} words="Sent" />
      ${known.more && html`<${CallButton} seat=${seat} tool=${known.more.tool} given=${{ ...known.more.given, before: known.more.before }} words="Older" />`}</div>
    <${CallForm} seat=${seat} tool="mail_search" show=${["query"]} labels=${{ query: "Search mail" }} words="Search" side />
    <${AsOf} seat=${seat} app="mail" /></div>`;
}

function Opened({ seat, mail }) {
  const next = mail.next_offset, replying = seat.tools.value.get("mail_reply")?.input_schema.properties ?? {};
  return html`<div class="acts below">
    <div class="row">${next != null && html`<${CallButton} seat=${seat} tool="mail_read" given=${{ mail: mail.id, offset: next }} words="Read on" main />`}
      <${CallButton} seat=${seat} tool="mail_label" given=${{ mail: mail.id, remove: ["inbox"] }} words="Archive" />
      <${CallButton} seat=${seat} tool="mail_label" given=${{ mail: mail.id, add: ["unread"] }} words="Mark unread" /><${ReadAt} seat=${seat} time=${mail.read} /></div>
    <${Fold} title="Reply"><${CallForm} seat=${seat} tool="mail_reply" id=${`reply ${mail.id}`} fixed=${{ mail: mail.id }} show=${["cc", "body", "attachments", "everybody"].filter((name) => name in replying)} rows=${{ cc: 1 }}
      labels=${{ body: "Your words", everybody: "to all others, too" }} words="Send reply" /><//>
    <${Fold} title="Forward"><${CallForm} seat=${seat} tool="mail_forward" id=${`forward ${mail.id}`} fixed=${{ mail: mail.id }} show=${["to", "body"]} words="Forward" /><//>
    <${Fold} title="Save as a file"><${CallForm} seat=${seat} tool="mail_save" id=${`save ${mail.id}`} fixed=${{ mail: mail.id }} show=${["attachment", "path"]}
      start=${{ attachment: mail.attachments[0]?.name ?? "", path: `workspace:/${mail.attachments[0]?.name ?? "mail.eml"}` }} words="Save" /><//>
    <${Fold} title="Labels"><${CallForm} seat=${seat} tool="mail_label" id=${`label ${mail.id}`} fixed=${{ mail: mail.id }} show=${["add", "remove"]} words="Change labels" /><//>
  </div>`;
}

export function SeatMail({ seat, ...shared }) {
  const known = seat.known.value.mail, item = shared.item;
  const mail = known.texts.get(Number(item)) ?? null, line = known.mails.find((mail) => String(mail.id) === item);
  const actions = {
    side: html`<${Side} seat=${seat} known=${known} />`,
    main: html`<${Fold} title="New mail"><${CallForm} seat=${seat} tool="mail_send" show=${["to", "cc", "subject", "body", "attachments"]} rows=${{ body: 7, cc: 1 }} words="Send" /><//>
      ${mail && html`<${Opened} key=${mail.id} seat=${seat} mail=${mail} />`}<${EveryTool} seat=${seat} app="mail" />`,
    empty: line ? html`<div class="pad"><h3>${line.subject}</h3><p class="quiet">${line.sender}</p>
      <${CallButton} seat=${seat} tool="mail_read" given=${{ mail: line.id }} words=${`Read mail ${line.id}`} main /></div>` : null,
  };
  return html`<${Mail} view=${{ labels: known.labels, mails: known.mails, mail }} actions=${actions} ...${shared} />`;
}
