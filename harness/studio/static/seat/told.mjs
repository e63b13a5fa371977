// Beside the office: the last answer in full, news, and all earlier answers. Their calls are paid for, so
// reading them again costs nothing. The scratch pad belongs to the person alone.
import { html, useState } from "../parts/html.mjs";
import { clock, count, hue } from "../parts/words.mjs";
import { Fold } from "./calls.mjs";

function Answer({ call, named = `Call ${call.n}` }) {
  const lasted = (Date.parse(`${call.until}Z`) - Date.parse(`${call.at}Z`)) / 60000;
  return html`<article class="answer ${hue(call.tool.split("_")[0])}" aria-label=${named}>
    <h3><i class="dot"></i>${call.tool} <span class="quiet small">${clock(call.at)} · ${lasted} min</span></h3>
    ${call.thought && html`<p class="said small">${call.thought}</p>`}
    ${call.pictures.map((picture, n) => html`<img src=${picture} alt=${`Picture ${n + 1} of ${call.arguments.path ?? call.tool}`} />`)}
    <pre class="value long ${call.failed ? "failed" : ""}" tabindex="0">${call.text}</pre></article>`;
}

const AT_ONCE = 3;

function Items({ notices }) { return html`<ul>${notices.map((notice) => html`<li><span class="quiet">${clock(notice.at)}</span> ${notice.text}</li>`)}</ul>`; }

/** News of the last call, and of apps that were not opened since; the answer below must stay in sight. */
function News({ seat }) {
  const fresh = seat.notices.value.slice(seat.closed.value), last = seat.calls.value.at(-1)?.n;
  if (!fresh.length) return null;
  const current = fresh.filter((notice) => notice.n === last || seat.unseen(notice));
  const shown = current.slice(-AT_ONCE).reverse(), earlier = fresh.filter((notice) => !shown.includes(notice)).reverse();
  return html`<section class="news" aria-label="News"><div class="split"><h3>News</h3><button class="plain small" onClick=${() => { seat.closed.value = seat.notices.value.length; }}>Dismiss</button></div>
    <${Items} notices=${shown} />
    ${earlier.length > 0 && html`<${Fold} title=${`${earlier.length} earlier`}><${Items} notices=${earlier} /><//>`}</section>`;
}

function Before({ calls, named }) {
  const [words, setWords] = useState("");
  const wanted = words.trim().toLowerCase();
  const found = calls.filter((call) => !wanted || `${call.tool} ${JSON.stringify(call.arguments)} ${call.text}`.toLowerCase().includes(wanted));
  return html`<input type="search" aria-label="Search answers" placeholder="Search answers" value=${words} onInput=${(event) => setWords(event.currentTarget.value)} />
    <p class="quiet small">${count(found.length, "answer")}</p>
    <ol class="before">${[...found].reverse().map((call) => html`<li key=${call.n}><${Fold} title=${`${clock(call.at)} ${call.tool}${call.failed ? " (failed)" : ""}`}><${Answer} call=${call} named=${named?.(call)} /><//></li>`)}</ol>`;
}

const byTheOther = (call) => `Earlier call ${call.n}`;

/** What another agent had said and seen of the day before the person took the seat. */
function Earlier({ seat }) {
  const calls = seat.earlier.value, { step, episode } = seat.state.value.forked_from;
  return html`<section class="earlier" aria-label="Before you">
    <p class="quiet small">You continue after step ${step} of ${episode}. The office shows the answers until then, each as old as its call. Everything done so far stays done.</p>
    ${calls.length > 0 && html`<${Fold} title=${`${count(calls.length, "answer")} before you`}><${Before} calls=${calls} named=${byTheOther} /><//>`}</section>`;
}

export function SeatTold({ seat }) {
  const calls = seat.calls.value, last = calls.at(-1), forked = seat.state.value.forked_from;
  const [pad, setPad] = useState("");
  return html`<aside class="pane told" aria-label="Answers"><div class="scroll" tabindex="0" role="group" aria-label="Answers and news">
    <${News} seat=${seat} />
    ${last ? html`<${Answer} key=${last.n} call=${last} />` : !forked && html`<p class="quiet">The day has just begun. Begin with your tasks.</p>`}
    ${calls.length > 1 && html`<${Fold} title=${`All ${calls.length} answers`}><${Before} calls=${calls} /><//>`}
    ${forked && html`<${Earlier} seat=${seat} />`}
    <div class="field"><label for="pad">Scratch pad<span class="small"> · only here, and free</span></label>
      <textarea id="pad" dir="auto" rows="4" value=${pad} onInput=${(event) => setPad(event.currentTarget.value)}></textarea></div>
  </div></aside>`;
}
