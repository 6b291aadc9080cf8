// The input pipeline with its tuner, the model, settings and environment.

const input_section = (run) => {
  const input = run.input;
  if (!input.stages.length) return null;
  const longest = Math.max(...input.stages.map((s) => s.elements * s.seconds_per_element), 1e-12);
  const stages = table(
    [{title: "Stage"}, {title: "Elements", class: "num wide"}, {title: "An element", class: "num"}, {title: "Work in all", class: "num wide"}, {title: "Setting", class: "num"}],
    input.stages.map((s) => {
      const work = s.elements * s.seconds_per_element;
      return [h("span", {}, s.name, s.where ? h("span", {class: "soft small mono"}, " ", path_text(s.where)) : null), figure(s.elements, format.count(s.elements)),
        format.seconds(s.seconds_per_element), h("span", {class: "share"}, format.seconds(work), meter(work / longest, "")),
        s.setting ? `${s.setting} ${s.value}${s.automatic ? " (auto)" : ""}` : "–"];
    }));
  const decisions = input.decisions.length === 0 ? h("p", {class: "soft"}, "The tuner changed nothing.") : table(
    [{title: "After", class: "num"}, {title: "Stage"}, {title: "Setting"}, {title: "Why", class: "wide"}],
    input.decisions.map((d) => [format.seconds(d.seconds), d.stage, `${d.setting} ${d.from} → ${d.to}`, d.why]));
  decisions.id = "decisions";
  const waited = input.seconds > 0 ? `the steps waited ${format.seconds(input.waited_seconds)} of ${format.seconds(input.seconds)}` : "";
  return section("Input pipeline", waited,
    h("div", {class: "card"}, input.verdict ? h("p", {style: "margin-bottom:12px"}, input.verdict) : null, stages,
      input.notes.map((note) => h("p", {class: "soft small", style: "margin-top:8px"}, note))),
    h("div", {class: "card"}, h("h3", {style: "margin-bottom:10px"}, "What the tuner decided"), decisions));
};

const pairs = (title, entries, open) => entries.length === 0 ? null : h("details", {open},
  h("summary", {}, `${title} (${entries.length})`),
  h("table", {}, h("tbody", {}, entries.map(([name, text]) => h("tr", {}, h("td", {class: "key"}, name), h("td", {class: "mono"}, path_text(text)))))));

const facts_section = (run) => section("The run itself", "",
  pairs("Environment", Object.entries(run.environment), true),
  pairs("Settings", Object.entries(run.settings), false),
  run.model.length === 0 ? null : h("details", {}, h("summary", {}, `Model (${run.model.length} layers)`),
    table([{title: "Layer"}, {title: "Kind"}, {title: "Parameters", class: "num"}],
      run.model.map((l) => [l.name, l.kind, figure(l.parameters, format.count(l.parameters))]))));
