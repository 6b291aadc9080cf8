#include "ledger/account.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ledger/run_figures.h"
#include "ledger/run_rules.h"

namespace stoker::ledger {
namespace {

constexpr double ns = 1e-9;
constexpr double cost_of_a_mark = 2000;  // ns: recording an event on a GPU, and reading it later

double seconds(Time time) { return static_cast<double>(time) * ns; }

// The names of parts by the host's activities; steps themselves are "working".
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

// Host functions interrupt a run, which the device's clock cannot see.
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
  // The time between the runs of a user-defined loop is the program's own.
  if (facts.run == "loop") parts.push_back({"outside", seconds(device.launch)});
  parts.push_back({"launch", facts.run == "loop" ? launch - seconds(device.launch) : launch});
  return parts;
}

double sum_of(const std::vector<Account::Part>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const auto& part) { return sum + part.seconds; });
}

// Moves the cost of the time stamps out of the part in which they were taken: the unexplained time,
// and the work.
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

// The order of advice: by class, then by predicted time. A busy machine is often temporary, and its
// share is inferred, so it comes after what the program itself can change; unless it takes half of
// the time or more, which distorts the program's own figures.
enum class Rank { large_gain, unknown_gain, machine, rest };
double gain_of(const Verdict& verdict, double step) {
  return verdict.predicted ? step / verdict.predicted->likely : verdict.bound.value_or(1);
}
Rank rank_of(const Verdict& verdict, double step) {
  if (gain_of(verdict, step) >= (verdict.machine ? 2 : 1.1)) return Rank::large_gain;
  if (verdict.machine) return Rank::machine;
  return verdict.predicted ? Rank::rest : Rank::unknown_gain;
}
void sort_by_gain(std::vector<Verdict>& verdicts, double step) {
  std::ranges::stable_sort(verdicts, {}, [step](const Verdict& verdict) {
    return std::pair(rank_of(verdict, step), -gain_of(verdict, step));
  });
}

// Without advice that would gain less than 1 %.
std::vector<Verdict> verdicts_of(const Figures& figures, double step) {
  std::vector<Verdict> verdicts = judge(run_rules(), figures);
  std::erase_if(verdicts, [step](const Verdict& verdict) {
    return verdict.predicted && verdict.predicted->likely > 0.99 * step;
  });
  sort_by_gain(verdicts, step);
  return verdicts;
}

// For a run without advice.
std::string general_verdict(const Account& account) {
  Figures figures;
  const Account::Part* largest = nullptr;
  for (const Account::Part& part : account.parts)
    if (part.cause != "working" && (!largest || part.seconds > largest->seconds)) largest = &part;
  figures.set("busy", account.busy / account.wall, Figures::Unit::share);
  if (!largest || account.wall <= 0 || account.busy >= is_well_fed * account.wall)
    return fill_in(well_fed, figures);
  figures.set_text("largest_part", largest->cause);
  figures.set("largest_share", largest->seconds / account.wall, Figures::Unit::share);
  return fill_in(no_single_cause, figures);
}

void add_outside(double spent, std::vector<Account::Part>& parts) {
  const auto known = std::ranges::find(parts, "outside", &Account::Part::cause);
  if (known != parts.end())
    known->seconds += spent;
  else
    parts.push_back({"outside", spent});
}

// Removes parts without time. A negative part, from overlapping time stamps, is subtracted from the
// work, which is the first part, and what exceeds that from the unexplained time: the sum stays.
void remove_empty(std::vector<Account::Part>& parts, double& unexplained) {
  double negative = 0;
  for (const Account::Part& part : parts) negative += std::min(0.0, part.seconds);
  const double working = std::max(0.0, parts[0].seconds);
  parts[0].seconds = std::max(0.0, working + negative);
  unexplained += std::min(0.0, working + negative);
  std::erase_if(parts, [](const Account::Part& part) { return part.seconds <= 0; });
}

}  // namespace

// The minimum of several rounds: in the others something else may have run.
double cost_of_a_stamp(Clock of) {
  constexpr int rounds = 20, stamps = 50;
  Time least = std::numeric_limits<Time>::max();
  for (int round = 0; round < rounds; ++round) {
    const Time begin = of();
    for (int i = 1; i < stamps; ++i) static_cast<void>(of());
    least = std::min(least, of() - begin);
  }
  return static_cast<double>(least) / stamps;
}

double cost_of_a_stamp() {
  static const double cost = cost_of_a_stamp(steady_clock);
  return cost;
}

std::vector<Account::Part> parts_of(const RunFacts& facts) {
  std::vector<Account::Part> parts =
      facts.measured ? device_parts(facts, *facts.measured) : host_parts(facts);
  const auto working = std::ranges::find(parts, "working", &Account::Part::cause);
  std::rotate(parts.begin(), working, working + 1);
  double unexplained = seconds(facts.wall) - sum_of(parts);
  if (std::abs(unexplained) < ns / 2) unexplained = 0;  // the rounding of the sum
  const double own = take_own_cost(facts, parts, unexplained);
  if (facts.run == "loop") add_outside(std::exchange(unexplained, 0), parts);
  remove_empty(parts, unexplained);
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
                  .work = facts.work,
                  .memory_used = facts.memory_used,
                  .memory = facts.memory,
                  .largest_batch = facts.probe.largest_batch};
  for (const auto& part : account.parts)
    if (part.cause == "working") account.busy = part.seconds;
  if (facts.load.cpu_seconds > 0 && facts.wall > 0) {
    account.work.cores = facts.load.cores;
    account.work.cores_used = facts.load.cpu_seconds / account.wall;
  }
  const Figures figures = figures_of(facts, account.parts);
  account.step_seconds = figures.find("step").value_or(0);
  for (const Verdict& verdict : verdicts_of(figures, account.step_seconds))
    account.advice.push_back(advice_of(verdict, account.step_seconds));
  account.verdict =
      account.advice.empty() ? general_verdict(account) : account.advice.front().sentence;
  return account;
}

}  // namespace stoker::ledger
