// The text of the section editor: lines as they are drawn, and drafts that outlive the page and the kernel.
import { el } from "./parts.js";

const PIECES = /(\[\[[^\]\n]*\]\]|`[^`\n]*`|\$[^$\n]+\$)/;

/** One line with its number; only colours, so that the field's own text has exactly the same places. */
export function colour(line, number, kind = "") {
  const drawn = el("span", { class: "kb-characters" });
  if (/^ {0,3}#{1,6}(\s|$)/.test(line)) {
    drawn.append(el("span", { class: "kb-is-heading" }, line));
  } else {
    const [, mark, rest] = /^(\s*(?:[-*+]|\d+[.)]|>)(?=\s))?(.*)$/s.exec(line);
    drawn.append(
      ...(mark ? [el("span", { class: "kb-is-mark" }, mark)] : []),
      ...rest.split(PIECES).map((piece, at) => (at % 2 ? el("span", { class: piece.startsWith("[[") ? "kb-is-link" : "kb-is-math" }, piece) : piece)),
    );
  }
  if (!line) {
    drawn.append("\u200b");
  }
  return el("div", { class: `kb-written ${kind}` }, el("span", { class: "kb-line-number", "aria-hidden": "true" }, String(number)), drawn);
}

const place = model => `jupyter-kb:widget-draft:${model.get("_root")}:${model.get("file")}:${model.get("heading_path")}`;

/** Keep unsaved text in the browser. */
export function keepDraft(model, text) {
  const time = new Date().toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  store(() => localStorage.setItem(place(model), JSON.stringify({ text, time })));
}

/** Unsaved text that the browser kept, unless it is what stands there anyway. */
export function keptDraft(model) {
  const found = store(() => JSON.parse(localStorage.getItem(place(model))));
  return found && typeof found.text === "string" && found.text !== model.get("text") ? found : null;
}

/** It was saved, or is not wanted any more. */
export function forgetDraft(model) {
  store(() => localStorage.removeItem(place(model)));
}

// A front end may forbid storage; the text is then kept by the page and the kernel alone.
function store(use) {
  try {
    return use();
  } catch {
    return null;
  }
}
