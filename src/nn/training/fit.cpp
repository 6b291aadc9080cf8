#include "nn/training/fit.h"

#include <fmt/format.h>

#include <cmath>
#include <mutex>
#include <set>

#include "distribution/collectives.h"
#include "ledger/account.h"
#include "nn/callbacks/callback_list.h"
#include "nn/callbacks/tensor_board/xspace.h"
#include "nn/memory/device_of_model.h"
#include "nn/profile/record.h"
#include "nn/random_seed.h"
#include "nn/training/account/fit_account.h"
#include "nn/training/fit_validation.h"
#include "nn/training/inputs/dataset_data.h"
#include "nn/training/logs/epoch_logs.h"
#include "nn/training/logs/metrics_of_model.h"
#include "nn/training/logs/progress.h"
#include "nn/training/ranks/agreement.h"
#include "nn/training/ranks/start_together.h"
#include "stoker/say.h"

namespace stoker {
namespace nn {
namespace {

using ledger::Activity;

// So that consecutive fits do not shuffle in the same order.
uint64_t seed_of_a_fit(Model& model) {
  auto& next = model.impl().fits.next_seed;
  if (next == 0) next = next_seed() | 1;
  next = distribution::from_first(next);
  return next++;
}

// Notes about a dataset are printed once: the next fit often uses the same one.
void say_note(const std::string& note) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.insert(note).second) say(stderr, fmt::format("fit: {}\n", note));
}

ProfileSteps profiled_steps(const FitArgs& args) {
  if (args.profile.to > 0) return args.profile;
  for (const CallbackRef& callback : args.callbacks)
    if (const auto* wants = dynamic_cast<const WantsProfile*>(callback.get()))
      if (wants->profile_steps().to > 0) return wants->profile_steps();
  return {};
}

// One run of fit: epochs over a feed, and everything between the steps.
class FitRun {
 public:
  FitRun(Model& model, const FitData& data, const FitArgs& args, bool stop_at_nan)
      : model_(model),
        args_(args),
        stop_at_nan_(stop_at_nan),
        session_(model, seed_of_a_fit(model)),
        setup_(model, data, args, session_),
        planned_steps_(args.steps_per_epoch > 0 ? args.steps_per_epoch : feed_.batches()),
        callbacks_(args.callbacks, model,
                   {args.epochs, steps_, args.verbose, setup_.validation() != nullptr},
                   session_.ledger),
        loop_(model, setup_.feed(),
              {.phase = Phase::train,
               .layout = setup_.layout(),
               .calls = &callbacks_.train,
               .ledger = &session_.ledger,
               .profile = profiled_steps(args).to > 0 ? &profile_ : nullptr,
               .stops = &model.stop_training,
               .make = [this](int64_t rows,
                              const auto& inputs) { return compile_late(rows, inputs); }}),
        progress_(args.verbose, steps_) {
    model.impl().fits.last.batch_size = setup_.batch_size();
    session_.feed = &feed_;
    session_.callbacks = &callbacks_.all();
    session_.notes = begin_notes(args, setup_.batch_size());
    session_.notes.profile.asked = profiled_steps(args);
    session_.facts_so_far = [this] { return account_.so_far(); };
  }

  History run() {
    skipped_before_ = model_.skipped_steps();
    compile();
    model_.stop_training = false;
    callbacks_.call(&Callback::on_train_begin, Logs());
    resume();
    start_together();
    agree(agree_on_epoch);
    Logs logs;
    for (int64_t epoch = first_epoch_; epoch < args_.epochs && !model_.stop_training; ++epoch) {
      logs = or_say_where(epoch, [&] { return run_epoch(epoch); });
      agree(agree_on_epoch);
    }
    or_say_where(args_.epochs - 1, [&] { return read_kept(); });
    ranks_.stop();
    if (args_.epochs > 0) model_.optimizer().finalize_variable_values();
    callbacks_.call(&Callback::on_train_end, logs);
    finish_writing();
    close_feeds();
    account_.read_load();
    session_.ledger.stop();
    close();
    return model_.impl().fits.last.notes.history;
  }

