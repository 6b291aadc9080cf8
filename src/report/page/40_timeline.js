// A few steps: a lane for each thread and the device. Arrow keys go from span to span.

const layer_of = (span) => span.name.includes("/") ? span.name.slice(0, span.name.lastIndexOf("/")) : span.name;
const span_color = (span) => span.lane === "host" ? color_of(span.name) : color_of(layer_of(span));

const timeline_section = (run) => {
  const spans = run.timeline.spans;
  if (!spans.length) return null;
  const rank = (lane) => lane === "device" ? 2 : lane === "host" ? 1 : 0;  // data comes from above
  const lanes = [...new Set(spans.map((s) => s.lane))].sort((a, b) => rank(a) - rank(b) || a.localeCompare(b, "en", {numeric: true}));
  const end = Math.max(...spans.map((s) => s.end));
  const height = 44, row = 46, left = 8;
  let zoom = 1, selected = null;
  const readout = h("p", {class: "readout", "aria-live": "polite"}, "Point at a span, or go from one to the next with the arrow keys.");
  const marks = new Map();
  const select = (span) => {
    if (selected && marks.has(selected)) marks.get(selected).removeAttribute("stroke");
    selected = span;
    const mark = marks.get(span);
    if (!mark) return;
    mark.setAttribute("stroke", "var(--ink)");
    readout.textContent = `${span.lane} · ${span.name} · ${format.seconds(span.end - span.begin)}, from ${format.seconds(span.begin)} on`;
  };
  const draw = (root, width, all) => {
    marks.clear();
    const scale = (t) => left + t / end * (width - 2 * left);
    for (const t of ticks(0, end, Math.max(3, width / 110))) {
      root.append(svg("line", {x1: scale(t), x2: scale(t), y1: 0, y2: all - 20, class: "grid"}));
      root.append(text_at(scale(t), all - 5, t === 0 ? "start" : scale(t) > width - 40 ? "end" : "middle", format.seconds(t)));
    }
    lanes.forEach((lane, i) => {
      root.append(text_at(left, i * row + 14, "start", lane));
      for (const span of spans.filter((s) => s.lane === lane)) {
        const mark = svg("rect", {x: scale(span.begin), y: i * row + 20, height: 20, rx: 1.5, fill: span_color(span),
          width: Math.max(0.6, scale(span.end) - scale(span.begin) - 0.4), onpointerenter: () => select(span)});
        marks.set(span, mark);
        root.append(mark);
      }
    });
  };
  const label = `Time line of ${run.timeline.steps} steps: ${lanes.join(", ")}; ${format.seconds(end)}`;
  const lines = chart(lanes.length * row + height - 16, label, draw);
  const scroller = h("div", {class: "scroller", tabindex: "0", role: "group", "aria-label": label, onkeydown: (event) => {
    const moves = {ArrowRight: 1, ArrowLeft: -1, ArrowDown: 0, ArrowUp: 0};
    if (!(event.key in moves)) return;
    event.preventDefault();
    if (!selected) return select(spans[0]);
    const lane = lanes.indexOf(selected.lane) + (event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0);
    const among = spans.filter((s) => s.lane === lanes[Math.min(lanes.length - 1, Math.max(0, lane))]);
    const near = among.includes(selected) ? among.indexOf(selected) + moves[event.key] : among.findIndex((s) => s.end > selected.begin);
    select(among[Math.min(among.length - 1, Math.max(0, near))]);
    marks.get(selected).scrollIntoView({block: "nearest", inline: "nearest"});
  }}, lines);
  const zoom_to = (factor) => {
    zoom = Math.min(64, Math.max(1, zoom * factor));
    lines.style.width = `${zoom * 100}%`;
    closer.disabled = zoom === 64;
    wider.disabled = zoom === 1;
  };
  const closer = h("button", {class: "plain", type: "button", onclick: () => zoom_to(2), "aria-label": "Zoom in"}, "+");
  const wider = h("button", {class: "plain", type: "button", onclick: () => zoom_to(0.5), "aria-label": "Zoom out", disabled: true}, "−");
  const from = run.timeline.first_step, to = from + run.timeline.steps - 1;
  const left_out = run.timeline.left_out ? `, ${format.count(run.timeline.left_out)} spans left out` : "";
  const which = run.profile.steps > 0 ? `${to > from ? `Steps ${from} to ${to}` : `Step ${from}`}: the longest of those profiled, with its neighbours`
    : "The last launches, each of one or more steps; without --profile only the host is known";
  return section("A few steps", `${which}${left_out}`,
    h("div", {class: "card"}, h("div", {class: "tools", style: "justify-content:flex-end"}, wider, closer), scroller, readout));
};
