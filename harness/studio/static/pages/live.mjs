// Live: every episode that is being worked, including those of other processes, each with its last calls.
import { html, useEffect, useState } from "../parts/html.mjs";
import { listen } from "../parts/api.mjs";
import { Marks } from "../parts/marks.mjs";
import { Loading } from "../parts/notes.mjs";
import { address } from "../parts/route.mjs";
import { clock, count, hue, minutes, plain, score } from "../parts/words.mjs";

const QUIET_AFTER = 60;

/** "nothing for 4 minutes", if nothing has happened for a while; else "". */
function quietness(written, now) {
  const seconds = written ? now / 1000 - written : 0;
  if (seconds < QUIET_AFTER) return "";
  const passed = Math.round(seconds / 60);
  return `nothing for ${passed < 120 ? count(passed, "minute") : count(Math.round(passed / 60), "hour")}`;
}

function Tile({ episode, now }) {
  const last = episode.latest.at(-1);
  const at = last ? last.until : episode.day_starts;
  const share = episode.day_starts && at ? (minutes(at) - minutes(episode.day_starts)) / (minutes(episode.day_ends) - minutes(episode.day_starts)) : 0;
  const over = episode.state === "done" || episode.state === "broken";
  return html`<li class="tile ${over ? "over-now" : ""} ${episode.waits_for ? "waiting" : ""}">
    <span class="split"><a href=${address("episode", episode.episode)}>${episode.agent || episode.scenario}</a>${over ? html`<span><${Marks} marks=${episode.marks} /> <span
      class="score">${score(episode.score)}</span></span>` : html`<span class="clock-small">${clock(at)}</span>`}</span>
    <span class="quiet small">${episode.agent ? `${episode.scenario} · ${plain(episode.day)} · ` : ""}${episode.run_name} · ${count(episode.steps, "step")}${over ? ` · ${plain(episode.state)}` : ""} ${over ? "" : quietness(episode.written, now)}</span>
    ${episode.waits_for && html`<span class="waits">waits for ${episode.waits_for.startsWith("you") ? "" : "you: "}${episode.waits_for}</span>`}
    <span class="progress"><i style=${{ width: `${100 * Math.max(0, Math.min(1, share))}%` }}></i></span>
    <ol class="latest">${episode.latest.map((call) => html`<li key=${call.step} class="${hue(call.app)} ${call.ok ? "" : "failed"}">
      <span class="quiet">${clock(call.at)}</span><i class="dot"></i><span class="one-line">${call.tool} <span
      class="quiet">${call.brief}</span></span></li>`)}</ol>
  </li>`;
}

export function LivePage() {
  const [episodes, setEpisodes] = useState(null), [now, setNow] = useState(Date.now());
  useEffect(() => listen("/api/live/events", { running: (data) => setEpisodes(data.episodes) }), []);
  useEffect(() => { const timer = setInterval(() => setNow(Date.now()), 15000); return () => clearInterval(timer); }, []);
  if (!episodes) return html`<${Loading} what="Looking for running episodes" />`;
  const running = episodes.filter((episode) => episode.state === "running").length, waiting = episodes.filter((episode) => episode.waits_for).length;
  return html`<section class="live-page" aria-label="Live"><h1>Live</h1>
    <p class="lead"
      role="status">${running ? `${count(running, "episode")} being worked${waiting ? `, ${waiting} ${waiting === 1 ? "waits" : "wait"} for you` : ""}.` : "No episode is being worked at the moment."}</p>
    ${episodes.length ? html`<ul class="tiles">${episodes.map((episode) => html`<${Tile} key=${episode.episode} episode=${episode}
      now=${now} />`)}</ul>`
      : html`<p
        class="quiet">Episodes of these runs appear here as soon as they begin, no matter who started them. So do world files that were named when the studio was started.</p>`}
  </section>`;
}
