// Loss and metrics by epoch; training and validation in one chart.

const curve_chart = (name, curves) => {
  const points = curves.flatMap((c) => c.values.filter((v) => v !== null));
  const epochs = curves.flatMap((c) => c.epochs);
  const first = Math.min(...epochs), last = Math.max(...epochs);
  let low = Math.min(...points), high = Math.max(...points);
  if (!points.length) low = 0, high = 1;
  if (low === high) low -= Math.abs(low) * 0.05 || 0.5, high += Math.abs(high) * 0.05 || 0.5;
  const line_color = (i) => [palette[0], palette[1], palette[2], palette[4]][i % 4];
  const title = (c) => c.name.startsWith("val_") ? "validation" : "training";
  const readout = h("p", {class: "readout", "aria-live": "polite"});
  const say = (epoch) => {
    readout.textContent = `Epoch ${format.count(epoch)}: ` + curves.map((c) => {
      const at = c.epochs.indexOf(epoch);
      return at < 0 ? null : `${title(c)} ${format.metric(c.values[at])}`;
    }).filter(Boolean).join(", ");
  };
  let at = last, cursor = null, place = () => 0;
  const show = (epoch) => {
    at = epoch;
    say(at);
    if (cursor) cursor.setAttribute("x1", place(at)), cursor.setAttribute("x2", place(at)), cursor.setAttribute("opacity", 1);
  };
  const draw = (root, width, height) => {
    const labels = ticks(low, high, 4), left = 10 + 7 * Math.max(...labels.map((t) => format.metric(t).length)), right = 10, top = 10, bottom = 26;
    place = (e) => last === first ? (left + width - right) / 2 : left + (e - first) / (last - first) * (width - left - right);
    const y = (v) => top + (high - v) / (high - low) * (height - top - bottom);
    for (const t of labels) {
      root.append(svg("line", {x1: left, x2: width - right, y1: y(t), y2: y(t), class: "grid"}));
      root.append(text_at(left - 7, y(t) + 4, "end", format.metric(t)));
    }
    for (const t of first === last ? [first] : ticks(first, last, Math.min(last - first, Math.max(2, width / 90))).filter(Number.isInteger))
      root.append(text_at(place(t), height - 6, "middle", format.count(t)));
    cursor = svg("line", {y1: top, y2: height - bottom, stroke: "var(--soft)", "stroke-width": 1, opacity: 0});
    root.append(cursor);
    curves.forEach((c, i) => {
      let path = "", pen = false;
      c.values.forEach((v, k) => {
        if (v === null) root.append(text_at(place(c.epochs[k]), top + 4, "middle", "×"));
        else path += `${pen ? "L" : "M"}${place(c.epochs[k]).toFixed(1)} ${y(v).toFixed(1)}`;
        pen = v !== null;
      });
      root.append(svg("path", {d: path, fill: "none", stroke: line_color(i), "stroke-width": 2, "stroke-linejoin": "round", "stroke-linecap": "round"}));
      if (c.values.length <= 30) c.values.forEach((v, k) => v !== null &&
        root.append(svg("circle", {cx: place(c.epochs[k]), cy: y(v), r: 2.6, fill: line_color(i)})));
    });
    root.addEventListener("pointermove", (event) => {
      const x = event.clientX - root.getBoundingClientRect().left;
      show(epochs.reduce((best, e) => Math.abs(place(e) - x) < Math.abs(place(best) - x) ? e : best, first));
    });
  };
  const box = chart(190, `${name} by epoch`, draw);
  const known = [...new Set(epochs)].sort((a, b) => a - b);
  fill(box, {tabindex: "0", role: "group", "aria-label": `${name} by epoch; arrow keys read the values`, onkeydown: (event) => {
    const moves = {ArrowLeft: -1, ArrowRight: 1};
    if (!(event.key in moves)) return;
    event.preventDefault();
    show(known[Math.min(known.length - 1, Math.max(0, known.indexOf(at) + moves[event.key]))]);
  }}, []);
  say(last);
  return h("div", {class: "card", "data-chart": name}, h("h3", {}, name),
    curves.length > 1 ? legend(curves.map((c, i) => [line_color(i), title(c)])) : null, box, readout);
};

const curves_section = (run) => {
  const groups = new Map();
  for (const curve of run.curves) {
    if (!curve.values.length) continue;
    const name = curve.name.replace(/^val_/, "");
    groups.set(name, [...(groups.get(name) || []), curve]);
  }
  if (!groups.size) return section("Curves", "", h("p", {class: "card soft"}, "No epoch came to its end."));
  return section("Curves", "by epoch; × where a value was not finite",
    h("div", {class: "charts"}, [...groups].map(([name, curves]) => curve_chart(name, curves))));
};
