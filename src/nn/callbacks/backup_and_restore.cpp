#include "stoker/callbacks/backup_and_restore.h"

#include <fmt/format.h>

#include "io/atomic_file.h"
#include "nn/callbacks/callback_list.h"
#include "nn/callbacks/checkpoint_folder.h"
#include "nn/callbacks/fit_states.h"
#include "nn/config/register.h"
#include "stoker/say.h"

namespace stoker::callbacks {

template <class V>
void visit(BackupAndRestoreArgs& a, V& v) {
  v("backup_dir", a.backup_dir, nn::required);
  v("save_freq", a.save_freq);
  v("double_checkpoint", a.double_checkpoint);
  v("delete_checkpoint", a.delete_checkpoint);
}

namespace {

class Backup : public Callback, public nn::ComesLast, public nn::HasKerasName {
 public:
  std::string keras_name() const override { return "BackupAndRestore"; }
  explicit Backup(const BackupAndRestoreArgs& args)
      : args_(args),
        folder_(args.backup_dir),
        every_(args.save_freq.is_int() ? args.save_freq.as_int() : 0) {}

  int64_t batch_interval() const override { return every_; }

  void on_train_begin(const Logs&) override {
    ensure_writable_dir(args_.backup_dir);
    states_ = nn::states_of_fit(model());
    if (const auto found = folder_.read()) restore(*found);
  }
  void on_train_batch_end(int64_t, const Logs&) override { save(session().position()); }
  void on_interrupt(const PartialEpoch&) override { save(session().position()); }
  void on_epoch_end(int64_t epoch, Logs& logs) override {
    if (every_ > 0) return;
    nn::FitPosition at = session().position();
    at.history.add(epoch, logs);
    at.epoch = epoch + 1;
    at.batch = 0;
    save(std::move(at));
  }
  void on_train_end(const Logs&) override {
    const auto booked = nn::book(model(), ledger::Activity::checkpoint);
    session().writer.finish();
    const bool done = !session().history.interrupted;
    if (args_.delete_checkpoint && done) folder_.remove();
  }

 private:
  nn::Session& session() { return *model().impl().fits.running; }

  // The values are copied now and written in the background. Weights that are not finite are not
  // saved: the previous checkpoint stays.
  void save(nn::FitPosition at) {
    const auto booked = nn::book_checkpoint(model());
    const auto copies = nn::copy_if_finite(states_.states);
    if (!copies) return;
    session().writer.submit(folder_.path(),
                            [folder = folder_, states = states_, copies, at = std::move(at)] {
                              const std::vector<Array> values = copies->arrays();
                              nn::Checkpoint checkpoint{{}, at};
                              for (size_t i = 0; i < values.size(); ++i)
                                checkpoint.states.emplace_back(states.names[i], values[i]);
                              folder.write(checkpoint);
                            });
  }

  void restore(const nn::CheckpointFolder::Found& found) {
    check(found);
    for (size_t i = 0; i < states_.states.size(); ++i)
      Variable(states_.states[i]).set(found.checkpoint.states[i].second);
    const nn::FitPosition& at = found.checkpoint.at;
    session().resume_at(at,
                        fmt::format("resumed from {}: epoch {}{}", found.file, at.epoch + 1,
                                    at.batch > 0 ? fmt::format(", batch {}", at.batch + 1) : ""));
    if (params().verbose > 0) say(stdout, session().resumed + "\n");
  }
  void check(const nn::CheckpointFolder::Found& found) const {
    const NamedArrays& saved = found.checkpoint.states;
    const auto here = [&](size_t i) {
      return i < states_.names.size()
                 ? fmt::format("{} {}", states_.names[i], to_string(states_.states[i]->type))
                 : "nothing more";
    };
    const auto there = [&](size_t i) {
      return i < saved.size()
                 ? fmt::format("{} {}", saved[i].first, to_string(saved[i].second.type()))
                 : "nothing more";
    };
    for (size_t i = 0; i < std::max(saved.size(), states_.names.size()); ++i)
      if (here(i) != there(i))
        throw InvalidArgument(
            fmt::format("{} is not a checkpoint of model \"{}\" as it is compiled now: it has "
                        "{} where the model has {}.",
                        found.file, model().name(), there(i), here(i)),
            fmt::format("remove \"{}\" to train from the start.", folder_.path()));
  }

  BackupAndRestoreArgs args_;
  nn::CheckpointFolder folder_;
  nn::FitStates states_;
  int64_t every_;
};

const nn::Register<BackupAndRestoreArgs, CallbackRef> registered{"BackupAndRestore",
                                                                 BackupAndRestore};

}  // namespace

CallbackRef BackupAndRestore(const BackupAndRestoreArgs& args) {
  if (args.backup_dir.empty()) throw InvalidArgument("BackupAndRestore needs \"backup_dir\".");
  const bool batches = args.save_freq.is_int() && args.save_freq.as_int() > 0;
  if (!batches && args.save_freq != Config("epoch"))
    throw InvalidArgument(
        fmt::format("BackupAndRestore: save_freq must be \"epoch\" or a number of batches, got {}.",
                    args.save_freq.to_string()));
  return std::make_shared<Backup>(args);
}

}  // namespace stoker::callbacks
