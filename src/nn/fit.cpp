#include <fmt/format.h>

#include <cmath>

#include "core/host_call.h"
#include "nn/auto_batch.h"
#include "nn/batch_step.h"
#include "nn/device_of_model.h"
#include "nn/epoch_logs.h"
#include "nn/memory_refusal.h"
#include "nn/metrics_of_model.h"
#include "nn/pace.h"
#include "nn/random_seed.h"
#include "nn/test_loop.h"

namespace stoker {
namespace nn {
namespace {

using ledger::Activity;

void check_args(const Model& model, const FitArgs& args) {
  if (!model.compiled())
    throw InvalidArgument("fit needs a compiled model.", "call compile first.");
  if (const auto bad = out_of_range(args))
    throw InvalidArgument(fmt::format("fit: {} {}", bad->key, bad->what));
}

// One run of fit: epochs over a feeder, with everything that happens between the steps.
class FitRun {
 public:
  FitRun(Model& model, const Arrays& x, const Arrays& y, const FitArgs& args)
      : model_(model),
        args_(args),
        ledger_(model.impl().ledger),
        columns_(make_fit_columns(x, y, args, "fit")) {
    auto& next = model.impl().shuffle_seed;
    if (next == 0) next = next_seed() | 1;
    seed_ = next++;  // so that two fits in a row do not repeat the same orders
    const device::Device device = device::current_device("fit");
    types_ = types_of(columns_, args.shuffle, device);
    types_.validation_batch = args.validation_batch_size;
    if (args_.batch_size == AUTO) choose_batch_size();
    model.impl().batch_size = args_.batch_size;
    feeder_ = std::make_unique<data::ArrayFeeder>(
        train_.arrays, device,
        data::FeedOptions{args_.batch_size, args.shuffle, seed_, 0, "the training data"});
    train_.layout.gathers = types_.train.layout.gathers = feeder_->gathers();
    steps_ = args.steps_per_epoch > 0 ? args.steps_per_epoch : feeder_->batches();
  }

  History run() {
    ledger_.start();
    skipped_before_ = model_.skipped_steps();
    clear_interrupt();
    compile();
    CallbackList callbacks(args_.callbacks, model_,
                           {args_.epochs, steps_, args_.verbose, validation_.has_value()}, ledger_);
    callbacks_ = &callbacks;
    Progress progress(args_.verbose, steps_);
    progress_ = &progress;
    model_.stop_training = false;
    model_.impl().resume_at.reset();
    model_.impl().history = &history_;
    model_.impl().callbacks = &callbacks.all();
    callbacks.call(&Callback::on_train_begin, Logs());
    resume();
    Logs logs;
    for (int64_t epoch = args_.initial_epoch; epoch < args_.epochs && !model_.stop_training;
         ++epoch)
      logs = or_say_where(epoch, [&] { return run_epoch(epoch); });
    or_say_where(args_.epochs - 1, [&] { return read_kept(); });
    if (args_.epochs > 0) model_.optimizer().finalize_variable_values();
    callbacks.call(&Callback::on_train_end, logs);
    ledger_.stop();
    close();
    return history_;
  }

 private:
  void choose_batch_size() {
    const ChosenBatch chosen = choose_batch(model_, types_, args_.recompute);
    args_.batch_size = chosen.size;
    if (args_.verbose > 0) fmt::print("batch_size {}: {}.\n", chosen.size, chosen.reason);
  }

