"use strict";
// Elements of the page. Text only ever becomes text, never markup.
(() => {
  const S = (globalThis.Stichkampf ??= {});
  const replay = (S.replay ??= {});

  /** An element with a class, children and attributes; what is null or false is left out. */
  replay.element = (tag, className, children = [], attributes = {}) => {
    const made = document.createElement(tag);
    if (className) made.className = className;
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== null && value !== false) made.setAttribute(name, value);
    }
    made.append(...[children].flat().filter((child) => child !== null && child !== false));
    return made;
  };

  /** The element of the page with this id. */
  replay.byId = (id) => document.getElementById(id);

  /** Put these in place of all that an element holds. */
  replay.fill = (holder, children) =>
    holder.replaceChildren(...[children].flat().filter((child) => child !== null));
})();
