// The parts that all widgets are built from: elements, icons, frames. No text of a note ever becomes markup here.

const SVG = "http://www.w3.org/2000/svg";

const ICONS = {
  search: "M6.8 2.5a4.3 4.3 0 1 0 0 8.6 4.3 4.3 0 0 0 0-8.6zM10 10l4 4",
  note: "M3.5 1.8h5.9l3.1 3.1v9.3h-9zM9.2 1.9v3.2h3.2M5.7 8.2h4.6M5.7 10.8h4.6",
  down: "M4 6h8l-4 4.6z",
  right: "M6 4v8l4.6-4z",
  error: "M8 2.1a5.9 5.9 0 1 0 0 11.8A5.9 5.9 0 0 0 8 2.1zM5.9 5.9l4.2 4.2M10.1 5.9l-4.2 4.2",
  warning: "M8 2.2l6.3 11.2H1.7zM8 6.4v3.4M8 11.6v.2",
  done: "M8 2.1a5.9 5.9 0 1 0 0 11.8A5.9 5.9 0 0 0 8 2.1zM5.2 8.2l2 2.1 3.7-4.3",
  clock: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM8 4.6V8l2.3 1.6",
  database:
    "M3 3.8c0-1 2.2-1.9 5-1.9s5 .9 5 1.9-2.2 1.9-5 1.9-5-.9-5-1.9v8.4c0 1 2.2 1.9 5 1.9s5-.9 5-1.9V3.8M3 8c0 1 2.2 1.9 5 1.9s5-.9 5-1.9",
  pause: "M5.6 3.6v8.8M10.4 3.6v8.8",
  play: "M5 3.4l7 4.6-7 4.6z",
  meaning: "M2.4 6.6c1.8-2.2 3.8-2.2 5.6 0s3.8 2.2 5.6 0M2.4 10.6c1.8-2.2 3.8-2.2 5.6 0s3.8 2.2 5.6 0",
  graph:
    "M4 2.1a2.1 2.1 0 1 0 0 4.2 2.1 2.1 0 0 0 0-4.2zM12.2 3.7a1.7 1.7 0 1 0 0 3.4 1.7 1.7 0 0 0 0-3.4zM7 10.2a2 2 0 1 0 0 4 2 2 0 0 0 0-4zM6.1 4.5l4.4.7M4.7 6.2l1.6 4.1M11.2 6.8l-2.9 3.9",
};

const FILLED = new Set(["down", "right"]);

/** An element; strings among the children are text, `on…` attributes are listeners, null and false leave one out. */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) {
      continue;
    }
    if (name.startsWith("on")) {
      made.addEventListener(name.slice(2), value);
    } else {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
  made.append(...children.flat().filter(child => child !== null && child !== undefined && child !== false));
  return made;
}

/** An element of a picture. */
export function draw(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

/** An icon; it never has a name of its own, the text beside it or the button around it has. */
export function icon(name, kind = "") {
  const svg = draw("svg", { class: `kb-icon ${kind}`, viewBox: "0 0 16 16", "aria-hidden": "true" });
  svg.append(draw("path", { d: ICONS[name], class: FILLED.has(name) ? "kb-filled" : "" }));
  return svg;
}

/** A button with text. */
export function button(text, click, kind = "", attributes = {}) {
  return el("button", { type: "button", class: `kb-button ${kind}`, onclick: click, ...attributes }, ...[text].flat());
}

/** A link that JupyterLab's panel acts on; nothing is shown of it where there is none (see frame.css). */
export function labLink(text, kind, file, heading = "") {
  return el(
    "a",
    {
      class: `kb-button kb-quiet kb-in-lab ${kind}`,
      href: "#",
      "data-kb-file": file,
      "data-kb-heading": heading || null,
      onclick: event => event.preventDefault(),
    },
    text,
  );
}

/** The frame of a widget inside the element that the front end gave. */
export function frame(host, name, ...children) {
  const gone = el("div", { class: "kb-gone", role: "note" }, "Run this cell again to use it.");
  const made = el("div", { class: "kb-w", role: "region", "aria-label": name, "data-lm-suppress-shortcuts": "true" }, children, gone);
  host.classList.add("kb-host");
  host.replaceChildren(made);
  return made;
}

/** Call back now and at each change of one of the traits. */
export function follow(model, names, update) {
  for (const name of names) {
    model.on(`change:${name}`, update);
  }
  update();
}

/** Text with the found words marked: pairs of text and whether it is one. */
export function marked(parts) {
  return parts.map(([text, mark]) => (mark ? el("mark", {}, text) : text));
}

/** Move the focus among rows with the arrow keys, Home and End; true where the key was one of those. */
export function walk(event, rows) {
  const at = rows.indexOf(event.target.closest("[data-row]"));
  const last = rows.length - 1;
  const next = { ArrowDown: Math.min(at + 1, last), ArrowUp: at - 1, Home: 0, End: last }[event.key];
  if (next === undefined || next < 0 || !rows[next]) {
    return false;
  }
  event.preventDefault();
  rows[next].focus();
  return true;
}

/** Let one row at a time be reached with Tab. */
export function rove(rows, current) {
  for (const row of rows) {
    row.tabIndex = row === current ? 0 : -1;
  }
}

/** Call a function once the last of several calls is so many milliseconds old. */
export function debounced(milliseconds, call) {
  let timer = 0;
  const later = (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => call(...values), milliseconds);
  };
  later.cancel = () => clearTimeout(timer);
  return later;
}
