#include "nn/training/inference_session.h"

#include <fmt/format.h>

#include <algorithm>

#include "nn/memory/device_of_model.h"
#include "nn/training/account/run_account.h"

namespace stoker::nn {
namespace {

int64_t steps_of(const data::Feed& feed, int64_t asked) {
  const int64_t batches = feed.batches();
  return asked > 0 && batches > 0 ? std::min(asked, batches) : asked + batches;
}

}  // namespace

InferenceSession::InferenceSession(Model& model, const RunData& data, const Args& args,
                                   const char* what)
    : doing(what),
      stops(args.divides),
      scope(device_of(model, what)),
      feed(opened(data, args)),
      asked(args.steps),
      steps(steps_of(*feed, asked)),
      callbacks(args.callbacks, model, {.steps = steps, .verbose = args.verbose}, ledger),
      progress(args.verbose, steps) {
  progress.begin();
}

std::unique_ptr<data::Feed> InferenceSession::opened(const RunData& data, const Args& args) {
  ledger.start();
  if (data.called) ledger.began_earlier(*data.called, ledger::Activity::setup);
  const ledger::Scope booked(ledger, ledger::Activity::setup);
  return open_feed(data, scope.device(), {args.batch_size, args.steps, args.divides}, doing);
}

void InferenceSession::check_whole(int64_t done) const {
  nn::check_whole(*feed, done, steps, doing);
}

void InferenceSession::close(ledger::RunFacts& facts) {
  {
    const ledger::Scope booked(ledger, ledger::Activity::setup);
    feed.reset();
  }
  facts.wall = ledger.wall_until(ledger::now());
  for (size_t a = 0; a < ledger::num_activities; ++a) {
    const ledger::Time since =
        ledger.totals()[a] - std::exchange(facts.host[a], ledger.totals()[a]);
    if (facts.measured) facts.measured->idle[a] += since;
  }
  facts.samples_per_second = ledger::samples_per_second(facts);
}

void check_whole(data::Feed& feed, int64_t done, int64_t total, const char* doing) {
  if (interrupted() && done != total && !feed.exhausted())
    throw Interrupted(
        fmt::format("{} was interrupted after {} batches.", doing, progress_of(done, total)));
}

}  // namespace stoker::nn
