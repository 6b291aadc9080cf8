#include <fmt/format.h>

#include "stoker/why.h"

namespace stoker {
namespace {

std::string figures_text(const WhyCause& cause) {
  std::string text;
  for (const auto& [name, value] : cause.evidence)
    text += fmt::format("{}{} {}", text.empty() ? "" : " · ", name, value);
  return text;
}

Config cause_config(const WhyCause& cause) {
  Config evidence = Config::map();
  for (const auto& [name, value] : cause.evidence) evidence[name] = value;
  return Config::map({{"cause", cause.cause},
                      {"sentence", cause.sentence},
                      {"remedy", cause.remedy},
                      {"evidence", evidence},
                      {"at_most", cause.at_most ? Config(*cause.at_most) : Config()}});
}

}  // namespace

std::string WhyAnswer::to_string() const {
  std::string text = subject;
  for (const std::string& note : notes) text += "\n  " + note;
  if (causes.empty()) return text;
  const WhyCause& first = causes.front();
  text += fmt::format("\nWHY      {} [{}]", first.sentence, first.cause);
  text += fmt::format("\nFIGURES  {}", figures_text(first));
  text += fmt::format("\nDO THIS  {}", first.remedy);
  if (first.at_most)
    text += fmt::format("\nGAIN     at most {:.{}f} times as fast: a bound, no forecast",
                        *first.at_most, *first.at_most < 2 ? 2 : 1);
  for (size_t i = 1; i < causes.size(); ++i)
    text += fmt::format("\nALSO     {} [{}]", causes[i].sentence, causes[i].cause);
  return text;
}

Config WhyAnswer::to_config() const {
  Config::List all, told(notes.begin(), notes.end());
  for (const WhyCause& cause : causes) all.push_back(cause_config(cause));
  return Config::map(
      {{"subject", subject}, {"notes", told}, {"causes", all}, {"figures", figures}});
}

}  // namespace stoker
