const run = JSON.parse(document.querySelector('script[type="application/json"]').textContent);
document.title = `${run.name || "A run"}: ${run.account.verdict || "report"}`;
document.getElementById("main").append(...[
  heading(run), figures(run), time_section(run), advice_section(run), timeline_section(run), curves_section(run),
  layers_section(run), memory_section(run), input_section(run), facts_section(run),
  h("footer", {}, `Stoker ${run.environment.stoker || ""} · record version ${run.version}`),
].filter(Boolean));
document.documentElement.dataset.ready = "true";
