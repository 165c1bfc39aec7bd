// NoteGraph: the notes around a note, as a picture and as a list; both choose a note and follow the keyboard.
import { draw, el, follow, frame, icon, labLink, rove, walk } from "./parts.js";
import { layout } from "./graph_layout.js";

const HEIGHT = 360;
const LABEL = 32;
/** About how wide a label of 12 px gets; Han characters are twice as wide. */
const wide = text => [...text].reduce((sum, one) => sum + (one > "\u2e7f" ? 12 : 6.6), 0);

function noteGraph(model, host) {
  const title = el("span", { class: "kb-strong kb-cut" });
  const steps = el("div", { class: "kb-switch kb-steps", role: "radiogroup", "aria-label": "Links away from the note" });
  const ways = el("div", { class: "kb-switch", role: "radiogroup", "aria-label": "View" });
  const open = el("span", {});
  const head = el("div", { class: "kb-head" }, icon("graph"), title, el("span", { class: "kb-space" }), open, steps, ways);
  const canvas = draw("svg", {
    class: "kb-canvas",
    role: "application",
    "aria-label": "Notes and their links. Arrow keys go to the next note, Enter puts it into the middle; List shows the same as text.",
  });
  const list = el("div", { class: "kb-notes", role: "listbox", "aria-label": "Notes" });
  const empty = el("div", { class: "kb-bar kb-small", hidden: true });
  const foot = el("div", { class: "kb-foot kb-numbers", role: "status" });
  const root = frame(host, "Links of a note", head, canvas, list, empty, foot);
  let places = [];
  let asList = host.clientWidth > 0 && host.clientWidth < 480;

  const set = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const view = list_ => {
    asList = list_;
    canvas.style.display = asList ? "none" : "";
    list.hidden = !asList;
    radios(ways, [[false, "Picture"], [true, "List"]], asList, view);
    select();
  };
  const rows = () => [...(asList ? list : canvas).querySelectorAll("[data-row]")];
  const key = event => {
    const row = event.target.closest("[data-row]");
    if (!row) {
      return;
    }
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      set(event.key === "Enter" ? "file" : "selected", row.dataset.row);
    } else if (!asList && event.key.startsWith("Arrow")) {
      event.preventDefault();
      toward(rows(), places, rows().indexOf(row), event.key)?.focus();
    } else {
      walk(event, rows());
    }
    event.stopPropagation();
  };
  for (const part of [canvas, list]) {
    part.addEventListener("keydown", key);
    part.addEventListener("click", event => {
      const row = event.target.closest("[data-row]");
      if (row) {
        set("selected", row.dataset.row);
      }
    });
    part.addEventListener("dblclick", event => {
      const row = event.target.closest("[data-row]");
      if (row && !row.classList.contains("kb-absent")) {
        set("file", row.dataset.row);
      }
    });
    part.addEventListener("focusin", event => rove(rows(), event.target.closest("[data-row]")));
  }
  const point = event => {
    const row = event.type === "mouseleave" || event.type === "focusout" ? null : event.target.closest("[data-row]");
    canvas.classList.toggle("kb-pointed", Boolean(row));
    near(canvas, row?.dataset.row);
  };
  for (const event of ["mouseover", "mouseleave", "focusin", "focusout"]) {
    canvas.addEventListener(event, point);
  }

  const paint = () => {
    const nodes = model.get("_nodes");
    const width = Math.max(host.clientWidth - 2, 320);
    const at = new Map(nodes.map((node, index) => [node.file, index]));
    const edges = model.get("_edges").map(([from, to]) => [at.get(from), at.get(to)]).filter(pair => !pair.includes(undefined));
    places = layout(nodes, edges, width, HEIGHT);
    canvas.setAttribute("viewBox", `0 0 ${width} ${HEIGHT}`);
    canvas.replaceChildren(...edges.map(edge => line(edge, places, nodes)), ...nodes.map((node, index) => dot(node, places[index], model, width)));
    hideOverlaps(canvas, nodes, places, width);
    list.replaceChildren(...nodes.map(item));
    empty.hidden = nodes.length !== 1;
    empty.replaceChildren(el("strong", {}, "No links yet"), "Type [[ in this note to make the first one.");
    select();
  };
  const select = () => {
    const chosen = model.get("selected");
    for (const row of root.querySelectorAll("[data-row]")) {
      row.setAttribute("aria-selected", String(row.dataset.row === chosen));
    }
    rove(rows(), rows().find(row => row.dataset.row === chosen) ?? rows()[0]);
    const node = model.get("_nodes").find(one => one.file === chosen);
    const shown = model.get("_nodes").length;
    const total = model.get("total");
    const said = shown < total ? `Showing the ${shown} nearest of ${total.toLocaleString("en")} notes` : `${total} ${total === 1 ? "note" : "notes"}`;
    foot.replaceChildren(
      el("span", { class: "kb-space" }, model.get("problem") || said),
      ...(node ? [el("span", {}, `${node.title}: ${node.degree} ${node.degree === 1 ? "link" : "links"}`)] : []),
    );
    open.replaceChildren(...(node && !node.missing ? [labLink("Open note", "kb-link", node.file)] : []));
  };
  follow(model, ["_nodes", "_edges"], paint);
  follow(model, ["selected", "total", "problem"], select);
  follow(model, ["_center", "_nodes"], () => {
    title.textContent = model.get("_nodes")[0]?.title ?? "No note is chosen";
  });
  follow(model, ["depth"], () => {
    radios(steps, [[1, "1 link"], [2, "2 links"], [3, "3 links"]], model.get("depth"), depth => set("depth", depth));
  });
  view(asList);
  let seen = host.clientWidth;
  const watch = new ResizeObserver(() => {
    if (Math.abs(host.clientWidth - seen) > 8) {
      seen = host.clientWidth;
      paint();
    }
  });
  watch.observe(host);
  return () => watch.disconnect();
}