  // Everything that can be wrong with the model, the shapes or the memory shows here.
  void compile() {
    const ledger::Scope scope(ledger_, Activity::compile);
    full_rows_ = std::min(args_.batch_size, feeder_->samples());
    more_steps_ = types_.steps(args_.batch_size);
    full_step_ = &step_of(full_rows_);
    if (args_.recompute.if_needed() && full_step_->plan().recomputes && args_.verbose > 0)
      fmt::print(
          "recompute: activations are computed again, as the step does not fit otherwise.\n");
    check_labels(model_.impl(), train_);
    if (const int64_t rest = feeder_->samples() % full_rows_) last_step_ = &step_of(rest);
    if (validation_) compile_validation();
    if (args_.verbose == 0 && args_.callbacks.empty()) make_room_for_logs();
    pinned_.emplace(*full_step_);
  }
  void compile_validation() {
    try {
      const int64_t samples = validation_->samples(),
                    batch = std::min(types_.batch_of_validation(args_.batch_size), samples),
                    rest = samples % batch;
      const bool all = args_.validation_steps == 0 || args_.validation_steps > samples / batch;
      compile_test(batch);
      if (rest > 0 && all) compile_test(rest);
      check_labels(model_.impl(), *validation_);
      // Now that all steps have their memory, is there room for all of the data?
      validation_feeder_ = std::make_unique<data::ArrayFeeder>(
          validation_->arrays, full_step_->device(),
          data::FeedOptions{.batch_size = batch,
                            .beside = feeder_->bytes_to_upload() + copied_bytes(),
                            .what = "the validation data"});
    } catch (Error& error) {
      error.add_where("the validation data");
      throw;
    }
  }
  void make_room_for_logs() {
    const int64_t data = feeder_->bytes_to_upload() + copied_bytes() +
                         (validation_feeder_ ? validation_feeder_->bytes_to_upload() : 0);
    kept_logs_.emplace(model_, full_step_->device(), data);
  }
  void compile_test(int64_t rows) {
    step_for(model_, Phase::test, validation_->layout, validation_->input_types(rows),
             {.reserve = reserve(), .more_steps = --more_steps_});
  }
  exec::CompiledStep& step_of(int64_t rows) {
    return train_step_for(model_, types_, feeder_->input_types(rows),
                          {args_.recompute, reserve(), --more_steps_});
  }
  // What the data will take of the device once the steps are compiled.
  int64_t reserve() const {
    const int64_t training = feeder_->bytes_to_upload();
    if (training == 0) return 0;
    return training + types_.train.copied_bytes(args_.batch_size) +
           types_.validation_bytes(args_.batch_size);
  }
  int64_t copied_bytes() const { return types_.copied_bytes(args_.batch_size); }

  // A device that fails is noticed when the host next waits for it, steps later perhaps.
  template <class Run>
  std::invoke_result_t<Run> or_say_where(int64_t epoch, Run run) {
    try {
      return run();
    } catch (DeviceError& error) {
      const int64_t first = steps_seen_ + 1;
      error.add_where(steps_begun_ > first
                          ? fmt::format("steps {} to {} of fit", first, steps_begun_)
                          : fmt::format("step {} of fit", std::max<int64_t>(steps_begun_, 1)));
      error.add_where(fmt::format("epoch {}", epoch + 1));
      if (error.hint().empty())
        error.set_hint("what was saved before is intact; start the program anew to go on.");
      throw;
    }
  }

  // Goes on where a callback says that an earlier run stood.
  void resume() {
    auto& at = model_.impl().resume_at;
    if (!at) return;
    seed_ = at->seed;
    model_.impl().shuffle_seed = seed_ + 1;
    feeder_->set_seed(seed_);
    args_.initial_epoch = at->epoch;
    first_batch_ = at->batch;
    pass_ = at->pass;
    history_ = at->history;
    nn::resume(callbacks_->all(), at->callbacks);
    if (args_.steps_per_epoch > 0 && pass_ > 0) {
      feeder_->start_epoch(pass_ - 1);
      feeder_->skip_to(at->sample);
    }
  }
  void publish_position(int64_t epoch, int64_t done) {
    model_.impl().position = {seed_, epoch, done, pass_, feeder_->position()};
  }

