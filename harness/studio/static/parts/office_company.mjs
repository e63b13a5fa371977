// The company of an own office: its tasks with their certificates, its people, and what all of them tell.
import { html } from "./html.mjs";
import { Name } from "./names.mjs";
import { address } from "./route.mjs";
import { count, dayOf } from "./words.mjs";

function Table({ label, titles, children }) {
  return html`<div class="wide" tabindex="0" role="group" aria-label=${label}><table class="plain-table"><caption class="hidden">${label}</caption>
    <thead><tr>${titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead><tbody>${children}</tbody></table></div>`;
}

function Tasks({ page }) {
  if (!page.tasks.length) return html`<p class="quiet">None yet. Add a folder to <code>tasks</code>; <code>trainee-bench office guide</code> describes it.</p>`;
  return html`<${Table} label="Tasks" titles=${["Task", "Asked by", "Certificate"]}>${page.tasks.map((task) => html`<tr key=${task.name}>
    <th scope="row"><a href=${address("office", page.name, { task: task.name })}>${task.title}</a></th><td><${Name} name=${task.requester} /></td>
    <td class=${task.broken.length ? "bad" : task.badge === "not certified" ? "quiet" : ""}>${task.badge}</td></tr>`)}<//>`;
}

function People({ people }) {
  return html`<${Table} label="People" titles=${["Name", "Title", "Department", "Manager", "At work", "Answers in"]}>${people.map((person) => html`<tr key=${person.id}>
    <th scope="row" title=${person.email}><${Name} name=${person.name} /></th><td>${person.title}</td><td>${person.department}</td><td>${person.manager ? html`<${Name} name=${person.manager} />` : "–"}</td>
    <td class="one">${person.hours}</td><td class="one">${person.answers_in} min</td></tr>`)}<//>`;
}

export function Company({ page }) {
  const { trainee } = page, rooms = Object.entries(page.rooms);
  const facts = [
    ["First day", dayOf(page.day) + ` ${page.day.slice(0, 4)}`], ["Mail", `@${page.domain}`],
    ["Worker", html`<${Name} name=${trainee.name} />, ${trainee.title}, ${trainee.department}, reports to <${Name} name=${trainee.manager} />, works ${trainee.hours}`],
    ["Contents", [count(page.files, "file"), count(page.mails, "mail"), count(page.meetings, "meeting")].join(", ")],
    ["Rooms", rooms.map(([room, seats]) => `${room} (${seats})`).join(", ")], ["Folder", page.folder], ["Digest", page.reference],
  ];
  return html`<section aria-label="Company"><p class="over">Own office</p><h1>${page.company}</h1>
      <dl class="head office-facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>
    <section><h2>Tasks</h2><${Tasks} page=${page} /></section>
    <section><h2>${count(page.people.length, "person", "people")}</h2><${People} people=${page.people} /></section>
    ${page.topics.length > 0 && html`<section><h2>What everybody tells</h2><dl class="topics">${page.topics.map((topic) => html`<dt>${topic.question}</dt><dd>${topic.says}</dd>`)}</dl></section>`}`;
}
