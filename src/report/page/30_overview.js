// Verdict, figures, the bar of parts that add up, and advice.

const heading = (run) => {
  const a = run.account;
  return h("header", {},
    h("div", {class: "line"},
      h("h1", {}, run.name || "A run"),
      h("span", {class: run.state === "finished" ? "tag" : "tag bad"}, run.state),
      h("span", {class: "soft small"}, [a.device, a.device_name].filter(Boolean).join(" · ")),
      h("span", {class: "soft small"}, run.started)),
    h("p", {class: "verdict"}, with_units(a.verdict) || "There is no verdict on this run."));
};

const figures = (run) => {
  const a = run.account;
  const step = a.step_seconds > 0 ? a.step_seconds : a.samples_per_second > 0 ? a.batch_size / a.samples_per_second : null;
  const items = [
    ["Device worked", "busy", a.busy, a.wall > 0 ? format.share(a.busy / a.wall) : "–"],
    ["Samples a second", "samples_per_second", a.samples_per_second, a.samples_per_second > 0 ? format.count(Math.round(a.samples_per_second)) : "–"],
    ["A step", "step", step, step ? format.seconds(step) : "–"],
    ["Steps × batch", "steps", a.steps, `${format.count(a.steps)} × ${format.count(a.batch_size)}`],
    ["Wall time", "wall", a.wall, format.seconds(a.wall)],
    ["Peak memory", "peak", run.memory.peak, run.memory.peak > 0 ? format.bytes(run.memory.peak) : "–"],
  ];
  return h("dl", {class: "figures"}, items.map(([name, key, value, shown]) =>
    h("div", {"data-figure": key}, h("dt", {}, name), h("dd", {}, figure(value, shown)))));
};

// The rate of a step's FLOPs or bytes while the device works, and its share of the measured peak.
const rate = (a, name, peak, unit) => {
  const value = a.work[name] * a.steps / a.busy;
  const share = peak > 0 && value <= peak ? ` (${format.share(value / peak)} of the peak)` : "";
  return h("span", {"data-figure": name}, figure(a.work[name], `${Number((value / 1e9).toPrecision(3))} ${unit}${share}`));
};

const work_line = (a) => a.work.flops > 0 && a.busy > 0 ? h("p", {class: "soft small"},
  "While it works: ", rate(a, "flops", a.work.peak_flops, "GFLOP/s"), ", ", rate(a, "bytes", a.work.peak_bandwidth, "GB/s"),
  a.work.op ? [", most by ", ...path_text(a.work.op)] : "",
  a.work.cores > 0 ? `, ${a.work.cores_used.toFixed(1)} of ${a.work.cores} cores.` : ".") : null;

const time_section = (run) => {
  const a = run.account, sum = a.parts.reduce((all, part) => all + Math.max(0, part.seconds), 0);
  if (!a.parts.length || sum <= 0) return section("Where the time went", "", h("p", {class: "card soft"}, "No time was booked."));
  const label = a.parts.map((p) => `${p.cause} ${format.share(p.seconds / sum)}`).join(", ");
  const bar = h("div", {class: "bar", role: "img", "aria-label": label}, a.parts.filter((p) => p.seconds > 0).map((p) =>
    h("div", {style: `flex:${p.seconds / sum} 0 0;background:${color_of(p.cause)}`, title: `${p.cause}: ${format.seconds(p.seconds)}`})));
  const steps = Math.max(1, a.steps);
  const rows = a.parts.map((p) => [
    h("span", {}, dot(color_of(p.cause)), " ", p.cause, p.observed ? "" : h("span", {class: "soft small"}, " (inferred)")),
    figure(p.seconds, format.seconds(p.seconds)), format.seconds(p.seconds / steps), format.share(p.seconds / a.wall)]);
  const columns = [{title: "Part"}, {title: "In all", class: "num"}, {title: "A step", class: "num wide"}, {title: "Share", class: "num"}];
  const parts = table(columns, rows, ["Sum", figure(sum, format.seconds(sum)), format.seconds(sum / steps), format.share(sum / a.wall)]);
  parts.id = "parts";
  return section("Where the time went", `${format.seconds(a.wall)} by the clock, ${format.count(a.steps)} steps`,
    h("div", {class: "card"}, bar, h("div", {style: "margin-top:16px"}, parts), work_line(a)));
};

const advice_item = (item) => {
  const gain = item.step_then > 0 && item.step_now > 0 ? item.step_now / item.step_then : 0;
  const range = item.step_low > 0 && item.step_high > 0 ? ` (${format.seconds(item.step_low)} to ${format.seconds(item.step_high)})` : "";
  const evidence = Object.entries(item.evidence).map(([name, value]) => h("span", {}, with_units(`${name} ${value}`)));
  return h("li", {class: "card"},
    h("p", {class: "remedy"}, with_units(item.remedy || item.sentence)),
    item.remedy ? h("p", {style: "margin-top:4px"}, with_units(item.sentence)) : null,
    gain ? h("p", {style: "margin-top:4px"}, h("span", {class: "gain"}, `likely ${digits(gain)} times as fast`),
      h("span", {class: "soft small"}, ` · a step ${format.seconds(item.step_now)} → ${format.seconds(item.step_then)}${range}`)) : null,
    h("div", {class: "facts"}, item.place ? h("span", {class: "mono"}, item.place) : null,
      h("span", {}, item.observed ? "observed" : "inferred"), evidence,
      item.apply ? h("span", {class: "mono"}, `--set ${item.apply}`) : null));
};
const advice_section = (run) => run.account.advice.length === 0 ? null :
  section("Do this first", "", h("ol", {class: "advice"}, run.account.advice.map(advice_item)));
