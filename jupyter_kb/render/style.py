"""How results look in a notebook: colours of JupyterLab's theme, VS Code's, or shades of the text's own colour."""

from __future__ import annotations

# Without it (an untrusted notebook, a page that strips it) the elements alone still read well: lists, tables, marks.
# The class is written several times where a front end's own rules for tables and lists in outputs would win otherwise.
STYLE = """
.jupyter-kb {
  --kb-text: var(--jp-content-font-color1, var(--vscode-editor-foreground, currentColor));
  --kb-muted: var(--jp-content-font-color2, var(--vscode-descriptionForeground,
    color-mix(in srgb, currentColor 65%, transparent)));
  --kb-rule: var(--jp-border-color2, var(--vscode-panel-border, color-mix(in srgb, currentColor 20%, transparent)));
  --kb-link: var(--jp-content-link-color, var(--vscode-textLink-foreground, LinkText));
  --kb-code: var(--jp-code-font-family, var(--vscode-editor-font-family, ui-monospace, Menlo, Consolas, monospace));
  --kb-field: color-mix(in srgb, currentColor 5%, transparent);
  --kb-added: rgb(46 160 67 / 18%);
  --kb-removed: rgb(248 81 73 / 18%);
  --kb-marked: rgb(255 193 7 / 32%);
  --kb-warned: rgb(255 152 0 / 90%);
  color: var(--kb-text);
  font-family: var(--jp-content-font-family, var(--vscode-font-family, system-ui, sans-serif));
  font-size: var(--jp-content-font-size1, 14px);
  line-height: 1.5;
  max-width: 62em;
}
.jupyter-kb.jupyter-kb.jupyter-kb :is(p, ol, ul) { list-style: none; margin: 0; padding: 0; }
.jupyter-kb.jupyter-kb.jupyter-kb p + p { margin-top: 0.2em; }
.jupyter-kb bdi, .jupyter-kb mark, .jupyter-kb pre { unicode-bidi: isolate; }
.jupyter-kb a { color: var(--kb-link); text-decoration: none; }
.jupyter-kb a:hover { text-decoration: underline; }
.jupyter-kb mark { background: var(--kb-marked); color: inherit; border-radius: 2px; padding: 0 1px; }
.jupyter-kb.jupyter-kb code { background: var(--kb-field); border-radius: 3px; color: inherit;
  font: 0.92em var(--kb-code); padding: 0.1em 0.3em; }
.jupyter-kb .kb-muted, .jupyter-kb .kb-line { color: var(--kb-muted); }
.jupyter-kb .kb-small { color: var(--kb-muted); font-size: 0.86em; }
.jupyter-kb .kb-file { font-weight: 600; overflow-wrap: anywhere; }
.jupyter-kb .kb-warning { border-left: 3px solid var(--kb-warned); margin: 0.5em 0; }
.jupyter-kb.jupyter-kb.jupyter-kb p.kb-warning { padding: 0.1em 0 0.1em 0.7em; }
.jupyter-kb .kb-top { padding-bottom: 0.35em; border-bottom: 1px solid var(--kb-rule); margin-bottom: 0.35em; }
.jupyter-kb .kb-rows > li { display: flex; gap: 0.9em; margin: 0; padding: 0.4em 0; }
.jupyter-kb .kb-rows > li + li { border-top: 1px solid color-mix(in srgb, currentColor 8%, transparent); }
.jupyter-kb .kb-number { color: var(--kb-muted); flex: none; font: 0.86em/1.75 var(--kb-code); min-width: 1.6em;
  text-align: right; }
.jupyter-kb .kb-row { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.jupyter-kb .kb-snippet { color: var(--kb-text); }
.jupyter-kb .kb-tree > li { padding: 0.05em 0; }
.jupyter-kb .kb-tree > li + li { border: 0; }
.jupyter-kb .kb-tree .kb-row { margin-left: 0.3em; }
.jupyter-kb .kb-depth { border-left: 1px solid var(--kb-rule); display: inline-block; height: 1.5em;
  margin-right: 1.2em; vertical-align: top; }
.jupyter-kb span.kb-small { margin-left: 0.3em; }
.jupyter-kb .kb-small .kb-small { font-size: inherit; }
.jupyter-kb .kb-small .kb-file { font-weight: normal; }
.jupyter-kb.jupyter-kb pre { background: var(--kb-field); border: 0; border-radius: 3px; color: inherit;
  font: 0.92em/1.5 var(--kb-code); margin: 0.4em 0 0; overflow-x: auto; overflow-wrap: anywhere; padding: 0.6em 0.9em;
  tab-size: 4; white-space: pre-wrap; word-break: normal; }
.jupyter-kb.jupyter-kb pre.kb-diff { padding: 0.4em 0; }
.jupyter-kb .kb-diff span { display: block; padding: 0 0.9em; }
.jupyter-kb .kb-diff .kb-added { background: var(--kb-added); }
.jupyter-kb .kb-diff .kb-removed { background: var(--kb-removed); }
.jupyter-kb .kb-diff .kb-hunk { color: var(--kb-muted); }
.jupyter-kb.jupyter-kb table { border-collapse: collapse; border: 0; font-size: inherit; margin: 0;
  table-layout: auto; }
.jupyter-kb.jupyter-kb.jupyter-kb :is(tr, tr:hover) { background: none; }
.jupyter-kb.jupyter-kb :is(th, td) { border: 0; line-height: 1.5; color: inherit; max-width: none;
  padding: 0.12em 1.4em 0.12em 0; text-align: left; vertical-align: top; white-space: normal; }
.jupyter-kb.jupyter-kb th { font-weight: normal; color: var(--kb-muted); }
.jupyter-kb.jupyter-kb table.kb-sides { margin-top: 0.5em; table-layout: fixed; width: 100%; }
.jupyter-kb.jupyter-kb .kb-sides th { border-bottom: 1px solid var(--kb-rule); color: var(--kb-text); font-weight: 600;
  padding: 0.2em 0.7em; }
.jupyter-kb.jupyter-kb .kb-sides td { font: 0.92em/1.5 var(--kb-code); overflow-wrap: anywhere; padding: 0 0.7em;
  tab-size: 4; white-space: pre-wrap; word-break: normal; }
.jupyter-kb.jupyter-kb .kb-sides :is(td + td, th + th) { border-left: 1px solid var(--kb-rule); }
.jupyter-kb.jupyter-kb .kb-sides td.kb-removed { background: var(--kb-removed); }
.jupyter-kb.jupyter-kb .kb-sides td.kb-added { background: var(--kb-added); }
.jupyter-kb.jupyter-kb .kb-sides td.kb-gap { color: var(--kb-muted); font-family: inherit; padding: 0.2em 0.7em; }
.jupyter-kb .kb-sides td:empty::before { content: "\\200b"; }
.jupyter-kb.kb-wide { container-type: inline-size; max-width: none; }
.jupyter-kb .kb-frame { background: var(--jp-layout-color1, transparent); border: 1px solid var(--kb-rule);
  border-radius: var(--jp-border-radius, 2px); font-size: var(--jp-ui-font-size1, 13px); line-height: calc(20 / 13);
  font-family: var(--jp-ui-font-family, var(--vscode-font-family, system-ui, sans-serif)); overflow: hidden; }
.jupyter-kb .kb-frame .kb-small { font-size: calc(1em * 12 / 13); }
.jupyter-kb .kb-frame-head { align-items: center; display: flex; gap: 8px; min-height: 32px; padding: 0 12px; }
.jupyter-kb .kb-of-search::before { background: currentColor; content: ""; flex: none; height: 16px; width: 16px;
  mask: url("data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' \
stroke='%23000' stroke-width='1.4' stroke-linecap='round'%3E%3Ccircle cx='6.8' cy='6.8' r='4.3'/%3E\
%3Cpath d='M10 10l4 4'/%3E%3C/svg%3E"); }
.jupyter-kb .kb-frame-head + * { border-top: 1px solid var(--kb-rule); }
.jupyter-kb .kb-frame-title { flex: 1; min-width: 0; overflow-wrap: anywhere; padding: 5px 0; }
.jupyter-kb .kb-frame-title strong { color: var(--jp-ui-font-color0, inherit); font-weight: 600; }
.jupyter-kb .kb-frame-title .kb-small { margin-left: 8px; }
.jupyter-kb.jupyter-kb.jupyter-kb .kb-line-of-text { margin: 0; padding: 6px 12px; }
.jupyter-kb.jupyter-kb .kb-frame pre { background: none; margin: 0; padding: 8px 12px; }
.jupyter-kb.jupyter-kb.jupyter-kb .kb-padded { padding: 4px 12px; }
.jupyter-kb .kb-failed { color: color-mix(in srgb, var(--jp-error-color1, #d32f2f) 78%, currentColor); }
.jupyter-kb .kb-failed::before { content: "⊗ "; }
.jupyter-kb .kb-alarm::before { color: var(--jp-warn-color0, #e65100); content: "⚠"; margin-right: 12px; }
.jupyter-kb .kb-show-all { display: none; white-space: nowrap; }
body[data-jupyter-kb~="search"] .jupyter-kb .kb-show-all { color: var(--kb-text); display: inline; }
.jupyter-kb .kb-hits > li { display: flex; gap: 8px; margin: 0; padding: 6px 12px; }
.jupyter-kb .kb-hits > li + li { border-top: 1px solid var(--kb-rule); }
.jupyter-kb .kb-hits .kb-number { font: inherit; font-size: calc(1em * 11 / 13); font-variant-numeric: tabular-nums;
  min-width: 16px; }
.jupyter-kb .kb-hit-name { align-items: baseline; display: flex; flex-wrap: wrap; gap: 0 8px; }
.jupyter-kb .kb-hit-name .kb-why { margin-left: auto; }
.jupyter-kb .kb-title { font-weight: 600; }
.jupyter-kb .kb-hits mark {
  background: color-mix(in srgb, var(--jp-search-selected-match-background-color, #f5c800) 34%, transparent); }
.jupyter-kb details { margin-top: 0.5em; }
.jupyter-kb summary { color: var(--kb-muted); cursor: pointer; }
"""
