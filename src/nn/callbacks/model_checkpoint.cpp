#include "stoker/callbacks/model_checkpoint.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "io/atomic_file.h"
#include "nn/callbacks/callback_states.h"
#include "nn/callbacks/filepath.h"
#include "nn/callbacks/fit_states.h"
#include "nn/callbacks/monitor.h"
#include "nn/config/register.h"
#include "nn/model_impl.h"
#include "stoker/say.h"

namespace stoker::callbacks {

template <class V>
void visit(ModelCheckpointArgs& a, V& v) {
  v("filepath", a.filepath, nn::required);
  v("monitor", a.monitor);
  v("verbose", a.verbose);
  v("save_best_only", a.save_best_only);
  v("save_weights_only", a.save_weights_only);
  v("mode", a.mode);
  v("save_freq", a.save_freq);
  v("initial_value_threshold", a.initial_value_threshold);
}

namespace {

void check(const ModelCheckpointArgs& args) {
  if (args.filepath.empty()) throw InvalidArgument("ModelCheckpoint needs \"filepath\".");
  const auto ends = [&](const char* with) { return args.filepath.ends_with(with); };
  if (!args.save_weights_only && !ends(".keras"))
    throw InvalidArgument(
        fmt::format("ModelCheckpoint: filepath \"{}\" must end in .keras.", args.filepath),
        "or set save_weights_only.");
  if (args.save_weights_only && !ends(".weights.h5") && !ends(".safetensors") && !ends(".npz"))
    throw InvalidArgument(
        fmt::format("ModelCheckpoint: filepath \"{}\" must end in .weights.h5, .safetensors or "
                    ".npz.",
                    args.filepath));
  const bool batches = args.save_freq.is_int() && args.save_freq.as_int() > 0;
  if (!batches && args.save_freq != Config("epoch"))
    throw InvalidArgument(
        fmt::format("ModelCheckpoint: save_freq must be \"epoch\" or a number of batches, got {}.",
                    args.save_freq.to_string()));
}

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

class Checkpoint : public Callback, public Resumable {
 public:
  explicit Checkpoint(const ModelCheckpointArgs& args)
      : args_(args),
        monitor_("ModelCheckpoint", {args.monitor, args.mode}),
        every_(args.save_freq.is_int() ? args.save_freq.as_int() : 0),
        best_(args.initial_value_threshold) {}

  int64_t batch_interval() const override { return every_; }

  // Checks the folder before the first step, not after the first epoch.
  void on_train_begin(const Logs&) override {
    ensure_writable_dir(folder_of(args_.filepath.substr(0, args_.filepath.find('{'))));
  }
  void on_epoch_begin(int64_t epoch, const Logs&) override { epoch_ = epoch; }
  void on_train_batch_end(int64_t batch, const Logs& logs) override { consider(batch, logs); }
  void on_epoch_end(int64_t, Logs& logs) override {
    if (every_ == 0) consider(params().steps - 1, logs);
  }
  // Metrics of an incomplete epoch do not tell whether it is the best one.
  void on_interrupt(const PartialEpoch& part) override {
    if (!args_.save_best_only && part.step > 0) save(part.step - 1, part.logs, "interrupted, ");
  }

  std::string kind() const override { return "ModelCheckpoint"; }
  CallbackState state() const override {
    return {Config::map({{"best", nn::optional_value(best_)}})};
  }
  void resume(const CallbackState& state) override {
    best_ = nn::optional_value(state.values, "best");
  }

 private:
  void consider(int64_t batch, const Logs& logs) {
    if (!args_.save_best_only) return (void)save(batch, logs, "");
    const auto current = monitor_.value(logs, params(), model());
    if (!current) return;
    if (!monitor_.improves(*current, best_)) {
      if (args_.verbose > 0)
        say(stdout, fmt::format("\nEpoch {}: {} did not improve from {:.5f}\n", epoch_ + 1,
                                args_.monitor, best_.value_or(*current)));
      return;
    }
    const std::string from = best_ ? fmt::format("{:.5f}", *best_) : "none";
    if (save(batch, logs,
             fmt::format("{} improved from {} to {:.5f}, ", args_.monitor, from, *current)))
      best_ = current;
  }

  // False if a good file would be overwritten with non-finite weights.
  bool save(int64_t batch, const Logs& logs, const std::string& why) {
    const auto booked = nn::book_checkpoint(model());
    const double* loss = logs.find("loss");
    if (loss && !std::isfinite(*loss)) return refuse(fmt::format("the loss is {}", *loss));
    if (!nn::weights_are_finite(model())) return refuse("a weight is NaN or infinite");
    const std::string path = nn::format_filepath(args_.filepath, epoch_ + 1, batch + 1, logs);
    if (const std::string folder = folder_of(path); !std::filesystem::exists(folder))
      ensure_writable_dir(folder);
    if (args_.save_weights_only)
      model().save_weights(path);
    else
      model().save(path);
    if (args_.verbose > 0)
      say(stdout, fmt::format("\nEpoch {}: {}saving {} to {}\n", epoch_ + 1, why,
                              args_.save_weights_only ? "weights" : "model", path));
    return true;
  }
  bool refuse(const std::string& why) const {
    if (args_.verbose > 0)
      say(stdout, fmt::format("\nEpoch {}: {}, nothing is saved\n", epoch_ + 1, why));
    return false;
  }

  ModelCheckpointArgs args_;
  nn::Monitor monitor_;
  int64_t every_, epoch_ = 0;
  std::optional<double> best_;
};

const nn::Register<ModelCheckpointArgs, CallbackRef> registered{"ModelCheckpoint", ModelCheckpoint};

}  // namespace

CallbackRef ModelCheckpoint(const ModelCheckpointArgs& args) {
  check(args);
  return std::make_shared<Checkpoint>(args);
}

}  // namespace stoker::callbacks
