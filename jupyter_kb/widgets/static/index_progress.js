// IndexProgress: three rows while there is work, one line when there is none.
import { button, el, follow, frame, icon, labLink } from "./parts.js";

function indexProgress(model, host) {
  const head = el("div", { class: "kb-head" });
  const body = el("div", {});
  const spoken = el("div", { class: "kb-foot", role: "status" });
  frame(host, "Progress of the index", head, body, spoken);
  let quarter = -1;

  const over = () => ["ready", "stopped"].includes(model.get("state"));
  follow(model, ["state", "line", "problem", "_title", "_told"], () => {
    const paused = model.get("state") === "paused";
    const send = kind => model.send({ kind });
    head.hidden = spoken.hidden = over();
    head.replaceChildren(
      icon("database"),
      el("span", { class: "kb-strong kb-cut" }, model.get("_title")),
      el("span", { class: "kb-small kb-dim kb-numbers kb-space kb-cut" }, model.get("_told")),
      button(paused ? [icon("play"), "Go on"] : [icon("pause"), "Pause"], () => send(paused ? "resume" : "pause"), "kb-quiet"),
      button("Stop", () => send("stop"), "kb-quiet"),
    );
  });
  follow(model, ["state", "line", "problem", "_rows"], () => {
    const rows = model.get("_rows");
    body.replaceChildren(...(over() ? [oneLine(model)] : rows.map(row)));
    // Changes are spoken at every quarter, not at every look.
    const share = rows.at(-1)?.share ?? 0;
    const note = rows.map(one => one.note).filter(Boolean);
    const said = model.get("problem") || ["You can go on working; stopping keeps what is done.", ...note].join(" ");
    if (Math.floor(share * 4) !== quarter || spoken.textContent !== said) {
      quarter = Math.floor(share * 4);
      spoken.textContent = said;
    }
  });
}

function row(one) {
  const percent = one.share === null ? null : Math.round(one.share * 100);
  const bar = el("i", {});
  bar.style.width = `${percent ?? 0}%`;
  return el(
    "div",
    { class: "kb-progress" },
    el("span", { class: one.done ? "kb-good" : "" }, icon(one.done ? "done" : "clock")),
    el("span", {}, one.name),
    el(
      "span",
      {
        class: `kb-track ${one.done ? "kb-full" : ""}`,
        role: "progressbar",
        "aria-label": one.name,
        "aria-valuemin": 0,
        "aria-valuemax": 100,
        "aria-valuenow": percent,
      },
      bar,
    ),
    el("span", { class: "kb-numbers" }, one.counted),
    el("span", { class: "kb-dim" }, one.left),
  );
}

function oneLine(model) {
  const ready = model.get("state") === "ready";
  return el(
    "div",
    { class: "kb-progress kb-one-line", role: "status" },
    el("span", { class: ready ? "kb-good" : "" }, icon(ready ? "done" : "pause")),
    el("span", {}, [model.get("line"), ...model.get("_rows").map(one => one.note).filter(Boolean)].join(" · ")),
    labLink("Diagnostics", "kb-diagnostics", ""),
  );
}

export default {
  render({ model, el: host }) {
    indexProgress(model, host);
  },
};
