"use strict";
// A field that finds bots by their names; all names are loaded when somebody is about to type.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const SHOWN = 8;
  const form = document.querySelector("form.find");
  const field = form.querySelector("input");
  const list = form.querySelector("ul");
  const root = document.body.dataset.root;
  let loading = null;

  /** Names and pages of all bots. */
  function load() {
    loading ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${root}bots.js`;
      script.onload = () => resolve(Object.entries(S.bots));
      script.onerror = () => reject(new Error("bots.js is missing from this site."));
      document.head.append(script);
    });
    return loading;
  }

  /** How well a name fits: 0 is best, and null not at all. */
  function fit(name, wanted) {
    const place = name.toLowerCase().indexOf(wanted);
    if (place < 0) return null;
    return place > 0 ? 2 : Number(name.length > wanted.length);
  }

  /** The bots that fit best; of equal ones the one that joined last. */
  function find(bots, wanted) {
    const found = [];
    bots.forEach(([name, path], number) => {
      const how = fit(name, wanted);
      if (how !== null) found.push({ name, path, how, number });
    });
    found.sort((one, other) => one.how - other.how || other.number - one.number);
    return found;
  }

  const item = (name, properties, text) => {
    const inner = Object.assign(document.createElement(name), properties);
    inner.textContent = text;
    const made = document.createElement("li");
    made.append(inner);
    return made;
  };

  /** Show what fits, and return it. */
  async function show() {
    const bots = await load();
    const wanted = field.value.trim().toLowerCase();
    const found = wanted ? find(bots, wanted) : [];
    const items = found
      .slice(0, SHOWN)
      .map(({ name, path }) => item("a", { href: root + path }, S.printable(name)));
    if (found.length > SHOWN) items.push(item("span", {}, `${found.length - SHOWN} more`));
    if (wanted && !found.length) items.push(item("span", {}, "No such bot"));
    list.replaceChildren(...items);
    list.hidden = !wanted;
    return found;
  }

  const told = (error) => {
    list.replaceChildren(item("span", {}, error.message));
    list.hidden = false;
  };

  field.addEventListener("focus", () => load().catch(told));
  field.addEventListener("input", () => show().catch(told));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show()
      .then(([first]) => {
        if (first) location.href = root + first.path;
      })
      .catch(told);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key === "Escape") list.hidden = true;
  });
  document.addEventListener("click", (event) => {
    if (!form.contains(event.target)) list.hidden = true;
  });
  form.hidden = false;
})();
