#pragma once
#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "ledger/ledger.h"
#include "nn/callbacks/callback_name.h"
#include "stoker/callback.h"
#include "stoker/interrupt.h"

namespace stoker::nn {

// Calls one hook and books its time. If an interrupt ends one callback, perhaps inside its own
// evaluate, the others can still save.
class HookCaller {
 public:
  explicit HookCaller(ledger::Ledger& ledger) : ledger_(ledger) {}
  template <class Call>
  void operator()(const Callback& callback, Call call) const {
    const ledger::Scope scope(ledger_, ledger::Activity::callback);
    try {
      call();
    } catch (const Interrupted&) {
      if (!interrupted()) throw;
    }
    add(callback, scope.so_far());
  }
  const Callback* slowest() const {  // of the user's; null: none was called
    const auto most = std::ranges::max_element(*spent_, {}, &Spent::time);
    return most == spent_->end() ? nullptr : most->callback;
  }

 private:
  struct Spent {
    const Callback* callback;
    ledger::Time time;
  };
  void add(const Callback& callback, ledger::Time time) const {
    if (dynamic_cast<const OfTheProgram*>(&callback)) return;
    auto known = std::ranges::find(*spent_, &callback, &Spent::callback);
    if (known == spent_->end()) known = spent_->insert(known, {&callback, 0});
    known->time += time;
  }
  ledger::Ledger& ledger_;
  std::shared_ptr<std::vector<Spent>> spent_ = std::make_shared<std::vector<Spent>>();
};

// The two hooks of a batch, in training, testing or prediction. Batches are counted from 1: with an
// interval of n the hooks are called for batches n, 2n, …
class BatchCalls {
 public:
  using Hook = void (Callback::*)(int64_t, const Logs&);
  BatchCalls(Hook on_begin, Hook on_end, const HookCaller& caller)
      : begin_(on_begin), end_(on_end), caller_(caller) {}
  void add(Callback& callback, bool begins, bool ends) {
    const int64_t interval = callback.batch_interval();
    if (interval > 0 && (begins || ends)) wishes_.push_back({&callback, interval, begins, ends});
  }

  // How many batches after the first `done` can be launched together, as no hook is due in between.
  int64_t until_next(int64_t done) const {
    int64_t most = std::numeric_limits<int64_t>::max();
    for (const Wish& wish : wishes_) {
      const int64_t left = wish.interval - done % wish.interval;
      most = std::min(most, wish.begins && left > 1 ? left - 1 : left);
    }
    return most;
  }
  bool wants_begin_of(int64_t batch) const {
    return std::ranges::any_of(wishes_, [&](const Wish& w) { return w.begins && w.is_due(batch); });
  }
  bool wants_end_of(int64_t batch) const {
    return std::ranges::any_of(wishes_, [&](const Wish& w) { return w.ends && w.is_due(batch); });
  }
  // `number` is the index of the batch in its epoch, from 0, as callbacks get it.
  void begin(int64_t batch, int64_t number) const {
    for (const Wish& wish : wishes_)
      if (wish.begins && wish.is_due(batch)) call(wish, begin_, number, Logs());
  }
  void end(int64_t batch, int64_t number, const Logs& logs) const {
    for (const Wish& wish : wishes_)
      if (wish.ends && wish.is_due(batch)) call(wish, end_, number, logs);
  }
  int64_t called() const { return called_; }  // hooks so far

 private:
  struct Wish {
    Callback* callback;
    int64_t interval;
    bool begins, ends;
    bool is_due(int64_t batch) const { return batch % interval == 0; }
  };
  void call(const Wish& wish, Hook hook, int64_t number, const Logs& logs) const {
    ++called_;
    caller_(*wish.callback, [&] { (wish.callback->*hook)(number, logs); });
  }
  Hook begin_, end_;
  HookCaller caller_;
  std::vector<Wish> wishes_;
  mutable int64_t called_ = 0;
};

}  // namespace stoker::nn
