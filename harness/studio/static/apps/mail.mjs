// Mail: labels, the list, the opened mail.
import { html, useState } from "../parts/html.mjs";
import { Addressee, Addressees, Name } from "../parts/names.mjs";
import { Empty } from "../parts/notes.mjs";
import { OriginButton } from "../parts/origin.mjs";
import { size, when } from "../parts/words.mjs";

function Line({ mail, now, open, changed, select }) {
  const sent = mail.labels.includes("sent") && !mail.labels.includes("inbox");
  const more = mail.to.length > 1 ? ` and ${mail.to.length - 1} more` : "";
  const who = sent ? html`to <${Name} name=${mail.to[0] ?? ""} />${more}` : html`<${Name} name=${mail.sender} />`;
  return html`<li><button class="item ${changed ?? ""} ${mail.unread ? "unread" : ""}" aria-current=${open}
    onClick=${() => select(mail.id)}>
    <span class="split"><b>${who}</b><span class="quiet small">${when(mail.at, now)}</span></span>
    <span class="subject">${mail.subject}</span>
    ${mail.attachments > 0 && html`<span class="quiet small">${mail.attachments} attached</span>`}
  </button></li>`;
}

function Opened({ mail, now, origin, changed }) {
  return html`<article class="opened ${changed ?? ""}">
    <div class="split"><h3>${mail.subject}</h3><${OriginButton} origin=${origin} /></div>
    <dl class="head"><dt>From</dt><dd><${Addressee} written=${mail.sender} /></dd><dt>To</dt><dd><${Addressees} written=${mail.to} /></dd>
      ${mail.cc.length > 0 && html`<dt>Cc</dt><dd><${Addressees} written=${mail.cc} /></dd>`}
      <dt>Sent</dt><dd>${when(mail.at, now)}</dd></dl>
    <pre class="text">${mail.text}</pre>
    ${mail.attachments.length > 0 && html`<ul class="chips">${mail.attachments.map((attachment) => html`<li class="chip">${attachment.name} <span
      class="quiet">${attachment.size === null ? "" : size(attachment.size)}</span></li>`)}</ul>`}
    <p class="quiet small">Labels: ${mail.labels.join(", ")}${mail.replies_to ? ` · answers mail ${mail.replies_to}` : ""}</p>
  </article>`;
}

export function Mail({ view, item, changed, now, select, origin, actions = {} }) {
  const [label, setLabel] = useState("all");
  const known = label in view.labels ? label : "all";
  const shown = view.mails.filter((mail) => mail.labels.includes(known));
  return html`<div class="app two mail">
    <div class="side">${actions.side}
      <div class="labels" role="group" aria-label="Labels">${Object.entries(view.labels).map(([name, number]) => html`
        <button class="label" aria-pressed=${name === known} onClick=${() => setLabel(name)}>${name} <span
          class="quiet">${number}</span></button>`)}</div>
      ${shown.length ? html`<ul class="list">${shown.map((mail) => html`
          <${Line} key=${mail.id} mail=${mail} now=${now} open=${String(mail.id) === item} changed=${changed[mail.id]}
            select=${select} />`)}</ul>`
        : html`<${Empty}>No mail here yet.<//>`}
    </div>
    <div class="main">${view.mail ? html`<${Opened} mail=${view.mail} now=${now} origin=${origin}
      changed=${changed[view.mail.id]} />`
      : actions.empty ?? (view.mails.length ? html`<${Empty}>Choose a mail.<//>` : "")}${actions.main}</div>
  </div>`;
}