  Logs run_epoch(int64_t epoch) {
    show([&] { progress_->begin_epoch(epoch, args_.epochs); });
    callbacks_->call(&Callback::on_epoch_begin, epoch, Logs());
    if (first_batch_ == 0) reset_metrics(model_);
    const int64_t done = run_steps(epoch);
    publish_position(epoch, done);
    if (nobody_looks(epoch)) return keep_logs_of(epoch);
    read_kept();
    Logs logs = read_logs();
    if (!interrupted()) validate(epoch, logs);
    show([&] { progress_->finish(done, logs); });
    callbacks_->call(&Callback::on_epoch_end, epoch, logs);
    history_.add(epoch, logs);
    if (interrupted()) model_.stop_training = true;
    return logs;
  }

  // The loop that everything else is built around: a batch, a run, time stamps around both.
  int64_t run_steps(int64_t epoch) {
    ledger::Time before = ledger::now();
    // With steps_per_epoch an epoch goes on in the data where the last one stopped, as in Keras.
    if (args_.steps_per_epoch == 0)
      feeder_->start_epoch(epoch);
    else if (feeder_->exhausted())
      feeder_->start_epoch(pass_++);
    int64_t done = std::exchange(first_batch_, 0);
    if (args_.steps_per_epoch == 0) feeder_->skip_to(done * args_.batch_size);
    epoch_ = epoch;
    data::ArrayFeeder::Batch batch;
    while (done < steps_ && feeder_->next(batch, steps_at_once(done))) {
      exec::CompiledStep& step = batch.rows == full_rows_ ? *full_step_ : *last_step_;
      ledger::Time begin = ledger::now();
      ledger_.record(Activity::input, before, begin);
      if (callbacks_->wants_batches()) {
        callbacks_->call(&Callback::on_train_batch_begin, done, Logs());
        begin = ledger::now();
      }
      steps_begun_ = steps_done_ + batch.count;
      const ledger::Time called = host_call_nanoseconds();
      step.run_steps(batch.run());
      before = ledger::now();
      book_step(begin, before, host_call_nanoseconds() - called);
      pace_.took(before - begin);
      samples_ += batch.rows * batch.count;
      steps_done_ += batch.count;
      done += batch.count;
      if (after_step(done, before)) before = ledger::now();
      if (interrupted() || model_.stop_training) return done;
    }
    if (args_.steps_per_epoch == 0 && epoch + 1 < args_.epochs) {
      const ledger::Scope scope(ledger_, Activity::input);
      feeder_->prepare_epoch(epoch + 1);
    }
    if (done < steps_ && args_.verbose > 0)
      fmt::print(stderr, "fit: the data ran out after {} of {} steps; the epoch ends here.\n", done,
                 steps_);
    return done;
  }
  void book_step(ledger::Time begin, ledger::Time end, ledger::Time in_host_calls) {
    ledger_.record(Activity::step, begin, end - in_host_calls);
    if (in_host_calls > 0) ledger_.record(Activity::host_calls, end - in_host_calls, end);
  }
  int64_t steps_at_once(int64_t done) const {
    return callbacks_->wants_batches() ? 1 : std::min(steps_ - done, pace_.steps());
  }
  // Whether anybody looked, which takes time of its own.
  bool after_step(int64_t done, ledger::Time now) {
    const bool draws = progress_->due(now);
    if (callbacks_->wants_batches()) {
      publish_position(epoch_, done);
      callbacks_->call(&Callback::on_train_batch_end, done - 1, read_logs());
    }
    if (draws) show([&] { progress_->draw(done, read_logs()); });
    return draws || callbacks_->wants_batches();
  }

  // The progress line is a callback to those who ask where the time went.
  template <class Draw>
  void show(Draw draw) {
    const ledger::Scope scope(ledger_, Activity::callback);
    draw();
  }

  Logs read_logs() {
    const ledger::Scope scope(ledger_, Activity::metrics);
    const Logs logs = read_metrics(model_, Phase::train);
    look_at(logs, steps_done_);
    return logs;
  }
  void look_at(const Logs& logs, int64_t steps_done) {
    steps_seen_ = steps_done;
    const double* loss = logs.find("loss");
    if (loss && !std::isfinite(*loss) && first_bad_step_ == 0) first_bad_step_ = steps_done;
  }

