#include "exec/loop_account.h"

#include "ledger/account.h"
#include "ledger/loop_input.h"
#include "stoker/account_scope.h"
#include "stoker/error.h"
#include "stoker/headroom.h"

namespace stoker {
namespace exec {
namespace {

LoopAccount*& innermost() {
  static thread_local LoopAccount* account = nullptr;
  return account;
}

}  // namespace

LoopAccount* LoopAccount::current() { return innermost(); }

LoopAccount::LoopAccount() : outer_(std::exchange(innermost(), this)) {
  ledger.start();
  ledger::loop_ledger() = &ledger;
  outer_input_ = std::exchange(ledger::loop_input(), nullptr);
}
LoopAccount::~LoopAccount() { leave(); }

void LoopAccount::leave() {
  if (std::exchange(left_, true)) return;
  innermost() = outer_;
  ledger::loop_ledger() = outer_ ? &outer_->ledger : nullptr;
  ledger::loop_input() = std::move(outer_input_);
}

void LoopAccount::stop() {
  if (left_) return;
  at_stop_ = facts_at(ledger::now());
  leave();
}

ledger::RunFacts LoopAccount::facts() const {
  return at_stop_ ? *at_stop_ : facts_at(ledger::now());
}

void LoopAccount::before_run(const device::Device& device) {
  ledger.begin_steps();
  device_ = device;
  ++runs_;
  clock.before_run(device, 0);
}

void LoopAccount::step(int64_t samples) {
  ++steps_;
  samples_ += samples;
}

// Without marked steps every run counts as one.
ledger::RunFacts LoopAccount::facts_at(ledger::Time now) const {
  ledger::RunFacts facts{
      .run = "loop",
      .wall = now - ledger.begun(),
      .host = ledger.totals(),
      .wall_before = ledger.wall_before_steps(),
      .host_before = ledger.totals_before_steps(),
      .measured = clock.until(now),
      .stamps = 2 * ledger.events(),
      .marks = clock.marks(),
      .steps = steps_ > 0 ? steps_ : runs_,
      .samples = samples_,
      .late_compiles = ledger.count(ledger::Activity::compile) - ledger.compiled_before_steps()};
  facts.host[static_cast<size_t>(ledger::Activity::step)] -= called_;
  facts.host[static_cast<size_t>(ledger::Activity::host_calls)] += called_;
  facts.calls = runs_ / std::max<int64_t>(facts.steps, 1);
  if (steps_ > 0) facts.batch_size = samples_ / steps_;
  if (facts.wall > 0)
    facts.samples_per_second =
        static_cast<double>(samples_) / (1e-9 * static_cast<double>(facts.wall));
  if (const auto& input = ledger::loop_input()) facts.input = input();
  if (!device_) return facts;
  facts.device = device_->name();
  facts.device_name = device_->describe().name;
  facts.on_host = device_->is_host();
  return facts;
}

}  // namespace exec

struct AccountScope::Impl {
  exec::LoopAccount account;
  std::source_location created;
};

AccountScope::AccountScope(std::source_location created) : impl_(std::make_unique<Impl>()) {
  impl_->created = created;
}
AccountScope::~AccountScope() = default;
void AccountScope::step(int64_t samples) { impl_->account.step(samples); }
void AccountScope::stop() { impl_->account.stop(); }

Account AccountScope::account() const { return account(Headroom{}); }

Account AccountScope::account(const Headroom& tried) const {
  ledger::RunFacts facts = impl_->account.facts();
  for (const auto& size : tried.sizes)
    if (size.batch <= tried.best_batch)
      facts.probe.sizes.push_back({size.batch, size.step_seconds});
  facts.places.fit = facts.places.batch_size = to_string(impl_->created);
  return ledger::account_of(facts);
}

}  // namespace stoker
