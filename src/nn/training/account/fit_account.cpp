#include "nn/training/account/fit_account.h"

#include <fmt/format.h>

#include "ledger/account.h"
#include "nn/profile/step_work.h"

namespace stoker::nn {

void FitAccount::between_steps() {
  const ledger::Time now = ledger::now();
  watch_.look(now - of_.session.ledger.begun());
  if (now - last_second_ < nearly_a_second) return;
  last_second_ = now;
  publish();
}

void FitAccount::publish() {
  if (!of_.session.each_second) return;
  const ledger::Scope scope(of_.session.ledger, ledger::Activity::callback);
  of_.session.each_second();
}

std::string FitAccount::waits() const { return waiting_text(ledger::parts_of(so_far())); }

std::string FitAccount::live(int64_t epoch, int64_t done, int64_t steps, const Logs& logs) {
  const Account account = ledger::account_of(so_far());
  return live_.draw({epoch, of_.args.epochs, done, steps, logs, account});
}

ledger::RunFacts FitAccount::facts_at(ledger::Time now) const {
  ledger::RunFacts facts = facts_of("fit", of_.loop, of_.session.ledger, now);
  facts.batch_size = of_.setup.batch_size();
  facts.checkpoints = of_.session.checkpoints;
  facts.input = of_.setup.statistics();
  facts.ranks = of_.ranks.found();
  add_places(of_.callbacks, of_.args.called, facts.places);
  if (const auto& places = of_.model.impl().fits.places) use_keys(*places, facts.places);
  if (const auto& step = of_.setup.full_step()) add_step(of_.model, *step, facts);
  return facts;
}

void FitAccount::read_load() {
  const ledger::Scope scope(of_.session.ledger, ledger::Activity::setup);
  const ledger::Time wall = of_.session.ledger.wall_until(ledger::now());
  load_ = watch_.load(wall);
  const device::Device& device = of_.setup.full_step()->device();
  if (!device.is_host() && wall > worth_a_screen) add_gpu_users(device, load_);
}

ledger::RunFacts FitAccount::whole() const {
  const ledger::Ledger& ledger = of_.session.ledger;
  ledger::RunFacts facts = facts_at(ledger.begun() + ledger.wall());
  facts.load = load_;
  if (facts.wall > worth_a_screen) add_work(*of_.setup.full_step(), facts.work);
  return facts;
}

std::string FitAccount::line(const ledger::RunFacts& facts) const {
  std::string text = of_.session.ledger.line();
  if (facts.steps > 0)
    text += fmt::format(
        "; {} steps of {:.1f} us, {:.0f} samples/s", facts.steps,
        static_cast<double>(of_.loop.stepping()) * 1e-3 / static_cast<double>(facts.steps),
        facts.samples_per_second);
  if (!facts.input.verdict.empty()) text += fmt::format("; {}", facts.input.verdict);
  return text;
}

std::string FitAccount::screen(const ledger::RunFacts& facts) {
  return facts.wall > worth_a_screen ? to_text(ledger::account_of(facts)) : "";
}

}  // namespace stoker::nn
