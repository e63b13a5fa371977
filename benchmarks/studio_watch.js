// studio.py adds this script to the page. It measures times by the page's clock, up to the frame of a change.
globalThis.watch = (() => {
  let arrived = 0; // the arrival of the last answer or event
  const asked = new Set(); // the requested states that have not arrived
  const plainFetch = globalThis.fetch, listen = EventSource.prototype.addEventListener;
  globalThis.fetch = async (path, ...rest) => {
    asked.add(path);
    try {
      const answer = await plainFetch(path, ...rest), text = await answer.text();
      arrived = performance.now();
      return new Response(text, answer);
    } finally { asked.delete(path); }
  };
  EventSource.prototype.addEventListener = function (name, heard) {
    return listen.call(this, name, (event) => { arrived = performance.now(); heard(event); });
  };
  const wait = (ms) => new Promise((next) => setTimeout(next, ms));
  // A frame is shown once a task runs that was posted while it was being drawn.
  const shown = () => new Promise((next) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => next(performance.now());
    channel.port2.postMessage(0);
  }));
  const changes = (heard) => {
    const observer = new MutationObserver(() => heard(observer));
    observer.observe(document, { childList: true, subtree: true, characterData: true, attributes: true });
    return observer;
  };
  const until = (holds) => new Promise((next) => {
    if (holds()) next(); else changes((observer) => { if (holds()) { observer.disconnect(); next(); } });
  });
  const there = ([rows, least]) => document.querySelectorAll(rows).length >= least;
  return {
    /** Wait for rows, and until all requested states have arrived. */
    async untilThere(what) {
      await until(() => there(what));
      do await wait(300); while (asked.size);
    },
    /** Wait until rows are gone, all requested states have arrived, and the address is settled. */
    async untilGone(what) {
      await until(() => !there(what));
      do await wait(400); while (asked.size);
    },
    /** From the arrival of a place's data to the frame with its rows. */
    async open([place, rows, least]) {
      const began = performance.now();
      location.hash = place;
      await until(() => there([rows, least]));
      const from = Math.max(began, arrived);
      return (await shown()) - from;
    },
    /** The first jump on a day, as soon as its slider is there, while much of the day is unknown. */
    async firstJump(step) {
      await until(() => there([".track input", 1]));
      return globalThis.watch.jump(step);
    },
    /** From moving the slider to the frame with the step's call and state. */
    async jump(step) {
      const slider = document.querySelector(".track input"), began = performance.now();
      slider.value = step;
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      const said = () => document.querySelector(".call-pane")?.innerText.includes(`Step ${step} ·`);
      const pending = () => [...asked].some((path) => path.includes(`/state/${step}/`) || path.endsWith(`/steps/${step}`));
      await until(() => said() && !pending());
      return (await shown()) - began;
    },
    /** From a click on the head of a column of the table of episodes to the frame with the new order. */
    async sort(number) {
      const heads = [...document.querySelectorAll(".episode-table thead th")], head = heads[number % heads.length];
      const way = head.getAttribute("aria-sort"), began = performance.now();
      head.querySelector("button").click();
      await until(() => head.getAttribute("aria-sort") !== way);
      return (await shown()) - began;
    },
    /** Measure for this long the age of each note in the frame that shows it: its text is its time. */
    async live(time) {
      const known = new Set(), delays = [];
      const texts = () => [...document.querySelectorAll(".latest li, .calls .call")].flatMap((row) => row.innerText.match(/\b\d{13}\b/g) ?? []);
      for (const text of texts()) known.add(text);
      const observer = changes(async () => {
        const fresh = texts().filter((text) => !known.has(text));
        for (const text of fresh) known.add(text);
        if (!fresh.length) return;
        const at = performance.timeOrigin + (await shown());
        for (const text of fresh) delays.push(at - Number(text));
      });
      await wait(time);
      observer.disconnect();
      return delays;
    },
  };
})();