 private:
  void compile() {
    const ledger::Scope scope(session_.ledger, Activity::compile);
    setup_.compile(loop_);
    if (args_.verbose > 0)
      for (const std::string& note : feed_.statistics().notes) say_note(note);
    pinned_.emplace(*setup_.full_step());
    session_.notes.step = setup_.full_step();
    session_.states = setup_.states();
    if (args_.verbose == 0 && args_.callbacks.empty())
      kept_logs_.emplace(model_, setup_.full_step()->device(), setup_.bytes_to_upload());
  }
  void start_together() {
    const ledger::Scope scope(session_.ledger, Activity::setup);
    nn::start_together(session_, setup_.training_steps());
    ranks_.start();
  }
  // With the other ranks; waiting for them is not a part of the callbacks.
  void agree(void (*on)(Model&, bool has_callbacks)) {
    const ledger::Scope scope(session_.ledger, Activity::step);
    on(model_, !callbacks_.empty());
  }
  // For a batch that the feed did not announce: the last one of data of unknown length, or one of
  // another shape.
  exec::StepRef compile_late(int64_t rows, const std::vector<TensorType>& inputs) {
    const ledger::Scope scope(session_.ledger, Activity::compile);
    exec::StepRef step = setup_.step_of(rows, inputs);
    check_sums_together({step});
    return step;
  }

  // A device failure is noticed when the host next waits for it, perhaps several steps later.
  template <class Run>
  std::invoke_result_t<Run> or_say_where(int64_t epoch, Run run) {
    try {
      return run();
    } catch (DeviceError& error) {
      const int64_t first = steps_seen_ + 1, last = loop_.begun();
      error.add_where(last > first ? fmt::format("steps {} to {} of fit", first, last)
                                   : fmt::format("step {} of fit", std::max<int64_t>(last, 1)));
      error.add_where(fmt::format("epoch {}", epoch + 1));
      if (error.hint().empty())
        error.set_hint("what was saved before is intact; restart the program to continue.");
      throw;
    }
  }

  // Resumes at the position that a callback has restored.
  void resume() {
    const auto& at = session_.resumes;
    if (!at) return;
    feed_.restore(at->feed);
    session_.seed = at->seed;
    model_.impl().fits.next_seed = at->seed + 1;
    loop_.set_batches_seen(at->batches_seen);
    first_epoch_ = at->epoch;
    first_batch_ = at->batch;
    session_.pass = at->pass;
    session_.history = at->history;
    nn::resume(callbacks_.all(), at->callbacks);
  }
  void publish_position(int64_t epoch, int64_t done) {
    session_.epoch = epoch;
    session_.batch = done;
    session_.batches_seen = loop_.batches_seen();
    session_.notes.steps = loop_.done();
    session_.notes.samples = loop_.samples();
  }
  // Files written in the background are on disk when fit returns.
  void finish_writing() {
    const ledger::Scope scope(session_.ledger, Activity::checkpoint);
    session_.writer.finish();
    distribution::collectives().barrier();  // so that every rank may load what rank 0 has saved
  }
  // Ends their threads and frees their memory, which belongs to the time of the run.
  void close_feeds() {
    loop_.wait();
    const ledger::Scope scope(session_.ledger, Activity::setup);
    session_.feed = nullptr;
    setup_.close();
  }

  Logs run_epoch(int64_t epoch) {
    if (interrupted()) return end_early({epoch, first_batch_, steps_, {}});
    epoch_began_at_ = {first_batch_, loop_.stepping()};
    show([&] { progress_.begin_epoch(epoch, args_.epochs); });
    callbacks_.call(&Callback::on_epoch_begin, epoch, Logs());
    agree(agree_on_rate);
    if (first_batch_ == 0) begin_metrics();
    const int64_t done = run_steps(epoch);
    const bool cut = interrupted() && done != planned_steps_ && !feed_.exhausted();
    if (planned_steps_ == 0 && feed_.exhausted()) learn_steps(done);
    publish_position(epoch, done);
    if (!cut && nobody_looks(epoch)) return keep_logs_of(epoch);
    read_kept();
    Logs logs = read_logs();
    const bool whole = !cut && (!validation_.follows(epoch) || validate(logs));
    show([&] { progress_.finish(done, time_of_a_step(done), logs, whole); });
    if (!whole) return end_early({epoch, done, steps_, logs});
    callbacks_.call(&Callback::on_epoch_end, epoch, logs);
    session_.history.add(epoch, logs);
    return logs;
  }
  bool validate(Logs& logs) {
    account_.publish();  // it may take long
    return validation_.run(session_.ledger, logs);
  }
  // An incomplete epoch is never treated as a complete one, neither in the history nor by
  // callbacks.
  Logs end_early(const PartialEpoch& part) {
    publish_position(part.epoch, part.step);
    read_kept();
    session_.history.interrupted = part;
    callbacks_.call(&Callback::on_interrupt, part);
    model_.stop_training = true;
    return part.logs;
  }
  void begin_metrics() {
    const ledger::Scope scope(session_.ledger, Activity::metrics);
    reset_metrics(model_);
  }

