"use strict";
// What pages can do beside being read: tables are sorted by a click, and a filter goes to the page it names.
(() => {
  const S = (globalThis.Stichkampf ??= {});

  /** What a cell is sorted by; what is not known has null, and always comes last. */
  function valueOf(row, place, kind) {
    const cell = row.cells[place];
    const text = cell.dataset.value ?? cell.textContent.trim();
    if (text === "") return null;
    return kind === "text" ? text : Number(text);
  }

  function compare(one, other, sign) {
    if (one === null || other === null) return (one === null) - (other === null);
    const order = typeof one === "string" ? one.localeCompare(other) : one - other;
    return sign * order;
  }

  /** How each table is sorted, by its place on the page, so that a page that is renewed stays so. */
  const sorted = new Map();

  function sort(table, place, down) {
    const heads = table.tHead.rows[0].cells;
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[place].setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const kind = heads[place].dataset.kind;
    const rows = [...body.rows].map((row) => [valueOf(row, place, kind), row]);
    rows.sort(([one], [other]) => compare(one, other, down ? -1 : 1));
    body.append(...rows.map(([, row]) => row));
    // Rules between tiers mean something only in the order of ranks.
    table.classList.toggle("resorted", place !== 0 || down);
  }

  /** The way a click sorts: as is usual for the column, and the other way the next time. */
  function turned(head) {
    const now = head.getAttribute("aria-sort");
    return now ? now === "ascending" : head.dataset.first !== "up";
  }

  function arrangeTable(table, number) {
    [...table.tHead.rows[0].cells].forEach((head, place) => {
      if (!head.dataset.kind) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => {
        sorted.set(number, [place, turned(head)]);
        sort(table, ...sorted.get(number));
      });
      head.append(button);
    });
    if (sorted.has(number)) sort(table, ...sorted.get(number));
  }

  /** Go to the page of a variant and a size; where both were never played, what was just chosen counts. */
  function filterBy(form, changed) {
    const scopes = JSON.parse(form.dataset.scopes);
    const variant = form.elements.variant.value || null;
    const seats = Number(form.elements.seats.value) || null;
    const find = (own, size) => scopes.find(([one, two]) => one === own && two === size);
    const found =
      find(variant, seats) ?? (changed === "variant" ? find(variant, null) : find(null, seats));
    location.href = document.body.dataset.root + (found ?? scopes[0])[2];
  }

  /** Make what is in the page do what it can. */
  S.arrange = () => {
    document.querySelectorAll("table.sortable").forEach(arrangeTable);
    const form = document.querySelector("form.filter[data-scopes]");
    form?.addEventListener("change", (event) => filterBy(form, event.target.name));
  };

  S.arrange();
})();