  bool nobody_looks(int64_t epoch) {
    if (!callbacks_->empty() || args_.verbose > 0 || validates(epoch) || interrupted())
      return false;
    return kept_logs_ && kept_logs_->has_room();
  }
  // The device goes on with the next epoch at once.
  Logs keep_logs_of(int64_t epoch) {
    kept_logs_->keep(epoch, steps_done_);
    if (kept_logs_->full()) read_kept();
    return {};
  }
  void read_kept() {
    if (!kept_logs_) return;
    const ledger::Scope scope(ledger_, Activity::metrics);
    for (const auto& [epoch, steps_done, logs] : kept_logs_->take()) {
      look_at(logs, steps_done);
      history_.add(epoch, logs);
    }
  }

  bool validates(int64_t epoch) const {
    return validation_ && (epoch + 1) % args_.validation_freq == 0;
  }
  void validate(int64_t epoch, Logs& logs) {
    if (!validates(epoch)) return;
    const ledger::Scope scope(ledger_, Activity::validation);
    callbacks_->call(&Callback::on_test_begin, Logs());
    const Logs results =
        TestLoop{model_, *validation_, *validation_feeder_, args_.validation_steps, callbacks_}
            .run();
    callbacks_->call(&Callback::on_test_end, results);
    for (const auto& [name, value] : results) logs.set("val_" + name, value);
  }

  std::string skipped_text() const {
    const int64_t skipped = model_.skipped_steps() - skipped_before_;
    if (skipped == 0) return {};
    return fmt::format("; {} step{} skipped: gradients overflowed {}", skipped,
                       skipped == 1 ? "" : "s", name_of(model_.network()->compute_dtype()));
  }

  void close() {
    const double stepping =
        static_cast<double>(ledger_.total(Activity::step) + ledger_.total(Activity::host_calls) +
                            ledger_.total(Activity::input)) *
        1e-9;
    const double pace = stepping > 0 ? static_cast<double>(samples_) / stepping : 0;
    std::string account = ledger_.line();
    if (steps_done_ > 0)
      account += fmt::format("; {} steps of {:.1f} us, {:.0f} samples/s", steps_done_,
                             stepping / static_cast<double>(steps_done_) * 1e6, pace);
    if (first_bad_step_ > 0)
      account += fmt::format("; the loss was NaN or infinite by step {}", first_bad_step_);
    account += skipped_text();
    if (interrupted()) account += "; interrupted";
    model_.impl().account = account;
    model_.impl().samples_per_second = pace;
    if (args_.verbose > 0) fmt::print("{}\n", account);
  }

  Model& model_;
  FitArgs args_;
  ledger::Ledger& ledger_;
  FitColumns columns_;
  Columns& train_ = columns_.train;
  const std::optional<Columns>& validation_ = columns_.validation;
  FitTypes types_;
  std::unique_ptr<data::ArrayFeeder> feeder_, validation_feeder_;
  std::optional<exec::PinnedStates> pinned_;  // a callback must not take them elsewhere
  exec::CompiledStep *full_step_ = nullptr, *last_step_ = nullptr;
  CallbackList* callbacks_ = nullptr;
  Progress* progress_ = nullptr;
  History history_;
  std::optional<EpochLogs> kept_logs_;
  Pace pace_;
  int64_t steps_begun_ = 0, steps_seen_ = 0;  // the device is somewhere between
  int64_t steps_ = 0, steps_done_ = 0, samples_ = 0, first_bad_step_ = 0, skipped_before_ = 0;
  int64_t full_rows_ = 0, more_steps_ = 0, pass_ = 0, epoch_ = 0;
  int64_t first_batch_ = 0;  // of the first epoch, when it was begun by an earlier run
  uint64_t seed_ = 0;
};

}  // namespace
}  // namespace nn

History Model::fit(const Arrays& x, const Arrays& y, const FitArgs& args) {
  nn::check_args(*this, args);
  const device::Scope scope(nn::device_of(*this, "fit"));
  return nn::FitRun(*this, x, y, args).run();
}

}  // namespace stoker
