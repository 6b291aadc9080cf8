#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "stoker/human_bytes.h"
#include "stoker/run_record.h"

namespace stoker {
namespace {

using Difference = RunComparison::Difference;
using Figure = RunComparison::Figure;
constexpr double unknown_value = std::numeric_limits<double>::quiet_NaN();

const std::string* find(const TextPairs& pairs, const std::string& name) {
  const auto found = std::ranges::find(pairs, name, &TextPairs::value_type::first);
  return found == pairs.end() ? nullptr : &found->second;
}

// Names in the order of a, then those only in b.
std::vector<Difference> differences(const TextPairs& a, const TextPairs& b) {
  std::vector<Difference> found;
  for (const auto& [name, text] : a)
    if (const std::string* other = find(b, name); !other || *other != text)
      found.push_back({name, text, other ? *other : ""});
  for (const auto& [name, text] : b)
    if (!find(a, name)) found.push_back({name, "", text});
  return found;
}

TextPairs layers_of(const RunRecord& run) {
  TextPairs layers;
  for (size_t i = 0; i < run.model.size(); ++i)
    layers.emplace_back(fmt::format("layer {}", i + 1),
                        fmt::format("{} ({}), {} parameters", run.model[i].name, run.model[i].kind,
                                    run.model[i].parameters));
  return layers;
}

double rate(double amount, double of) { return of > 0 ? amount / of : unknown_value; }

double step_of(const Account& account) {
  if (account.step_seconds > 0) return account.step_seconds;
  return rate(static_cast<double>(account.batch_size), account.samples_per_second);
}
double part_of(const Account& account, const std::string& cause) {
  for (const Account::Part& part : account.parts)
    if (part.cause == cause) return rate(part.seconds, static_cast<double>(account.steps));
  return 0;
}
double last_of(const RunRecord& run, const std::string& curve) {
  for (const RunRecord::Curve& found : run.curves)
    if (found.name == curve && !found.values.empty()) return found.values.back();
  return unknown_value;
}
double layer_of(const RunRecord& run, const std::string& name) {
  for (const RunRecord::Layer& layer : run.layers)
    if (layer.cost.name == name && run.profile.steps > 0) return layer.cost.seconds;
  return unknown_value;
}

// The names of both, those of a first.
template <class Items, class NameOf>
std::vector<std::string> names(const Items& a, const Items& b, NameOf name_of) {
  std::vector<std::string> all;
  for (const Items* items : {&a, &b})
    for (const auto& item : *items)
      if (std::ranges::find(all, name_of(item)) == all.end()) all.push_back(name_of(item));
  return all;
}

std::vector<Figure> figures_of(const RunRecord& a, const RunRecord& b) {
  const Account &x = a.account, &y = b.account;
  std::vector<Figure> figures{
      {"samples a second", "/s", x.samples_per_second, y.samples_per_second},
      {"step", "s", step_of(x), step_of(y)},
      {"device worked", "of the time", rate(x.busy, x.wall), rate(y.busy, y.wall)},
      {"wall time", "s", x.wall, y.wall}};
  for (const std::string& cause : names(x.parts, y.parts, [](const auto& p) { return p.cause; }))
    figures.push_back({cause + " a step", "s", part_of(x, cause), part_of(y, cause)});
  for (const std::string& curve : names(a.curves, b.curves, [](const auto& c) { return c.name; }))
    figures.push_back({"last " + curve, "", last_of(a, curve), last_of(b, curve)});
  figures.push_back({"memory at its peak", "B", static_cast<double>(a.memory.peak),
                     static_cast<double>(b.memory.peak)});
  return figures;
}

// Largest changes first.
std::vector<Figure> layer_figures(const RunRecord& a, const RunRecord& b) {
  std::vector<Figure> figures;
  if (a.profile.steps == 0 || b.profile.steps == 0) return figures;
  for (const std::string& layer :
       names(a.layers, b.layers, [](const auto& l) { return l.cost.name; }))
    figures.push_back(
        {layer.empty() ? "outside of layers" : layer, "s", layer_of(a, layer), layer_of(b, layer)});
  const auto change = [](const Figure& figure) {
    const auto known = [](double seconds) { return std::isfinite(seconds) ? seconds : 0; };
    return std::abs(known(figure.b) - known(figure.a));
  };
  std::ranges::stable_sort(figures, std::ranges::greater(), change);
  return figures;
}

std::string counted(size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string verdict_of(const RunComparison& found) {
  const Figure& step = found.figures[1];
  std::string text = "The step times are not known.";
  if (std::isfinite(step.a) && std::isfinite(step.b)) {
    const double ratio = step.a / step.b;
    text = std::abs(ratio - 1) < 0.02
               ? std::string("Both are as fast, within 2 %.")
               : fmt::format("{} is {:.2f} times as fast as {}.", ratio > 1 ? "B" : "A",
                             std::max(ratio, 1 / ratio), ratio > 1 ? "A" : "B");
  }
  return fmt::format("{} {}, {} of the model and {} of the environment differ.", text,
                     counted(found.settings.size(), "setting"),
                     counted(found.model.size(), "layer"),
                     counted(found.environment.size(), "fact"));
}

std::string with_unit(double value, const std::string& unit) {
  if (!std::isfinite(value)) return "–";
  if (unit == "s") {
    if (value >= 1) return fmt::format("{:.3g} s", value);
    return value >= 1e-3 ? fmt::format("{:.3g} ms", value * 1e3)
                         : fmt::format("{:.3g} µs", value * 1e6);
  }
  if (unit == "of the time") return fmt::format("{:.1f} %", value * 100);
  if (unit == "B") return human_bytes(static_cast<int64_t>(value));
  if (unit == "/s") return fmt::format("{:.0f}/s", value);
  return fmt::format("{:.5g}", value);
}

std::string change(const Figure& figure) {
  if (!std::isfinite(figure.a) || !std::isfinite(figure.b) || figure.a == 0) return "";
  return fmt::format("{:+.1f} %", (figure.b / figure.a - 1) * 100);
}

Config to_list(const std::vector<Difference>& differences) {
  Config::List list;
  for (const Difference& d : differences)
    list.push_back(Config::map({{"name", d.name}, {"a", d.a}, {"b", d.b}}));
  return list;
}

Config to_list(const std::vector<Figure>& figures) {
  Config::List list;
  const auto number = [](double value) { return std::isfinite(value) ? Config(value) : Config(); };
  for (const Figure& f : figures)
    list.push_back(
        Config::map({{"name", f.name}, {"unit", f.unit}, {"a", number(f.a)}, {"b", number(f.b)}}));
  return list;
}

std::string to_lines(const std::vector<Figure>& figures, size_t most) {
  std::string text;
  for (const Figure& figure : std::span(figures).first(std::min(most, figures.size())))
    text +=
        fmt::format("{:<34} {:>14} {:>14} {:>10}\n", figure.name, with_unit(figure.a, figure.unit),
                    with_unit(figure.b, figure.unit), change(figure));
  return text;
}

std::string to_lines(const char* title, const std::vector<Difference>& differences) {
  constexpr size_t line = 100;
  if (differences.empty()) return "";
  std::string text = fmt::format("\n{}\n", title);
  const auto shown = [](const std::string& value) { return value.empty() ? "(none)" : value; };
  for (const Difference& d : differences)
    text += d.name.size() + d.a.size() + d.b.size() < line
                ? fmt::format("  {}: {} → {}\n", d.name, shown(d.a), shown(d.b))
                : fmt::format("  {}\n    A  {}\n    B  {}\n", d.name, shown(d.a), shown(d.b));
  return text;
}

}  // namespace

RunComparison compare_runs(const RunRecord& a, const RunRecord& b) {
  RunComparison found;
  found.name_a = a.name;
  found.name_b = b.name;
  found.settings = differences(a.settings, b.settings);
  found.environment = differences(a.environment, b.environment);
  found.model = differences(layers_of(a), layers_of(b));
  found.figures = figures_of(a, b);
  found.layers = layer_figures(a, b);
  found.verdict = verdict_of(found);
  return found;
}

std::string RunComparison::to_string() const {
  constexpr size_t most_layers = 10;
  std::string text = fmt::format("{}\n\n{:<34} {:>14} {:>14}\n", verdict, "", "A", "B");
  text += to_lines(figures, figures.size());
  if (!layers.empty())
    text += "\nLAYERS, by how much they changed\n" + to_lines(layers, most_layers);
  return text + to_lines("SETTINGS", settings) + to_lines("MODEL", model) +
         to_lines("ENVIRONMENT", environment);
}

Config RunComparison::to_config() const {
  return Config::map({{"a", name_a},
                      {"b", name_b},
                      {"verdict", verdict},
                      {"figures", to_list(figures)},
                      {"layers", to_list(layers)},
                      {"settings", to_list(settings)},
                      {"model", to_list(model)},
                      {"environment", to_list(environment)}});
}

}  // namespace stoker
