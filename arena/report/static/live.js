"use strict";
// A page that follows a run: when something new was played its content is fetched again and put in place.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const own = document.querySelector("main");
  // A replay does not change, and a list must not move under the hand that reads it.
  if (/\/games?\.html$/.test(location.pathname)) return;
  let known = null;

  async function renew() {
    const answer = await fetch(location.href);
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const footer = page.querySelector("footer");
    const before = document.querySelector("footer");
    if (footer.textContent === before.textContent) return; // it says when the content was made
    const open = [...own.querySelectorAll("details")].map((one) => one.open);
    own.replaceChildren(...page.querySelector("main").childNodes);
    own.querySelectorAll("details").forEach((one, at) => (one.open = open[at] ?? false));
    before.replaceWith(footer);
    S.arrange();
  }

  new EventSource(`${document.body.dataset.root}events`).onmessage = ({ data }) => {
    // Also the first time: something may have been played after this page was made.
    if (data !== known) renew().catch(() => {});
    known = data;
  };
})();