  // The length of an epoch that was unknown: that of the latest one.
  void learn_steps(int64_t steps) {
    steps_ = steps;
    progress_.set_steps(steps);
    callbacks_.set_steps(steps);
  }

  int64_t run_steps(int64_t epoch) {
    const int64_t done =
        loop_.run(start_feed(epoch), args_.steps_per_epoch, [&](const StepLoop::Ran& ran) {
          after_step(epoch, ran.done);
          return !interrupted();
        });
    if (interrupted() || model_.stop_training) return done;
    if (args_.steps_per_epoch == 0 && epoch + 1 < args_.epochs)
      loop_.feeding([&] { feed_.prepare(epoch + 1); });
    if (done < args_.steps_per_epoch && args_.verbose > 0)
      say(stderr, fmt::format("fit: the data ran out after {} of {} steps; the epoch ends here.\n",
                              done, planned_steps_));
    return done;
  }
  // Returns how many steps of the epoch an earlier run has done; the feed is positioned after them.
  // With steps_per_epoch, an epoch continues in the data where the previous one stopped, as in
  // Keras.
  int64_t start_feed(int64_t epoch) {
    const int64_t done = std::exchange(first_batch_, 0);
    loop_.feeding([&] {
      if (args_.steps_per_epoch > 0 && feed_.exhausted()) feed_.start(session_.pass++);
      if (args_.steps_per_epoch == 0 && done == 0) feed_.start(epoch);
    });
    return done;
  }
  void after_step(int64_t epoch, int64_t done) {
    if (callbacks_.train.wants_end_of(loop_.batches_seen())) {
      publish_position(epoch, done);
      callbacks_.train.end(loop_.batches_seen(), done - 1, read_logs());
    }
    account_.between_steps();
    if (!progress_.due(ledger::now())) return;
    const Logs logs = read_logs();
    show([&] { draw(epoch, done, logs); });
  }
  void draw(int64_t epoch, int64_t done, const Logs& logs) {
    if (progress_.live_view())
      progress_.draw_lines(account_.live(epoch, done, steps_, logs));
    else
      progress_.draw(done, time_of_a_step(done), logs, account_.waits());
  }

  double time_of_a_step(int64_t done) const {  // of this epoch, in seconds
    const auto& [steps, time] = epoch_began_at_;
    if (done <= steps) return 0;
    return static_cast<double>(loop_.stepping() - time) * 1e-9 / static_cast<double>(done - steps);
  }
  // In the account, the progress line counts as a callback.
  template <class Draw>
  void show(Draw draw) {
    const ledger::Scope scope(session_.ledger, Activity::callback);
    draw();
  }

  Logs read_logs() {
    loop_.wait();
    const ledger::Scope scope(session_.ledger, Activity::metrics);
    const Logs logs = read_metrics(model_, Phase::train);
    look_at(logs, loop_.done());
    return logs;
  }
  void look_at(const Logs& logs, int64_t steps_done) {
    steps_seen_ = steps_done;
    const double* loss = logs.find("loss");
    if (!loss || std::isfinite(*loss)) return;
    if (first_bad_step_ == 0) first_bad_step_ = steps_done;
    if (stop_at_nan_) model_.stop_training = true;
  }

