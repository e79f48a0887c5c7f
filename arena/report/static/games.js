"use strict";
// The list of games: files of a thousand are loaded as they are needed, until enough is found.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const SHOWN = 100;
  const { cells, bots } = S.listed;
  const loaded = new Map();
  const waiting = new Map();

  /** What every file of lists/ calls. */
  S.list = ([name, games]) => loaded.set(name, games);

  /** The games of a file. */
  function load(name) {
    if (loaded.has(name)) return Promise.resolve(loaded.get(name));
    if (!waiting.has(name)) {
      const script = document.createElement("script");
      script.src = `lists/${name}.js`;
      waiting.set(
        name,
        new Promise((resolve, reject) => {
          script.onload = () => resolve(loaded.get(name) ?? []);
          script.onerror = () => reject(new Error(`${script.src} is missing from this site.`));
        }),
      );
      document.head.append(script);
    }
    return waiting.get(name);
  }

  const form = document.getElementById("which");
  form.elements.bot.append(
    ...bots.map(([name], number) => new Option(S.printable(name), String(number))),
  );
  const head = document.querySelector("#games thead");
  const body = document.querySelector("#games tbody");
  const found = document.getElementById("found");
  const more = document.getElementById("more");

  const element = (name, ...content) => {
    const made = document.createElement(name);
    made.append(...content);
    return made;
  };
  const link = (href, text) => Object.assign(element("a", text), { href });

  const ORDINALS = ["", "1st", "2nd", "3rd"];
  const ordinal = (rank) => ORDINALS[rank] ?? `${rank}th`;

  /** Who sits in a seat, and what came of it. */
  function seat(number, score, rank, faults) {
    const [name, page] = bots[number];
    const came = ` ${String(score).replace("-", "−")} `;
    const cell = element("td", link(page, S.printable(name)), came);
    cell.append(element("small", ordinal(rank)));
    if (rank === 1) cell.className = "won";
    if (faults) {
      const told = element("span", ` ${faults} ${faults === 1 ? "fault" : "faults"}`);
      told.className = "bad";
      cell.append(told);
    }
    return cell;
  }

  function row([id, seated, scores, ranks, faults]) {
    return element(
      "tr",
      element("td", link(`game.html?game=${encodeURIComponent(id)}`, id)),
      ...seated.map((bot, at) => seat(bot, scores[at], ranks[at], faults && faults[at])),
    );
  }

  /** The heads of the columns, for so many seats. */
  function heads(seats) {
    const titles = ["game", ...Array.from({ length: seats }, (_, at) => `seat ${at}`)];
    return element("tr", ...titles.map((title) => Object.assign(element("th", title), { scope: "col" })));
  }

  /** Where the list goes on: a file of the cell, and a place in it; null once all is shown. */
  let next = null;
  let asked = 0;
  let shown = 0;

  function wanted() {
    const bot = form.elements.bot.value;
    const fault = form.elements.fault.checked;
    const number = bot === "" ? null : Number(bot);
    return ([, seated, , , faults]) => {
      const at = number === null ? -1 : seated.indexOf(number);
      if (number !== null && at < 0) return false;
      return !fault || Boolean(faults && (number === null || faults[at]));
    };
  }

  /** Show some more games; what is asked for in the meantime counts. */
  async function show() {
    const own = ++asked;
    const cell = Number(form.elements.cell.value);
    const fits = wanted();
    const files = cells[cell]?.[2] ?? 0;
    let room = SHOWN;
    more.hidden = true;
    while (next && next.file < files && room > 0) {
      found.textContent = `Looking through file ${next.file + 1} of ${files} …`;
      let games;
      try {
        games = await load(`${cell}-${next.file}`);
      } catch (error) {
        found.textContent = error.message;
        return;
      }
      if (own !== asked) return;
      if (games.length) head.replaceChildren(heads(games[0][1].length));
      let at = next.at;
      for (; at < games.length && room > 0; at++) {
        if (fits(games[at])) {
          body.append(row(games[at]));
          shown += 1;
          room -= 1;
        }
      }
      next = at < games.length ? { file: next.file, at } : { file: next.file + 1, at: 0 };
    }
    if (next && next.file >= files) next = null;
    const games = shown === 1 ? "1 game" : `${shown.toLocaleString("en")} games`;
    found.textContent = next ? `The first ${games}` : shown ? `${games}, that is all` : "No such game";
    more.hidden = !next;
  }

  function begin() {
    body.replaceChildren();
    next = { file: 0, at: 0 };
    shown = 0;
    show();
  }

  form.addEventListener("change", begin);
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", show);
  begin();
})();
