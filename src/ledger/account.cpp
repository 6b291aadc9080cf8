#include "ledger/account.h"

#include <algorithm>
#include <numeric>

#include "ledger/run_figures.h"
#include "ledger/run_rules.h"

namespace stoker::ledger {
namespace {

constexpr double ns = 1e-9;
constexpr double cost_of_a_mark = 2000;  // ns: recording an event on a GPU, and reading it later

double seconds(Time time) { return static_cast<double>(time) * ns; }

// How parts are called, by the host's activities; steps themselves are "working".
const char* part_of(Activity activity) {
  switch (activity) {
    case Activity::step:
      return "launch";
    case Activity::host_calls:
      return "host op";
    case Activity::callback:
      return "callbacks";
    default:
      return name_of(activity);
  }
}

std::vector<Account::Part> host_parts(const RunFacts& facts) {
  std::vector<Account::Part> parts;
  for (size_t a = 0; a < num_activities; ++a) {
    const auto activity = static_cast<Activity>(a);
    const char* const name = activity == Activity::step ? "working" : part_of(activity);
    parts.push_back({name, seconds(facts.host[a]), activity != Activity::step || facts.on_host});
    if (activity == Activity::step)
      parts.back().seconds -= seconds(facts.ranks.communication + facts.ranks.imbalance);
  }
  parts.push_back({"communication", seconds(facts.ranks.communication)});
  parts.push_back({"imbalance", seconds(facts.ranks.imbalance)});
  return parts;
}

// Host functions interrupt a run, which the device's clock does not show.
std::vector<Account::Part> device_parts(const RunFacts& facts, const DeviceTime& device) {
  constexpr auto host_calls = static_cast<size_t>(Activity::host_calls);
  const double called = seconds(std::min(facts.host[host_calls], device.busy));
  std::vector<Account::Part> parts{{"working", seconds(device.busy) - called},
                                   {"copies", seconds(device.copies)}};
  double launch = seconds(device.launch);
  for (size_t a = 0; a < num_activities; ++a)
    if (static_cast<Activity>(a) == Activity::step)
      launch += seconds(device.idle[a]);
    else if (a == host_calls)
      parts.push_back({"host op", called});
    else
      parts.push_back({part_of(static_cast<Activity>(a)), seconds(device.idle[a])});
  // Between the runs of a user's loop the program does something else.
  if (facts.run == "loop") parts.push_back({"outside", seconds(device.launch)});
  parts.push_back({"launch", facts.run == "loop" ? launch - seconds(device.launch) : launch});
  return parts;
}

double sum_of(const std::vector<Account::Part>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const auto& part) { return sum + part.seconds; });
}

// Takes the cost of the time stamps out of the part that they were taken in: what nothing else
// explains, and the work.
double take_own_cost(const RunFacts& facts, std::vector<Account::Part>& parts,
                     double& unexplained) {
  const double cost = ns * (static_cast<double>(facts.stamps) * cost_of_a_stamp() +
                            static_cast<double>(facts.marks) * cost_of_a_mark);
  const double found = std::clamp(cost, 0.0, std::max(unexplained, 0.0));
  unexplained -= found;
  const double rest = std::min(cost - found, parts[0].seconds);
  parts[0].seconds -= rest;
  return found + rest;
}

Advice advice_of(const Verdict& verdict, double step) {
  Advice advice{.cause = verdict.cause,
                .sentence = verdict.sentence,
                .remedy = verdict.remedy,
                .place = verdict.place,
                .observed = verdict.observed,
                .step_now = step,
                .evidence = verdict.evidence,
                .apply = verdict.apply};
  if (const auto& then = verdict.predicted) {
    advice.step_then = then->likely;
    advice.step_low = then->low;
    advice.step_high = then->high;
  }
  return advice;
}

// Largest gain first; advice without a number follows in the table's order.
void sort_by_gain(std::vector<Advice>& advice) {
  const auto then = [](const Advice& a) { return a.step_then > 0 ? a.step_then : a.step_now; };
  std::ranges::stable_sort(advice, {}, then);
}

}  // namespace

double cost_of_a_stamp() {
  static const double cost = [] {
    constexpr int count = 1000;
    const Time begin = steady_clock();
    for (int i = 0; i < count; ++i) static_cast<void>(steady_clock());
    return static_cast<double>(steady_clock() - begin) / count;
  }();
  return cost;
}

std::vector<Account::Part> parts_of(const RunFacts& facts) {
  std::vector<Account::Part> parts =
      facts.measured ? device_parts(facts, *facts.measured) : host_parts(facts);
  const auto working = std::ranges::find(parts, "working", &Account::Part::cause);
  std::rotate(parts.begin(), working, working + 1);
  double unexplained = seconds(facts.wall) - sum_of(parts);
  const double own = take_own_cost(facts, parts, unexplained);
  if (facts.run == "loop") parts.push_back({"outside", std::exchange(unexplained, 0)});
  std::erase_if(parts, [](const Account::Part& part) { return part.seconds <= 0; });
  std::ranges::stable_sort(parts, std::greater(), &Account::Part::seconds);
  parts.push_back({"unexplained", unexplained});
  parts.push_back({"own cost", own, false});
  return parts;
}

Account account_of(const RunFacts& facts) {
  Account account{.run = facts.run,
                  .device = facts.device,
                  .device_name = facts.device_name,
                  .wall = seconds(facts.wall),
                  .steps = facts.steps,
                  .samples = facts.samples,
                  .batch_size = facts.batch_size,
                  .samples_per_second = facts.samples_per_second,
                  .parts = parts_of(facts),
                  .memory_used = facts.memory_used,
                  .memory = facts.memory};
  for (const auto& part : account.parts)
    if (part.cause == "working") account.busy = part.seconds;
  const Figures figures = figures_of(facts, account.parts);
  account.step_seconds = figures.find("step").value_or(0);
  for (const Verdict& verdict : judge(run_rules(), figures))
    account.advice.push_back(advice_of(verdict, account.step_seconds));
  sort_by_gain(account.advice);
  account.verdict =
      account.advice.empty() ? fill_in(well_fed, figures) : account.advice.front().sentence;
  return account;
}

}  // namespace stoker::ledger