  bool nobody_looks(int64_t epoch) {
    if (!callbacks_.empty() || args_.verbose > 0 || validation_.follows(epoch) || interrupted())
      return false;
    return kept_logs_ && kept_logs_->has_room();
  }
  // The device continues with the next epoch without waiting.
  Logs keep_logs_of(int64_t epoch) {
    kept_logs_->keep(epoch, loop_.done());
    if (kept_logs_->full()) read_kept();
    return {};
  }
  void read_kept() {
    if (!kept_logs_ || kept_logs_->empty()) return;
    loop_.wait();
    const ledger::Scope scope(session_.ledger, Activity::metrics);
    for (const auto& [epoch, steps_done, logs] : kept_logs_->take()) {
      look_at(logs, steps_done);
      session_.history.add(epoch, logs);
    }
  }

  void close() {
    LastFit& record = model_.impl().fits.last;
    const ledger::RunFacts facts = account_.whole();
    record.account = account_.line(facts) + incidents();
    record.samples_per_second = facts.samples_per_second;
    record.input = facts.input;
    record.resumed = session_.resumed;
    finish_notes(session_.notes, session_.history);
    record.notes = std::move(session_.notes);
    record.ledger = std::move(session_.ledger);
    record.times = model_.impl().fits.last_run = facts;
    if (args_.verbose > 0) say(stdout, record.account + "\n" + FitAccount::screen(facts));
  }
  std::string incidents() const {
    std::string text;
    if (first_bad_step_ > 0)
      text += fmt::format("; the loss was NaN or infinite by step {}", first_bad_step_);
    if (const int64_t skipped = model_.skipped_steps() - skipped_before_; skipped > 0)
      text += fmt::format("; {} step{} skipped: gradients overflowed {}", skipped,
                          skipped == 1 ? "" : "s", name_of(model_.network()->compute_dtype()));
    if (const auto& part = session_.history.interrupted)
      text += fmt::format("; interrupted after {} steps of epoch {}",
                          progress_of(part->step, part->of), part->epoch + 1);
    return text;
  }

  Model& model_;
  const FitArgs& args_;
  const bool stop_at_nan_;
  Session session_;
  FitSetup setup_;
  data::Feed& feed_ = setup_.feed();
  const int64_t planned_steps_;     // per epoch; 0: until the feed ends
  int64_t steps_ = planned_steps_;  // if known
  CallbackList callbacks_;
  ProfileWindow profile_{session_.ledger, session_.notes.profile};
  StepLoop loop_;
  RankClock ranks_{feed_.plan().division.size};
  FitValidation validation_{setup_, args_, model_, callbacks_, ranks_};
  FitAccount account_{{model_, args_, session_, setup_, loop_, callbacks_, ranks_}};
  Progress progress_;
  std::optional<exec::PinnedStates> pinned_;  // a callback must not move them to another device
  std::optional<EpochLogs> kept_logs_;
  int64_t first_epoch_ = args_.initial_epoch;
  int64_t first_batch_ = 0;  // of the first epoch, if an earlier run has started it
  std::pair<int64_t, ledger::Time> epoch_began_at_;  // step and stepping() at its start
  int64_t steps_seen_ = 0, first_bad_step_ = 0, skipped_before_ = 0;
};

History run(Model& model, const FitData& data, const FitArgs& args, bool stop_at_nan) {
  const InterruptScope interrupts;
  const StopScope stops(true);
  distribution::join();
  const device::Scope scope(device_of(model, "fit"));
  check_together(model, data, args);
  return FitRun(model, data, args, stop_at_nan).run();
}

}  // namespace

void check_fit(const Model& model, const FitArgs& args) {
  check_compiled(model, "fit");
  if (const auto bad = out_of_range(args))
    throw InvalidArgument(fmt::format("fit: {} {}", bad->key, bad->what));
}

History fit(Model& model, const FitData& data, const FitArgs& args) {
  check_fit(model, args);
  return run(model, data, args, false);
}

History fit_while_finite(Model& model, const ValidationData& data, const FitArgs& args) {
  check_fit(model, args);
  return run(model,
             data.dataset ? make_fit_data(model, *data.dataset, args, "fit")
                          : make_fit_data(model, data.x, data.y, args, "fit"),
             args, true);
}

}  // namespace nn

History Model::fit(const Arrays& x, const Arrays& y, const FitArgs& args) {
  nn::check_fit(*this, args);
  return nn::fit(*this, nn::make_fit_data(*this, x, y, args, "fit"), args);
}

}  // namespace stoker
