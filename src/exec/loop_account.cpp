#include "exec/loop_account.h"

#include "ledger/account.h"
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

ledger::Probe probe_of(const Headroom& tried) {
  ledger::Probe probe{.bfloat16 = tried.bfloat16_step_seconds,
                      .replayed = tried.replayed_step_seconds,
                      .without_host_calls = tried.without_host_calls_step_seconds,
                      .largest_batch = tried.largest_batch};
  for (const auto& size : tried.sizes)
    if (size.batch <= tried.best_batch) probe.sizes.push_back({size.batch, size.step_seconds});
  return probe;
}

LoopAccount* LoopAccount::current() { return innermost(); }

LoopAccount::LoopAccount() : outer_(std::exchange(innermost(), this)) {
  ledger.start();
  book_in_innermost();
}
LoopAccount::~LoopAccount() { leave(); }

void LoopAccount::book_in_innermost() {
  LoopAccount* const account = innermost();
  ledger::loop_ledger() = account ? &account->ledger : nullptr;
  ledger::loop_inputs() = account ? &account->inputs_ : nullptr;
}

// Accounts may end in any order.
void LoopAccount::leave() {
  if (std::exchange(left_, true)) return;
  for (LoopAccount** account = &innermost(); *account; account = &(*account)->outer_)
    if (*account == this) {
      *account = outer_;
      break;
    }
  book_in_innermost();
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
  ran_on(device);
  clock.before_run(device, 0);
}

void LoopAccount::ran_on(const device::Device& device) {
  device_ = device;
  ++runs_;
}

void LoopAccount::step(int64_t samples) {
  ++steps_;
  samples_ += samples;
}

// Without marked steps every run counts as one.
ledger::RunFacts LoopAccount::facts_at(ledger::Time now) const {
  ledger::RunFacts facts{
      .run = "loop",
      .wall = ledger.wall_until(now),
      .host = ledger.totals_until(now),
      .wall_before = ledger.wall_before_steps(),
      .host_before = ledger.totals_before_steps(),
      .measured = clock.until(now),
      .stamps = 2 * ledger.events(),
      .marks = clock.marks(),
      .steps = steps_ > 0 ? steps_ : runs_,
      .samples = samples_,
      .late_compiles = ledger.count(ledger::Activity::compile) - ledger.compiled_before_steps()};
  facts.calls = runs_ / std::max<int64_t>(facts.steps, 1);
  if (steps_ > 0) facts.batch_size = samples_ / steps_;
  facts.samples_per_second = ledger::samples_per_second(facts);
  facts.input = inputs_.slowest();
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
  facts.probe = exec::probe_of(tried);
  facts.places.fit = facts.places.batch_size = to_string(impl_->created);
  return ledger::account_of(facts);
}

}  // namespace stoker
