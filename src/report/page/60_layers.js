// The cost of each layer's calls, and how close it is to the device's limits.

const meter = (share, kind) => h("span", {class: `meter ${kind}`, "aria-hidden": "true"}, h("i", {style: `width:${Math.min(100, share * 100)}%`}));

const layer_columns = [
  {title: "Layer", key: (c) => c.name, text: true},
  {title: "Time", class: "num", key: (c) => c.seconds},
  {title: "Share", class: "num wide", key: (c) => c.seconds},
  {title: "FLOPs", class: "num wide", key: (c) => c.flops},
  {title: "Bytes", class: "num wide", key: (c) => c.bytes},
  {title: "Rate", class: "num wide", key: (c) => c.seconds > 0 ? c.flops / c.seconds : 0},
  {title: "Of the limit", class: "num", key: (c) => c.seconds > 0 ? c.limit / c.seconds : 0},
];

const layer_cells = (cost, all, name) => {
  const share = all > 0 ? cost.seconds / all : 0, reached = cost.seconds > 0 ? cost.limit / cost.seconds : 0;
  const limit = !reached ? "–" : reached > 1.05 ? "from cache" : format.share(reached);
  const cells = [name, cost.seconds > 0 ? figure(cost.seconds, format.seconds(cost.seconds)) : "–",
    cost.seconds > 0 ? h("span", {class: "share"}, format.share(share), meter(share, "")) : "–",
    figure(cost.flops, format.flops(cost.flops)), figure(cost.bytes, format.bytes(cost.bytes)),
    cost.seconds > 0 ? format.rate(cost.flops / cost.seconds, "FLOP/s") : "–",
    h("span", {class: "share", title: cost.bound ? `limited by ${cost.bound}` : null}, limit, reached ? meter(reached, "limit") : null)];
  return cells.map((cell, i) => h("td", {class: layer_columns[i].class}, cell));
};

const layers_section = (run) => {
  if (!run.layers.length) return null;
  const all = run.layers.reduce((sum, l) => sum + l.cost.seconds, 0), first = 25;
  let shown = first, sort = {column: all > 0 ? 1 : 3, down: true}, wanted = "";
  const open = new Set(), body = h("tbody", {}), more = h("button", {class: "plain", type: "button"});
  const headers = layer_columns.map((column, i) => h("th", {class: column.class, scope: "col"},
    h("button", {type: "button", onclick: () => {
      sort = {column: i, down: sort.column === i ? !sort.down : !column.text};
      draw();
    }}, column.title)));
  const row = (layer) => {
    const toggle = h("button", {class: "more", type: "button", "aria-expanded": open.has(layer) ? "true" : "false", onclick: () => {
      open.has(layer) ? open.delete(layer) : open.add(layer);
      draw();
      [...body.querySelectorAll("button.more")].find((b) => b.dataset.layer === layer.cost.name)?.focus();
    }, "data-layer": layer.cost.name}, layer.cost.name ? path_text(layer.cost.name) : "outside of layers");
    const ops = open.has(layer) ? layer.ops.map((op) => h("tr", {class: "op"},
      layer_cells(op, all, `${op.name}${op.calls > 1 ? ` × ${op.calls}` : ""}${op.bound ? `, ${op.bound}` : ""}`))) : [];
    return [h("tr", {"data-layer-row": layer.cost.name}, layer_cells(layer.cost, all, toggle)), ...ops];
  };
  const draw = () => {
    const key = layer_columns[sort.column].key, sign = sort.down ? -1 : 1;
    const found = run.layers.filter((l) => l.cost.name.toLowerCase().includes(wanted)).sort((x, y) => {
      const a = key(x.cost), b = key(y.cost);
      return sign * (a < b ? -1 : a > b ? 1 : 0);
    });
    headers.forEach((th, i) => th.setAttribute("aria-sort", i !== sort.column ? "none" : sort.down ? "descending" : "ascending"));
    body.replaceChildren(...found.slice(0, shown).flatMap(row));
    more.textContent = `Show all ${format.count(found.length)}`;
    more.hidden = found.length <= shown;
  };
  more.addEventListener("click", () => { shown = Infinity; draw(); });
  draw();
  const filter = run.layers.length <= first ? null : h("input", {class: "plain", type: "search", placeholder: "Find a layer", "aria-label": "Find a layer",
    oninput: (event) => { wanted = event.target.value.toLowerCase(); draw(); }});
  const p = run.profile;
  const note = p.steps > 0
    ? `Mean of ${p.steps} profiled steps: ${format.seconds(p.call_seconds)} in calls of ${format.seconds(p.step_seconds)} by the clock`
    : "FLOPs and bytes of a step; times are measured with --profile";
  const ceilings = p.ceilings.map((c) => `${c.name} ${format.rate(c.rate, c.unit)}`).join(" · ");
  return section("Layers", note, h("div", {class: "card"},
    p.note ? h("p", {class: "soft", style: "margin-bottom:10px"}, p.note) : null,
    filter ? h("div", {style: "margin-bottom:14px"}, filter) : null,
    h("table", {id: "layers"}, h("thead", {}, h("tr", {}, headers)), body),
    h("div", {style: "margin-top:12px"}, more),
    ceilings ? h("p", {class: "soft small", style: "margin-top:10px"}, `Measured limits of the device: ${ceilings}. ` +
      "“From cache”: faster than memory alone would allow.") : null));
};
