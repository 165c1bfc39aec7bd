// OutlineBrowser: the headings of a note as a tree, and the chosen section as a page.
import { el, follow, frame, icon, labLink, rove, walk } from "./parts.js";

function outlineBrowser(model, host) {
  const head = el("div", { class: "kb-head" });
  const tree = el("div", { class: "kb-tree", role: "tree", "aria-label": "Outline" });
  const page = el("div", { class: "kb-page", "aria-live": "polite" });
  const problem = el("div", { class: "kb-bar", role: "alert", hidden: true });
  const foot = el("div", { class: "kb-foot" });
  frame(host, "Outline", head, problem, el("div", { class: "kb-columns" }, tree, page), foot);
  const closed = new Set();

  const rows = () => [...tree.children];
  const shown = () => rows().filter(row => !row.hidden);
  const choose = ref => {
    model.set("selected", ref);
    model.save_changes();
  };
  const fold = (row, shut) => {
    if (row.hasAttribute("aria-expanded")) {
      closed[shut ? "add" : "delete"](row.dataset.row);
      place();
    }
  };
  const place = () => {
    let depth = Infinity;
    for (const row of rows()) {
      const level = Number(row.getAttribute("aria-level"));
      row.hidden = level > depth;
      if (!row.hidden) {
        const shut = closed.has(row.dataset.row);
        depth = shut ? level : Infinity;
        if (row.hasAttribute("aria-expanded")) {
          row.setAttribute("aria-expanded", String(!shut));
          row.firstChild.replaceChildren(icon(shut ? "right" : "down"));
        }
      }
    }
  };

  tree.addEventListener("click", event => {
    const row = event.target.closest("[data-row]");
    if (!row) {
      return;
    }
    if (event.target.closest(".kb-caret") && row.hasAttribute("aria-expanded")) {
      fold(row, !closed.has(row.dataset.row));
    } else {
      choose(row.dataset.row);
    }
  });
  tree.addEventListener("keydown", event => {
    const row = event.target.closest("[data-row]");
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      event.preventDefault();
      const shut = event.key === "ArrowLeft";
      if (row.hasAttribute("aria-expanded") && closed.has(row.dataset.row) !== shut) {
        fold(row, shut);
      } else if (shut) {
        parent(rows(), row)?.focus();
      } else {
        walk({ key: "ArrowDown", target: row, preventDefault() {} }, shown());
      }
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(row.dataset.row);
    } else {
      walk(event, shown());
    }
    event.stopPropagation();
  });
  tree.addEventListener("focusin", event => rove(rows(), event.target.closest("[data-row]")));
  page.addEventListener("click", event => {
    const link = event.target.closest("a.kb-link");
    if (link) {
      event.preventDefault();
      event.stopPropagation();
      if (link.dataset.kbFile) {
        model.send({ kind: "follow", file: link.dataset.kbFile, heading: link.dataset.kbHeading ?? "" });
      }
    }
  });

  const current = () => {
    const chosen = model.get("selected");
    const node = model.get("_nodes").find(one => one.ref === chosen);
    const file = model.get("_key");
    const folder = file.split("/").join(" / ");
    head.replaceChildren(
      icon("note"),
      el("span", { class: "kb-strong kb-cut" }, model.get("title") || file),
      el("span", { class: "kb-small kb-dim kb-space kb-cut", title: file }, folder),
      labLink("Edit section", "kb-edit-section", file, node?.heading_path),
      labLink("Open note", "kb-link", file, node?.heading_path),
    );
    for (const row of rows()) {
      const is = row.dataset.row === chosen;
      row.setAttribute("aria-current", String(is));
      row.setAttribute("aria-selected", String(is));
    }
    rove(rows(), rows().find(row => row.dataset.row === chosen) ?? rows()[0]);
  };
  follow(model, ["_nodes"], () => {
    tree.replaceChildren(...model.get("_nodes").map(heading));
    place();
  });
  follow(model, ["_nodes", "selected", "title", "_key"], current);
  follow(model, ["_preview"], () => {
    // The server's own renderer made it: no scripts, no handlers, no raw HTML of the note.
    page.innerHTML = model.get("_preview");
    page.scrollTop = 0;
  });
  follow(model, ["_counted"], () => {
    foot.replaceChildren(el("span", { class: "kb-space" }, model.get("_counted")), el("span", {}, "The chosen section is browser.section"));
  });
  follow(model, ["problem"], () => {
    problem.hidden = !model.get("problem");
    problem.replaceChildren(icon("error", "kb-bad"), el("span", { class: "kb-small kb-space" }, model.get("problem")));
  });
}

function parent(rows, row) {
  const level = Number(row.getAttribute("aria-level"));
  return rows.slice(0, rows.indexOf(row)).findLast(one => Number(one.getAttribute("aria-level")) < level);
}

function heading(node) {
  return el(
    "div",
    {
      class: "kb-heading",
      role: "treeitem",
      "data-row": node.ref,
      "aria-level": node.depth + 1,
      "aria-expanded": node.parent ? "true" : null,
      style: `padding-left: ${16 * node.depth}px`,
    },
    el("span", { class: "kb-caret", "aria-hidden": "true" }),
    el("span", { class: "kb-cut", title: node.heading }, node.heading || "(empty heading)"),
  );
}

export default {
  render({ model, el: host }) {
    outlineBrowser(model, host);
  },
};
