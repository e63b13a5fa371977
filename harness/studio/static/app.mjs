// The studio's page: the navigation bar, and the page that the address names. To add a page, add a module
// in pages/ and a line here.
import { Frame } from "./parts/frame.mjs";
import { html, render, useEffect } from "./parts/html.mjs";
import { address, route } from "./parts/route.mjs";
import { RunsPage } from "./pages/runs.mjs";
import { EpisodesPage } from "./pages/episodes.mjs";
import { OverviewPage } from "./pages/overview.mjs";
import { EpisodePage } from "./pages/episode.mjs";
import { DifferencePage } from "./pages/difference.mjs";
import { LivePage } from "./pages/live.mjs";
import { ConversationPage } from "./pages/conversation.mjs";
import { ComparePage } from "./pages/compare.mjs";
import { StartPage } from "./pages/start.mjs";
import { ColleaguePage } from "./pages/colleague.mjs";
import { SeatPage } from "./pages/seat.mjs";
import { OfficePage } from "./pages/office.mjs";
import { loadOffices, offices } from "./parts/offices.mjs";

const PAGES = {
  runs: { title: "Runs", page: RunsPage },
  live: { title: "Live", page: LivePage },
  compare: { title: "Compare", page: ComparePage },
  start: { title: "Start", page: StartPage },
  colleague: { page: ColleaguePage, name: "Colleagues" },
  seat: { title: "Seat", page: SeatPage },
  office: { title: "Office", page: OfficePage, shown: () => offices.value?.length > 0 },
  episodes: { page: EpisodesPage, name: "Episodes" },
  overview: { page: OverviewPage, name: "Overview" },
  episode: { page: EpisodePage },
  difference: { page: DifferencePage, name: "Differences" },
  conversation: { page: ConversationPage, name: "Conversation" },
};

/** Pages reached from the runs, without their own entry in the bar. */
const IN_RUNS = ["episodes", "overview", "episode", "conversation", "difference"];

function Studio() {
  const { page, id } = route.value;
  const shown = Object.hasOwn(PAGES, page) ? PAGES[page] : null;
  useEffect(() => { document.title = `${shown?.title ?? shown?.name ?? "Episode"} · Studio`; }, [page]);
  const places = Object.entries(PAGES).filter(([, place]) => place.title && (place.shown?.() ?? true)).map(([name, place]) => [address(name), place.title]);
  return html`<${Frame} places=${places} current=${IN_RUNS.includes(page) ? PAGES.runs.title : shown?.title} page=${page}>
    ${shown ? html`<${shown.page} key=${`${page}/${id}`} id=${id} />` : html`<section class="live-page"><h1>There is no such page</h1><p><a href=${address("runs")}>To the runs</a></p></section>`}<//>`;
}

loadOffices();
render(html`<${Studio} />`, document.getElementById("studio"));
