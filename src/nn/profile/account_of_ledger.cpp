#include <fmt/format.h>

#include <algorithm>

#include "nn/profile/record.h"

namespace stoker::nn {
namespace {

double seconds(ledger::Time time) { return static_cast<double>(time) * 1e-9; }

std::string verdict_of(const Account& account) {
  if (account.steps == 0 || account.wall <= 0) return "No step was run.";
  const double busy = account.busy / account.wall;
  if (account.parts.empty() || account.parts[0].cause == "working")
    return fmt::format("The device worked {:.0f} % of the time.", busy * 100);
  return fmt::format("The device worked {:.0f} % of the time; most of the rest went into {}.",
                     busy * 100, account.parts[0].cause);
}

}  // namespace

Account account_of(const ledger::Ledger& ledger, const RunNotes& notes,
                   const device::Device& device) {
  Account account{.run = "fit",
                  .device = device.name(),
                  .device_name = device.describe().name,
                  .wall = seconds(ledger.wall()),
                  .busy = seconds(ledger.total(ledger::Activity::step)),
                  .steps = notes.steps,
                  .samples = notes.samples,
                  .batch_size = notes.batch_size};
  for (size_t a = 0; a < ledger::num_activities; ++a) {
    const auto activity = static_cast<ledger::Activity>(a);
    if (ledger.total(activity) == 0) continue;
    const bool works = activity == ledger::Activity::step;
    account.parts.push_back(
        {works ? "working" : name_of(activity), seconds(ledger.total(activity))});
  }
  std::ranges::stable_sort(account.parts, std::ranges::greater(), &Account::Part::seconds);
  account.parts.push_back({"unexplained", seconds(ledger.unexplained())});
  account.verdict = verdict_of(account);
  return account;
}

}  // namespace stoker::nn
