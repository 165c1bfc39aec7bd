// SectionEditor: one section as text, saved under the guard of what was read; what was typed is never lost.
import { button, debounced, el, follow, frame, icon, labLink } from "./parts.js";
import { colour, keepDraft, keptDraft, forgetDraft } from "./section_text.js";

const STATES = {
  clean: ["Up to date", null],
  dirty: ["Unsaved changes", "dot"],
  saving: ["Saving…", null],
  saved: ["Saved", "done"],
  updated: ["Updated", "done"],
  changed: ["Unsaved changes", "dot"],
  conflict: ["Not saved", "error"],
  gone: ["Not saved", "error"],
  offline: ["Not saved", "error"],
  refused: ["Not saved", "error"],
  readonly: ["Read-only", null],
  none: ["", null],
};
const ALARM = new Set(["conflict", "gone", "offline", "refused"]);

function sectionEditor(model, host) {
  const crumbs = el("span", { class: "kb-crumbs kb-space" });
  const state = el("span", { class: "kb-state", role: "status" });
  const bar = el("div", { class: "kb-bar", hidden: true });
  const draftBar = el("div", { class: "kb-bar", hidden: true });
  const sides = el("div", { hidden: true });
  const lines = el("div", { class: "kb-lines" });
  const fixed = el("div", { "aria-hidden": "true" });
  const field = el("textarea", { spellcheck: "false", "aria-label": "Text of the section", rows: 1 });
  const sheet = el("div", { class: "kb-sheet" }, lines, field);
  const text = el("div", { class: "kb-text" }, el("div", { class: "kb-sheet" }, fixed), sheet);
  const page = el("div", { class: "kb-page", hidden: true });
  const save = button("Save", () => store(), "", { title: "Save (Ctrl+S)" });
  const revert = button("Revert", () => (forgetDraft(model), model.send({ kind: "revert" })), "", { title: "Read the section anew and drop unsaved changes" });
  const preview = button("Preview", () => look(page.hidden), "kb-quiet", { "aria-pressed": "false" });
  const tab = el("span", {});
  const others = el("div", { class: "kb-foot", hidden: true });
  const actions = el("div", { class: "kb-actions" }, save, revert, el("span", { class: "kb-space" }), preview, tab);
  frame(host, "Section editor", el("div", { class: "kb-head" }, crumbs, state), bar, draftBar, sides, text, page, actions, others);

  const tell = () => {
    model.set("text", field.value);
    model.save_changes();
  };
  const later = debounced(150, tell);
  const kept = debounced(500, () => keepDraft(model, field.value));
  const paint = debounced(300, () => model.send({ kind: "preview", text: field.value }));
  const store = () => {
    later.cancel();
    kept.cancel();
    keepDraft(model, field.value);
    model.send({ kind: "save", text: field.value });
  };
  const look = shown => {
    page.hidden = !shown;
    preview.setAttribute("aria-pressed", String(shown));
    if (shown) {
      model.send({ kind: "preview", text: field.value });
    }
  };
  const copy = event => {
    field.select();
    const done = () => (event.target.textContent = "Copied");
    navigator.clipboard?.writeText(field.value).then(done, () => document.execCommand("copy") && done());
  };
  const write = () => {
    const first = model.get("first_line");
    const head = model.get("_head") ? model.get("_head").split("\n").slice(0, -1) : [];
    fixed.replaceChildren(...head.map((line, at) => colour(line, first + at, "kb-fixed")));
    lines.replaceChildren(...field.value.split("\n").map((line, at) => colour(line, first + head.length + at)));
  };

  field.addEventListener("input", () => {
    write();
    later();
    kept();
    mark(true);
    if (!page.hidden) {
      paint();
    }
  });
  field.addEventListener("keydown", event => {
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      event.preventDefault();
      store();
    }
    event.stopPropagation();
  });
  field.addEventListener("focus", () => model.send({ kind: "look" }));
  page.addEventListener("click", event => event.target.closest("a.kb-link:not([data-kb-file])") && event.preventDefault());

  // Typing shows at once that there is something to save; the kernel says the same a moment later.
  const mark = typed => {
    const is = model.get("state");
    const [name, sign] = STATES[typed && ["clean", "saved", "updated"].includes(is) ? "dirty" : is] ?? STATES.none;
    const time = ["saved", "updated"].includes(is) && !typed ? ` ${model.get("_time")}` : "";
    const signs = { dot: el("span", { class: "kb-dot" }), done: icon("done", "kb-good"), error: icon("error") };
    state.classList.toggle("kb-bad", sign === "error");
    state.replaceChildren(...(sign ? [signs[sign]] : []), name + time);
    const open = !["readonly", "saving", "none"].includes(is);
    const unsaved = typed || ["dirty", "changed", "conflict", "offline", "refused"].includes(is);
    save.disabled = !open || !unsaved;
    save.classList.toggle("kb-primary", !save.disabled);
    revert.disabled = !open || !(unsaved || is === "gone");
    field.readOnly = is === "readonly" || is === "none";
  };
  const alarm = () => {
    const is = model.get("state");
    const message = model.get("_message");
    bar.hidden = !message;
    bar.className = `kb-bar ${is === "changed" ? "kb-warned" : ""}`;
    bar.setAttribute("role", ALARM.has(is) ? "alert" : "note");
    const comparing = is === "conflict" || is === "changed";
    const compare = button(is === "conflict" ? "Compare and merge" : "Compare now", () => side(sides.hidden), is === "conflict" ? "kb-primary" : "", {
      "aria-expanded": String(!sides.hidden),
    });
    bar.replaceChildren(
      icon("warning", "kb-warn"),
      el("span", { class: "kb-small kb-space" }, message),
      ...(comparing ? [compare] : []),
      ...(is === "offline" ? [button("Try again", store, "kb-primary")] : []),
      ...(ALARM.has(is) ? [button("Copy my text", copy, "kb-keep")] : []),
    );
    if (!comparing) {
      side(false);
    }
  };
  const side = shown => {
    sides.hidden = !shown;
    bar.querySelector("[aria-expanded]")?.setAttribute("aria-expanded", String(shown));
    const cells = model.get("_sides").flatMap(([theirs, mine, same]) => [
      el("div", { class: `kb-side ${same || mine === null ? "" : "kb-mine"}`, "data-whose": "M" }, mine ?? ""),
      el("div", { class: `kb-side ${same || theirs === null ? "" : "kb-theirs"}`, "data-whose": "T" }, theirs ?? ""),
    ]);
    const title = (name, told, use, kind) =>
      el("div", { class: "kb-side-title kb-numbers" }, el("strong", {}, name), ` ${told} `, button(use, () => model.send({ kind, text: field.value }), "kb-quiet"));
    sides.replaceChildren(
      el(
        "div",
        { class: "kb-sides" },
        title("Mine", "your unsaved text", "Use mine", "mine"),
        title("Theirs", `on disk${model.get("_time") ? `, ${model.get("_time")}` : ""}`, "Use theirs", "theirs"),
        cells,
      ),
      el("div", { class: "kb-bar kb-small" }, "Change the text below until it holds what both want, then choose Use mine and save. Nothing has been overwritten."),
    );
  };
  const offer = () => {
    const draft = keptDraft(model);
    draftBar.hidden = !draft;
    if (draft) {
      const done = () => {
        forgetDraft(model);
        draftBar.hidden = true;
      };
      const restore = () => {
        field.value = draft.text;
        write();
        mark(true);
        tell();
        draftBar.hidden = true;
      };
      draftBar.replaceChildren(
        icon("clock"),
        el("span", { class: "kb-small kb-space" }, `You have unsaved text from ${draft.time}.`),
        button("Restore", restore, "kb-primary"),
        button("Discard", done),
      );
    }
  };

  follow(model, ["file", "heading_path"], () => {
    const file = model.get("file");
    const steps = model.get("heading_path") ? model.get("heading_path").split(" > ") : [];
    const last = steps.pop() ?? file.split("/").pop();
    const before = steps.length || model.get("heading_path") ? [file.split("/").pop(), ...steps] : [];
    crumbs.title = [file, model.get("heading_path")].filter(Boolean).join(" > ");
    crumbs.replaceChildren(
      el("span", { class: "kb-dim kb-cut" }, before.map(step => `${step} ›`).join(" ")),
      el("span", { class: "kb-strong kb-cut" }, last || "No section chosen"),
    );
    tab.replaceChildren(labLink("Open in a tab", "kb-edit-section", file, model.get("heading_path")));
  });
  const replace = () => {
    later.cancel();
    kept.cancel();
    field.value = model.get("text");
    write();
    mark(false);
    if (!page.hidden) {
      paint();
    }
  };
  follow(model, ["_revision"], () => {
    replace();
    offer();
  });
  follow(model, ["text"], () => {
    if (document.activeElement !== field && field.value !== model.get("text")) {
      replace();
    }
  });
  follow(model, ["first_line", "_head"], write);
  follow(model, ["state", "_time", "_message", "_sides"], () => {
    mark(false);
    alarm();
    if (model.get("state") === "saved") {
      forgetDraft(model);
      draftBar.hidden = true;
    }
    if (!sides.hidden) {
      side(true);
    }
  });
  follow(model, ["_preview"], () => {
    // The server's own renderer made it: no scripts, no handlers, no raw HTML of the note.
    page.innerHTML = model.get("_preview");
  });
  follow(model, ["drafts"], () => {
    const refs = model.get("drafts");
    others.hidden = !refs.length;
    const go = ref => {
      model.set("section", ref);
      model.save_changes();
    };
    others.replaceChildren("Unsaved changes are kept in ", ...refs.map(ref => button(ref, () => go(ref), "kb-quiet")));
  });
}

export default {
  render({ model, el: host }) {
    sectionEditor(model, host);
  },
};
