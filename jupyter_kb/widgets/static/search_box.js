// SearchBox: a field, three ways to search, and the sections that were found.
import { debounced, el, follow, frame, icon, labLink, marked, rove, walk } from "./parts.js";

const PAUSE = 180;
const MODES = [
  ["hybrid", "Both"],
  ["text", "Text"],
  ["semantic", "Meaning"],
];
const HAN = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;

function searchBox(model, host) {
  const field = el("input", {
    class: "kb-field",
    type: "search",
    placeholder: "Search notes",
    "aria-label": "Search notes",
    autocomplete: "off",
    spellcheck: "false",
  });
  const modes = el("div", { class: "kb-switch", role: "radiogroup", "aria-label": "How to search" });
  const summary = el("div", { class: "kb-summary kb-small kb-dim kb-numbers", role: "status" });
  const hits = el("div", { class: "kb-hits", role: "listbox", "aria-label": "Search results" });
  const waiting = el("div", { class: "kb-waiting" });
  const root = frame(host, "Search notes", el("div", { class: "kb-head", role: "search" }, icon("search"), field, modes), waiting, summary, hits);
  const open = el("span"); // beside what was found: a choice of a list holds no link
  let composing = false;
  let wanted = null;
  let entering = false; // Enter was pressed, and the rows that it leads to are not there yet

  const rows = () => [...hits.children];
  const ask = () => {
    later.cancel();
    const query = field.value.trim();
    if (query === model.get("query")) {
      return;
    }
    wanted = query;
    busy();
    model.set("query", query);
    model.save_changes();
  };
  const later = debounced(PAUSE, ask);
  const pending = () => wanted !== null && wanted !== model.get("_answered") && !model.get("problem");
  const busy = () => root.setAttribute("aria-busy", String(pending()));
  const choose = row => {
    model.set("selected", row.dataset.row);
    model.save_changes();
  };

  field.addEventListener("compositionstart", () => (composing = true));
  field.addEventListener("compositionend", () => {
    composing = false;
    later();
  });
  field.addEventListener("input", () => {
    entering = false;
    const query = field.value.trim();
    if (!composing && (query === "" || query.length > 1 || HAN.test(query))) {
      later();
    } else {
      later.cancel();
    }
  });
  field.addEventListener("keydown", event => {
    if (event.key === "Enter" && !event.isComposing) {
      ask();
      entering = pending();
      if (!entering) {
        rows()[0]?.focus();
      }
    } else if (event.key === "ArrowDown" && rows().length) {
      event.preventDefault();
      rows()[0].focus();
    } else if (event.key === "Escape" && field.value) {
      field.value = "";
      ask();
    }
    event.stopPropagation();
  });
  hits.addEventListener("click", event => {
    const row = event.target.closest("[data-row]");
    if (row && !event.target.closest("a")) {
      choose(row);
    }
  });
  hits.addEventListener("keydown", event => {
    if (event.key === "ArrowUp" && event.target === rows()[0]) {
      event.preventDefault();
      field.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      if (event.target.dataset.row !== undefined) {
        event.preventDefault();
        choose(event.target);
      }
    } else {
      walk(event, rows());
    }
    event.stopPropagation();
  });
  hits.addEventListener("focusin", event => rove(rows(), event.target.closest("[data-row]")));

  const select = () => {
    const chosen = model.get("selected");
    for (const one of rows()) {
      one.setAttribute("aria-selected", String(chosen !== "" && one.dataset.row === chosen));
    }
    rove(rows(), rows().find(one => one.dataset.row === chosen) ?? rows()[0]);
    const hit = model.get("_rows").find(one => one.ref === chosen);
    open.replaceChildren(...(hit ? [labLink("Open note", "kb-link", hit.file, hit.heading)] : []));
  };
  follow(model, ["query"], () => {
    if (document.activeElement !== field) {
      field.value = model.get("query");
    }
  });
  follow(model, ["mode"], () => {
    const turn = mode => {
      model.set("mode", mode);
      model.save_changes();
    };
    modes.replaceChildren(
      ...MODES.map(([mode, name]) =>
        el("button", { type: "button", role: "radio", "aria-checked": String(mode === model.get("mode")), onclick: () => turn(mode) }, name),
      ),
    );
  });
  follow(model, ["_rows", "_remarks", "_answered", "total", "problem"], () => {
    busy();
    summary.replaceChildren(...told(model), el("span", { class: "kb-space" }), open);
    const focused = hits.contains(document.activeElement) ? document.activeElement.dataset.row : null;
    hits.replaceChildren(...model.get("_rows").map(row));
    select();
    if (entering && !pending()) {
      entering = false;
      rows()[0]?.focus();
    } else if (focused !== null) {
      (rows().find(one => one.dataset.row === focused) ?? rows()[0] ?? field).focus();
    }
  });
  follow(model, ["selected"], select);
}

function told(model) {
  const problem = model.get("problem");
  if (problem) {
    return [icon("error", "kb-bad"), problem];
  }
  if (!model.get("_answered")) {
    return [];
  }
  const shown = model.get("_rows").length;
  const total = model.get("total");
  const sections = total === 1 ? "section" : "sections";
  const remarks = model.get("_remarks").map(remark => el("span", {}, remark.replaceAll("`", "")));
  if (!total) {
    return [el("span", { class: "kb-strong" }, "Nothing matches"), ...remarks];
  }
  const count = shown < total ? `${shown.toLocaleString("en")} of ${total.toLocaleString("en")} ${sections}` : `${total} ${sections}`;
  return [count, ...remarks];
}

function row(hit) {
  const place = hit.place.join(" › ");
  return el(
    "div",
    { class: "kb-hit", role: "option", "data-row": hit.ref, "aria-selected": "false" },
    el(
      "div",
      { class: "kb-name" },
      el("span", { class: "kb-title kb-cut", title: hit.title }, hit.title),
      el("span", { class: "kb-tiny kb-dim kb-cut", title: place }, place),
    ),
    el(
      "span",
      { class: "kb-why kb-tiny" },
      hit.meaning
        ? el("span", { class: "kb-why", title: "Found by meaning: the words differ" }, icon("meaning", "kb-12"), el("span", {}, "meaning"))
        : null,
    ),
    el("div", { class: "kb-snippet" }, marked(hit.parts)),
  );
}

export default {
  render({ model, el: host }) {
    searchBox(model, host);
  },
};
