#include "stoker/callbacks/backup_and_restore.h"

#include <fmt/format.h>

#include <filesystem>

#include "io/atomic_file.h"
#include "nn/callback_list.h"
#include "nn/callbacks/backup_file.h"
#include "nn/register.h"
#include "nn/test_loop.h"

namespace stoker::callbacks {

template <class V>
void visit(BackupAndRestoreArgs& a, V& v) {
  v("backup_dir", a.backup_dir, nn::required);
  v("save_freq", a.save_freq);
  v("double_checkpoint", a.double_checkpoint);
  v("delete_checkpoint", a.delete_checkpoint);
}

namespace {

namespace fs = std::filesystem;

class Backup : public Callback, public nn::ComesLast {
 public:
  explicit Backup(const BackupAndRestoreArgs& args)
      : args_(args), every_(args.save_freq.is_int() ? args.save_freq.as_int() : 0) {}

  bool wants_batches() const override { return every_ > 0; }

  void on_train_begin(const Logs&) override {
    ensure_writable_dir(args_.backup_dir);
    since_saved_ = 0;
    if (fs::exists(file())) model().impl().resume_at = nn::load_backup(model(), file());
  }
  void on_train_batch_end(int64_t, const Logs&) override {
    if (every_ == 0 || ++since_saved_ < every_) return;
    since_saved_ = 0;
    save(position());
  }
  void on_epoch_end(int64_t epoch, Logs& logs) override {
    FitPosition at = position();
    const bool complete = !nn::interrupted();
    if (complete) {
      at.history.add(epoch, logs);
      at.epoch = epoch + 1;
      at.batch = 0;
    }
    if (every_ == 0 || !complete) save(at);
  }
  void on_train_end(const Logs&) override {
    if (args_.delete_checkpoint && !nn::interrupted()) fs::remove_all(args_.backup_dir);
  }

 private:
  FitPosition position() {
    FitPosition at = model().impl().position;
    at.history = *model().impl().history;
    at.callbacks = nn::states_of(*model().impl().callbacks);
    return at;
  }
  std::string file() const { return args_.backup_dir + "/latest.safetensors"; }
  void save(const FitPosition& at) {
    const ledger::Scope scope(model().impl().ledger, ledger::Activity::checkpoint);
    if (args_.double_checkpoint && fs::exists(file()))
      fs::copy_file(file(), file() + ".bkp", fs::copy_options::overwrite_existing);
    nn::save_backup(model(), at, file());
  }

  BackupAndRestoreArgs args_;
  int64_t every_, since_saved_ = 0;
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
