// Device memory in use during a step, as a stacked chart.

const memory_section = (run) => {
  const m = run.memory, uses = m.uses.filter((u) => u.bytes.some((b) => b > 0));
  if (!m.places.length || !uses.length) return null;
  const count = m.places.length, sums = m.places.map((_, i) => uses.reduce((sum, u) => sum + u.bytes[i], 0));
  const most = Math.max(...sums), peak = sums.indexOf(most);
  const readout = h("p", {class: "readout", "aria-live": "polite"});
  let at = peak, cursor = null, place = () => 0;
  const show = (i) => {
    at = i;
    readout.textContent = `${i === peak ? "At its peak, in " : "In "}${m.places[i]}: ${format.bytes(sums[i])} = ` +
      uses.filter((u) => u.bytes[i] > 0).map((u) => `${u.name} ${format.bytes(u.bytes[i])}`).join(" + ");
    if (cursor) cursor.setAttribute("x1", place(i)), cursor.setAttribute("x2", place(i));
  };
  const draw = (root, width, height) => {
    const labels = [0, most / 2, most], left = 74, right = 6, top = 12, bottom = 24;
    place = (i) => left + (i + 0.5) / count * (width - left - right);
    const y = (v) => top + (1 - v / most) * (height - top - bottom);
    for (const t of labels) {
      root.append(svg("line", {x1: left, x2: width - right, y1: y(t), y2: y(t), class: "grid"}));
      root.append(text_at(left - 7, y(t) + 4, "end", format.bytes(t)));
    }
    const below = m.places.map(() => 0), half = (width - left - right) / count / 2;
    uses.forEach((use, k) => {
      const above = below.map((b, i) => b + use.bytes[i]);
      const steps = (values) => values.map((v, i) => `${(place(i) - half).toFixed(1)} ${y(v).toFixed(1)} ${(place(i) + half).toFixed(1)} ${y(v).toFixed(1)}`);
      root.append(svg("polygon", {points: [...steps(above), ...steps(below).map((s) => s.split(" ")).reverse().map(([a, b, c, d]) => `${c} ${d} ${a} ${b}`)].join(" "),
        fill: palette[k % palette.length]}));
      above.forEach((v, i) => { below[i] = v; });
    });
    root.append(text_at(left, height - 6, "start", "first call of the step"), text_at(width - right, height - 6, "end", "last call"));
    cursor = svg("line", {y1: top, y2: height - bottom, stroke: "var(--ink)", "stroke-width": 1.2});
    root.append(cursor);
    show(at);
    root.addEventListener("pointermove", (event) => {
      const x = event.clientX - root.getBoundingClientRect().left;
      show(Math.min(count - 1, Math.max(0, Math.floor((x - left) / (width - left - right) * count))));
    });
  };
  const box = chart(230, `Memory in the course of a step; ${format.bytes(most)} at its peak`, draw);
  fill(box, {tabindex: "0", role: "group", "aria-label": "Memory in the course of a step; arrow keys read the values", onkeydown: (event) => {
    const moves = {ArrowLeft: -1, ArrowRight: 1};
    if (!(event.key in moves)) return;
    event.preventDefault();
    show(Math.min(count - 1, Math.max(0, at + moves[event.key])));
  }}, []);
  const total = m.device_total > 0 ? ` of the device's ${format.bytes(m.device_total)}` : "";
  return section("Memory in the course of a step", `${format.bytes(most)}${total} at its peak`,
    h("div", {class: "card"}, legend(uses.map((u, k) => [palette[k % palette.length], u.name])), box, readout));
};
