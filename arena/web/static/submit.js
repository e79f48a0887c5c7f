"use strict";
// Sends a bot and shows what the ladder says to it. The token is nowhere but in its field.
(() => {
  const S = globalThis.Stichkampf;
  const $ = (id) => document.getElementById(id);
  const MARKS = new Map([[true, ["✓", "good"]], [false, ["✗", "bad"]]]);
  const TRIES = 8;
  const base = new URL(".", location.href);
  const form = $("submission");
  const button = form.querySelector("button");

  for (const place of document.querySelectorAll("[data-address]")) {
    place.textContent = base.href.replace(/\/$/, "");
  }
  form.hidden = false;
  $("plain").remove();

  function element(name, text, kind) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind) made.className = kind;
    return made;
  }

  const rest = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

  function state(text, kind) {
    $("state").className = kind ?? "";
    $("state").textContent = text;
  }

  function tableOf(rows) {
    const table = element("table");
    const [head, ...body] = rows;
    const titles = table.createTHead().insertRow();
    for (const title of head) {
      const cell = element("th", title);
      cell.scope = "col";
      titles.append(cell);
    }
    const inner = table.createTBody();
    for (const row of body) {
      const line = inner.insertRow();
      for (const text of row) line.insertCell().textContent = S.printable(text);
    }
    const scroll = element("div", undefined, "scroll");
    scroll.append(table);
    return scroll;
  }

  function evidenceOf(evidence) {
    const list = element("dl");
    for (const [what, text] of Object.entries(evidence)) {
      const told = element("dd");
      told.append(element("pre", S.printableLines(text).join("\n")));
      list.append(element("dt", what), told);
    }
    return list;
  }

  /** The steps of the check that passed share one line. */
  let checked = null;
  let evident = "";

  function show(said) {
    const [mark, kind] = MARKS.get(said.passed) ?? ["…", "reading"];
    const [step, ...inner] = said.step.split(" ");
    if (step === "check" && said.passed === true) {
      checked ??= { line: line(mark, kind, "check", ""), count: 0 };
      checked.count += 1;
      const steps = checked.count === 1 ? "1 step" : `${checked.count} steps`;
      checked.line.lastChild.textContent = ` ${steps} of the protocol kept`;
      return;
    }
    checked = null;
    const text = S.printable([inner.join(" "), said.text].filter(Boolean).join(": "));
    const shown = line(mark, kind, step, text ? ` ${text}` : "");
    // What is said at last may be shown by what was shown before.
    const shows = JSON.stringify(said.evidence ?? {});
    if (shows !== "{}" && shows !== evident) shown.append(evidenceOf(said.evidence));
    evident = shows;
    if (said.table?.length) shown.append(tableOf(said.table));
  }

  function line(mark, kind, step, text) {
    const made = element("li");
    made.append(element("span", mark, `mark ${kind}`), element("strong", step), element("span", text));
    $("said").append(made);
    return made;
  }

  /** The events of a stream, each with its kind, id and data. */
  async function* events(stream) {
    const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      for (const block of blocks) {
        const event = { kind: "message", id: "", data: "" };
        for (const one of block.split("\n")) {
          const at = one.indexOf(": ");
          const [name, told] = [one.slice(0, at), one.slice(at + 2)];
          if (name === "event") event.kind = told;
          else if (name === "id") event.id = told;
          else if (name === "data") event.data += told;
        }
        yield event;
      }
    }
  }

  /** Show what is said until all is said; where the connection breaks it is taken up again. */
  async function listen(url) {
    let heard = "";
    for (let tries = 0; tries < TRIES; tries += 1) {
      try {
        const headers = heard ? { "Last-Event-ID": heard } : {};
        const answer = await fetch(url, { headers, cache: "no-store" });
        if (answer.status === 404) return null;
        if (!answer.ok) throw new Error(answer.statusText);
        for await (const event of events(answer.body)) {
          tries = 0;
          if (event.kind === "again") {
            checked = null;
            $("said").replaceChildren();
          } else if (event.kind === "said") {
            state("It is being looked at.");
            show(JSON.parse(event.data));
            heard = event.id;
          } else if (event.kind === "end") {
            return JSON.parse(event.data);
          }
        }
      } catch {
        state("The connection broke; trying again.", "warn");
      }
      await rest(Math.min(1 + 2 * tries, 10));
    }
    return null;
  }

  /** A link to the page of a version, as soon as there is one. */
  async function lead(url, bot) {
    for (let tries = 0; tries < 200; tries += 1) {
      const answer = await fetch(url, { cache: "no-store" }).catch(() => null);
      const found = answer?.ok ? await answer.json() : null;
      if (found?.page) {
        const link = element("a", `See ${bot} on the ladder`);
        link.href = new URL(found.page, base);
        $("state").replaceChildren(element("span", `Accepted as ${bot}. `, "good"), link);
        return;
      }
      await rest(3);
    }
  }

  async function send(file, name, message, token) {
    const query = new URLSearchParams({ file: file.name, name, message });
    const answer = await fetch(new URL(`api/bots?${query}`, base), {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/octet-stream" },
      body: file,
    });
    const told = await answer.json();
    if (!answer.ok) throw new Error(told.error);
    return told;
  }

  async function submit() {
    const file = $("file").files[0];
    $("conversation").hidden = false;
    $("said").replaceChildren();
    checked = null;
    $("about").textContent = S.printable(file.name);
    if (file.size > Number($("conversation").dataset.size) * 2 ** 20) {
      state(`Not taken: it is larger than ${$("conversation").dataset.size} MiB.`, "bad");
      return;
    }
    state("It is being sent.");
    let taken;
    try {
      taken = await send(file, $("name").value.trim(), $("message").value.trim(), $("token").value.trim());
    } catch (error) {
      state(`Not taken: ${error.message}.`, "bad");
      return;
    }
    state("It is there, and waits for its turn.");
    const ended = await listen(new URL(`api/submissions/${taken.id}/events`, base));
    if (ended === null) {
      state("The ladder does not answer any more; what became of it is not known.", "warn");
    } else if (ended.state === "accepted") {
      state(`Accepted as ${ended.bot}. Its page comes in a moment.`, "good");
      await lead(new URL(`api/submissions/${taken.id}`, base), ended.bot);
    } else if (ended.state === "refused") {
      state("Refused; nothing of it is left on the ladder.", "bad");
    } else {
      state("Something of the ladder's broke, which is not its fault. Send it again.", "warn");
    }
  }

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      await submit();
    } finally {
      button.disabled = false;
    }
  });
})();
