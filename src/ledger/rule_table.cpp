#include "ledger/rule_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stoker/human_bytes.h"

namespace stoker::ledger {
namespace {

std::string text_of(const Condition& condition) {
  if (condition.test == Condition::Test::absent) return fmt::format("no {}", condition.figure);
  return fmt::format("{} {} {:g}{}", condition.figure,
                     condition.test == Condition::Test::at_least ? "≥" : "<", condition.value,
                     condition.or_absent ? " or unknown" : "");
}

Verdict verdict_of(const Rule& rule, const Figures& figures) {
  Verdict verdict{.cause = std::string(rule.cause),
                  .sentence = fill_in(rule.sentence, figures),
                  .remedy = fill_in(rule.remedy, figures),
                  .place = fill_in(rule.place, figures),
                  .apply = fill_in(rule.apply, figures),
                  .observed = rule.observed,
                  .machine = rule.machine};
  const auto add = [&](std::string_view name) {
    const auto same = [&](const auto& shown) { return shown.first == name; };
    if (!figures.find(name) || figures.is_flag(name)) return;
    if (std::ranges::none_of(verdict.evidence, same))
      verdict.evidence.emplace_back(name, figures.text(name));
  };
  for (const Condition& condition : rule.when) add(condition.figure);
  for (const std::string_view name : rule.show) add(name);
  if (rule.bound) verdict.bound = rule.bound(figures);
  if (rule.predict) verdict.predicted = rule.predict(figures);
  return verdict;
}

}  // namespace

void Figures::set(std::string_view name, double value, Unit unit) {
  if (!std::isfinite(value)) return;
  const auto found = std::ranges::find(all_, name, &Figure::name);
  if (found != all_.end())
    found->value = value;
  else
    all_.push_back({std::string(name), value, unit});
}

std::optional<double> Figures::find(std::string_view name) const {
  const auto found = std::ranges::find(all_, name, &Figure::name);
  return found == all_.end() ? std::nullopt : std::optional(found->value);
}

bool Figures::is_flag(std::string_view name) const {
  const auto found = std::ranges::find(all_, name, &Figure::name);
  return found != all_.end() && found->unit == Unit::flag;
}

void Figures::set_text(std::string_view name, std::string text) {
  const auto found = std::ranges::find(texts_, name, &std::pair<std::string, std::string>::first);
  if (found != texts_.end())
    found->second = std::move(text);
  else
    texts_.emplace_back(name, std::move(text));
}

std::string Figures::text(std::string_view name) const {
  for (const auto& [known, text] : texts_)
    if (known == name) return text;
  const auto found = std::ranges::find(all_, name, &Figure::name);
  return found == all_.end() ? "unknown" : to_text(found->value, found->unit);
}

std::string to_text(double value, Figures::Unit unit) {
  value = std::clamp(value, -1e18, 1e18);  // what an integer holds
  using enum Figures::Unit;
  switch (unit) {
    case share:
      return fmt::format("{:.0f} %", 100 * value);
    case count:
    case flag:
      return fmt::format("{:.0f}", value);
    case cores:
    case ratio:
      return fmt::format("{:g}", std::round(10 * value) / 10);
    case seconds:
      if (value < 0.1)
        return value < 1e-3 ? fmt::format("{:.0f} us", value * 1e6)
                            : fmt::format("{:.1f} ms", value * 1e3);
      return value < 120 ? fmt::format("{:.1f} s", value) : fmt::format("{:.0f} min", value / 60);
    case bytes:
      return human_bytes(static_cast<int64_t>(value));
    case bytes_per_second:
      return human_bytes(static_cast<int64_t>(value)) + "/s";
  }
  return "";
}

const char* name_of(Figures::Unit unit) {
  using enum Figures::Unit;
  switch (unit) {
    case share:
      return "share";
    case count:
      return "count";
    case cores:
      return "cores";
    case ratio:
      return "ratio";
    case seconds:
      return "seconds";
    case bytes:
      return "bytes";
    case bytes_per_second:
      return "bytes/s";
    case flag:
      return "flag";
  }
  return "";
}

bool holds(const Condition& condition, const Figures& figures) {
  const auto value = figures.find(condition.figure);
  if (condition.test == Condition::Test::absent) return !value;
  if (!value) return condition.or_absent;
  return condition.test == Condition::Test::at_least ? *value >= condition.value
                                                     : *value < condition.value;
}

bool holds(const Rule& rule, const Figures& figures) {
  return std::ranges::all_of(rule.when,
                             [&](const Condition& condition) { return holds(condition, figures); });
}

std::vector<Verdict> judge(std::span<const Rule> rules, const Figures& figures) {
  std::vector<Verdict> verdicts;
  for (const Rule& rule : rules)
    if (holds(rule, figures) &&
        std::ranges::find(verdicts, rule.cause, &Verdict::cause) == verdicts.end())
      verdicts.push_back(verdict_of(rule, figures));
  return verdicts;
}

std::string fill_in(std::string_view sentence, const Figures& figures) {
  std::string text;
  while (!sentence.empty()) {
    const size_t open = sentence.find('{'), close = sentence.find('}', open);
    if (close == sentence.npos) return text.append(sentence);
    text.append(sentence.substr(0, open));
    text.append(figures.text(sentence.substr(open + 1, close - open - 1)));
    sentence.remove_prefix(close + 1);
  }
  return text;
}

std::string to_markdown(std::span<const Rule> rules) {
  const bool predicts = std::ranges::any_of(rules, [](const Rule& rule) { return rule.predict; });
  std::string text =
      fmt::format("| cause | when | what it says | what to do | {} |\n|---|---|---|---|---|\n",
                  predicts ? "a step then" : "at most as many times as fast");
  for (const Rule& rule : rules) {
    std::string when;
    for (const Condition& condition : rule.when)
      when += (when.empty() ? "" : ", ") + text_of(condition);
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", rule.cause, when, rule.sentence,
                        rule.remedy, rule.bound ? rule.bound_text : rule.predict_text);
  }
  return text;
}

}  // namespace stoker::ledger
