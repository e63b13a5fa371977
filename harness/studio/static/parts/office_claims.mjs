// The last certificate of a task: the claims that broke, each with the world in which it did, and those that hold.
import { html } from "./html.mjs";
import { OpenWorld } from "./offices.mjs";
import { count } from "./words.mjs";

function Flaw({ office, task, claim, flaw, number, current }) {
  return html`<li><p>${flaw.text}</p>${flaw.world && html`<p class="flaw-world"><span class="tag">${flaw.world}</span>
    ${current && html`<${OpenWorld} office=${office} words="Open this world" about=${flaw.world} world=${{ task, claim, flaw: number }} />`}</p>`}</li>`;
}

function Broken({ office, task, claim, current }) {
  const more = claim.broken - claim.flaws.length;
  return html`<article class="broken-claim"><h3>${claim.name} <span class="quiet">broke in ${claim.broken} of ${count(claim.tried, "trial")}</span></h3>
    <p class="quiet small">${claim.says}</p>
    <ul>${claim.flaws.map((flaw, number) => html`<${Flaw} key=${number} ...${{ office, task, claim: claim.name, flaw, number, current }} />`)}</ul>
    ${more > 0 && html`<p class="quiet small">${count(more, "more trial")} broke it.</p>`}</article>`;
}

/** The command that certifies a rule; its options do not break within. */
function Command({ rule }) {
  return html`<code>trainee-bench certify ${rule} <span class="one">--office</span> FOLDER</code>`;
}

export function Certificate({ office, task, rule, badge, certificate }) {
  if (!certificate) return html`<section class="certificate"><h2>Certificate</h2><p class="quiet">Not certified yet. <${Command} rule=${rule} /> tries every claim.</p></section>`;
  const { current, broken, holding, seeds, notes } = certificate;
  return html`<section class="certificate"><h2>${broken.length ? `${count(broken.length, "broken claim")}` : "Certificate"}</h2>
    ${current ? html`<p class="small">${badge}</p>`
      : html`<p class="stale">The folder has changed since this certificate. <${Command} rule=${rule} /> certifies it again.</p>`}
    ${broken.map((claim) => html`<${Broken} key=${claim.name} ...${{ office, task, claim, current }} />`)}
    ${holding.length > 0 && html`<details class="fold"><summary>${count(holding.length, "claim")} ${holding.length === 1 ? "holds" : "hold"} over ${count(seeds, "seed")}</summary>
      <p class="small">${holding.join(", ")}</p>${notes.length > 0 && html`<ul class="bullets small quiet">${notes.map((note) => html`<li>${note}</li>`)}</ul>`}</details>`}</section>`;
}