function radios(group, choices, current, turn) {
  group.replaceChildren(
    ...choices.map(([value, name]) =>
      el("button", { type: "button", role: "radio", "aria-checked": String(value === current), onclick: () => turn(value) }, name),
    ),
  );
}

function line([from, to], places, nodes) {
  const [[x1, y1], [x2, y2]] = [places[from], places[to]];
  return draw("line", { x1, y1, x2, y2, "data-from": nodes[from].file, "data-to": nodes[to].file });
}

function dot(node, [x, y], model, width) {
  const center = node.file === model.get("_center");
  const size = center ? 8 : Math.min(4 + Math.sqrt(node.degree), 8);
  const kind = center ? "kb-center" : node.missing ? "kb-absent" : "";
  const name = `${node.title}, ${node.missing ? "no such note" : `${node.degree} links`}`;
  const group = draw("g", { class: kind, "data-row": node.file, role: "button", "aria-label": name, transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` });
  const hint = draw("title", {});
  hint.textContent = node.file;
  const text = node.title.length > LABEL ? `${node.title.slice(0, LABEL - 1)}…` : node.title;
  const left = x + size + 8 + wide(text) > width;
  const label = draw("text", { x: left ? -size - 4 : size + 4, y: 0, "text-anchor": left ? "end" : "start" });
  label.textContent = text;
  group.append(hint, draw("circle", { r: Math.max(size, 12), style: "fill: transparent; stroke: none" }), draw("circle", { r: size }), label);
  return group;
}

// In the order of their links, labels that would lie on another one are hidden until they are pointed at.
function hideOverlaps(canvas, nodes, places, width) {
  const groups = [...canvas.querySelectorAll("[data-row]")];
  const order = nodes.map((_, at) => at).sort((a, b) => nodes[a].distance - nodes[b].distance || nodes[b].degree - nodes[a].degree || a - b);
  const taken = [];
  for (const at of order) {
    const [x, y] = places[at];
    const long = wide(nodes[at].title.slice(0, LABEL));
    const box = x + 16 + long > width ? [x - 16 - long, y - 9, x + 8, y + 9] : [x - 8, y - 9, x + 16 + long, y + 9];
    const covered = taken.some(other => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3]);
    groups[at].classList.toggle("kb-unlabelled", covered);
    if (!covered) {
      taken.push(box);
    }
  }
}

function near(canvas, file) {
  const files = new Set(file === undefined ? [] : [file]);
  for (const one of canvas.querySelectorAll("line")) {
    const is = file !== undefined && (one.dataset.from === file || one.dataset.to === file);
    one.classList.toggle("kb-near", is);
    if (is) {
      files.add(one.dataset.from).add(one.dataset.to);
    }
  }
  for (const group of canvas.querySelectorAll("[data-row]")) {
    group.classList.toggle("kb-near", files.has(group.dataset.row));
  }
}

// The nearest note in the direction of an arrow key, those more to the side counting as farther away.
function toward(rows, places, at, key) {
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  let best = null;
  let least = Infinity;
  places.forEach(([x, y], other) => {
    const [across, down] = [x - places[at][0], y - places[at][1]];
    const ahead = across * dx + down * dy;
    const aside = Math.abs(across * dy) + Math.abs(down * dx);
    const cost = ahead + 2 * aside;
    if (other !== at && ahead > 0 && cost < least) {
      [best, least] = [rows[other], cost];
    }
  });
  return best;
}

function item(node) {
  return el(
    "div",
    { class: `kb-note ${node.missing ? "kb-absent" : ""}`, role: "option", "data-row": node.file, style: `padding-left: ${12 + 16 * node.distance}px` },
    el("span", { class: `kb-cut ${node.missing ? "kb-bad" : ""}`, title: node.title }, node.title),
    el("span", { class: "kb-tiny kb-dim kb-cut" }, node.missing ? "no such note" : node.file),
  );
}

export default {
  render({ model, el: host }) {
    return noteGraph(model, host);
  },
};
