// An exported page: its days, and each of them step by step.
import { answers } from "./answers.mjs";
import { Frame } from "../parts/frame.mjs";
import { html, render, useEffect } from "../parts/html.mjs";
import { Marks } from "../parts/marks.mjs";
import { Failed, Loading } from "../parts/notes.mjs";
import { address, route } from "../parts/route.mjs";
import { plain, score } from "../parts/words.mjs";
import { EpisodePage } from "../pages/episode.mjs";

function Day({ facts }) {
  const complete = facts.tasks.filter((task) => task.success).length;
  return html`<tr><th scope="row"><a href=${address("episode", facts.episode)}>${facts.agent || facts.name}</a></th>
    <td>${score(facts.score)} <${Marks} marks=${facts.marks} /></td><td>${complete} of ${facts.tasks.length}</td>
    <td>${facts.scenario}</td><td>${plain(facts.day)}</td><td>${facts.attempt}</td><td>${facts.steps}</td></tr>`;
}

function DaysPage({ run, days }) {
  return html`<section class="live-page"><h1>Days of ${run}</h1>
    <div class="wide" tabindex="0" role="group" aria-label="Days"><table class="days"><thead><tr>
      ${["Agent", "Score", "Tasks complete", "Scenario", "Day", "Attempt", "Calls"].map((name) => html`<th scope="col" key=${name}>${name}</th>`)}</tr></thead>
      <tbody>${days.map((facts) => html`<${Day} key=${facts.episode} facts=${facts} />`)}</tbody></table></div></section>`;
}

function Exported({ run, episodes }) {
  const days = Object.values(episodes).map((episode) => episode.facts);
  const { page, id } = route.value, known = page === "episode" && Object.hasOwn(episodes, id);
  const key = known ? id : days.length === 1 ? days[0].episode : null;
  useEffect(() => { document.title = `${key ? episodes[key].facts.name : run} · Trainee-Bench`; }, [key]);
  const places = days.length > 1 ? [[address("runs"), "Days"]] : [];
  return html`<${Frame} places=${places} current=${key ? "" : "Days"} page=${key ? "episode" : "live"}>${key ? html`<${EpisodePage} key=${key} id=${key} />`
    : html`<${DaysPage} run=${run} days=${days} />`}<//>`;
}

const place = document.getElementById("studio");
render(html`<main><h1 class="hidden">Trainee-Bench</h1><${Loading} what="Unpacking the days" /></main>`, place);
answers.then((all) => render(html`<${Exported} ...${all} />`, place),
  (error) => render(html`<main><h1 class="hidden">Trainee-Bench</h1><${Failed} error=${`This page is damaged: ${error.message}`} /></main>`, place));
