// Elements of the page. Strings of the record become text nodes, never markup.

const fill = (node, attributes, children) => {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "style") node.style.cssText = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
};
const h = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

// A number of the record as text, with the exact value as attribute.
const figure = (value, shown) => h("data", {value: value === null ? "null" : String(value)}, shown);

const section = (title, note, ...children) => {
  const id = title.toLowerCase().replace(/[^a-z]+/g, "-");
  return h("section", {"aria-labelledby": id, "data-section": id},
    h("div", {class: "head"}, h("h2", {id}, title), note ? h("p", {class: "soft small"}, note) : null), ...children);
};

// No line break between a number and its unit; µs as everywhere on the page.
const with_units = (text) => text.replace(/(\d) us(?=\W|$)/g, "$1 µs").replace(/(\d) (?=(%|ms|µs|s|min|h|[KMGT]i?B)(\W|$))/g, "$1\u00a0");

// Allows line breaks after slashes.
const path_text = (path) => path.split("/").flatMap((part, i, all) => i + 1 < all.length ? [`${part}/`, h("wbr")] : [part]);

const dot = (color) => h("span", {class: "dot", style: `background:${color}`, "aria-hidden": "true"});
const legend = (items) => h("ul", {class: "legend"}, items.map(([color, text]) => h("li", {}, dot(color), text)));

const palette = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--c8"].map((name) => `var(${name})`);
const lighter = (color) => `color-mix(in srgb, ${color} 55%, var(--card))`;
const causes = {
  working: palette[0], step: palette[0], input: palette[1], launch: palette[2], copies: palette[7], compile: palette[4],
  "host op": palette[3], "host calls": palette[3], sync: palette[6], metrics: palette[6], callbacks: palette[5],
  checkpoint: lighter(palette[7]), validation: lighter(palette[2]), setup: lighter(palette[4]), outputs: lighter(palette[6]),
  communication: lighter(palette[5]), imbalance: lighter(palette[3]), outside: lighter(palette[1]), unexplained: "var(--grey)", "own cost": "var(--pale)",
};
const colors = new Map();
const color_of = (name) => {
  if (causes[name]) return causes[name];
  if (!colors.has(name)) colors.set(name, palette[(colors.size + 2) % palette.length]);
  return colors.get(name);
};

// Draws at the available width, and again when that changes.
const chart = (height, label, draw) => {
  const box = h("div", {class: "chart"});
  let width = 0;
  const redraw = (at_least) => {
    const now = Math.max(at_least || 0, Math.floor(box.clientWidth));
    if (!now || now === width) return;
    width = now;
    box.replaceChildren(svg("svg", {viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": label}));
    draw(box.firstChild, width, height);
  };
  new ResizeObserver(() => redraw()).observe(box);
  box.redraw = redraw;
  return box;
};
const text_at = (x, y, anchor, content) => svg("text", {x, y, "text-anchor": anchor, class: "axis"}, content);

const table = (columns, rows, foot) => h("table", {},
  h("thead", {}, h("tr", {}, columns.map((c) => h("th", {class: c.class, scope: "col"}, c.title)))),
  h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map((cell, i) => h("td", {class: columns[i].class}, cell))))),
  foot ? h("tfoot", {}, h("tr", {}, foot.map((cell, i) => h("td", {class: columns[i].class}, cell)))) : null);
