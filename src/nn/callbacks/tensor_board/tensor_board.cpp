#include "stoker/callbacks/tensor_board.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "core/host_name.h"
#include "core/main_process.h"
#include "io/atomic_file.h"
#include "io/event_file.h"
#include "ledger/ledger.h"
#include "nn/callbacks/tensor_board/graph_def.h"
#include "nn/callbacks/tensor_board/xspace.h"
#include "nn/config/register.h"
#include "nn/memory/device_of_model.h"
#include "nn/model_impl.h"
#include "stoker/callbacks/resumable.h"
#include "stoker/model.h"

namespace stoker::callbacks {

template <class V>
void visit(TensorBoardArgs& a, V& v) {
  v("log_dir", a.log_dir);
  v("histogram_freq", a.histogram_freq);
  v("write_graph", a.write_graph);
  v("write_images", a.write_images);
  v("write_steps_per_second", a.write_steps_per_second);
  v("update_freq", a.update_freq);
  v("profile_batch", a.profile_batch);
  v("embeddings_freq", a.embeddings_freq);
  v("embeddings_metadata", a.embeddings_metadata);
}

namespace {

// Batches between two scalar summaries; 0: none.
int64_t batches_of(const Config& update_freq) {
  if (update_freq == Config("epoch")) return 0;
  if (update_freq == Config("batch")) return 1;
  if (update_freq.is_int() && update_freq.as_int() > 0) return update_freq.as_int();
  throw InvalidArgument(
      fmt::format("TensorBoard: update_freq must be \"epoch\", \"batch\" or a number of batches, "
                  "got {}.",
                  update_freq.to_string()));
}

// A batch, or the first and the last one, of all epochs; none for 0.
ProfileSteps steps_of(const Config& profile_batch) {
  const auto whole = [](const Config& number) { return number.is_int() && number.as_int() >= 0; };
  if (whole(profile_batch)) return {profile_batch.as_int(), profile_batch.as_int()};
  if (profile_batch.is_list() && profile_batch.as_list().size() == 2) {
    const Config &from = profile_batch.as_list()[0], &to = profile_batch.as_list()[1];
    if (whole(from) && whole(to) && from.as_int() <= to.as_int())
      return {from.as_int(), to.as_int()};
  }
  throw InvalidArgument(fmt::format(
      "TensorBoard: profile_batch must be a batch or the first and the last one, got {}.",
      profile_batch.to_string()));
}

void refuse_unsupported(const TensorBoardArgs& args) {
  const auto refuse = [](bool wanted, const char* argument, const char* what) {
    if (wanted)
      throw Unsupported(
          fmt::format("TensorBoard: {} is not supported: {} are not written.", argument, what),
          "leave it out.");
  };
  refuse(args.histogram_freq != 0 && args.write_images, "write_images", "images of weights");
  refuse(args.embeddings_freq != 0, "embeddings_freq", "embeddings");
}

class Board : public Callback, public Resumable, public nn::WantsProfile {
 public:
  explicit Board(const TensorBoardArgs& args)
      : args_(args),
        every_(batches_of(args.update_freq)),
        profiles_(steps_of(args.profile_batch)) {}

  int64_t batch_interval() const override { return every_; }
  ProfileSteps profile_steps() const override { return profiles_; }

  void on_train_begin(const Logs&) override {
    batch_ = 0;
    writer(train_, "train");
    if (args_.write_graph) write_graphs();
  }
  void on_epoch_begin(int64_t, const Logs&) override {
    epoch_begin_ = ledger::now();
    first_iteration_ = iterations();
  }
  void on_train_batch_begin(int64_t, const Logs&) override { batch_begin_ = ledger::now(); }
  void on_train_batch_end(int64_t, const Logs& logs) override {
    batch_ += every_;
    EventFile& file = writer(train_, "train");
    if (args_.write_steps_per_second)
      file.add_scalar("batch_steps_per_second", 1 / seconds_since(batch_begin_), batch_);
    for (const auto& [name, value] : logs) file.add_scalar("batch_" + name, value, batch_);
  }
  void on_test_end(const Logs& logs) override {
    EventFile& file = writer(validation_, "validation");
    const int64_t step = iterations();
    for (const auto& [name, value] : logs)
      file.add_scalar("evaluation_" + name + "_vs_iterations", value, step);
    file.flush();
  }
  void on_epoch_end(int64_t epoch, Logs& logs) override {
    EventFile& train = writer(train_, "train");
    for (const auto& [name, value] : logs)
      if (name.starts_with("val_"))
        writer(validation_, "validation").add_scalar("epoch_" + name.substr(4), value, epoch);
      else
        train.add_scalar("epoch_" + name, value, epoch);
    train.add_scalar("epoch_learning_rate", model().optimizer().learning_rate(), epoch);
    if (args_.write_steps_per_second)
      train.add_scalar(
          "epoch_steps_per_second",
          static_cast<double>(iterations() - first_iteration_) / seconds_since(epoch_begin_),
          epoch);
    if (args_.histogram_freq > 0 && epoch % args_.histogram_freq == 0) write_weights(epoch);
    train.flush();
    if (validation_) validation_->flush();
  }
  void on_train_end(const Logs&) override {
    train_.reset();
    validation_.reset();
    write_profile();
  }

  std::string kind() const override { return "TensorBoard"; }
  CallbackState state() const override { return {Config::map({{"batch", batch_}})}; }
  void resume(const CallbackState& state) override {
    batch_ = state.values.find("batch")->as_int();
  }

 private:
  EventFile& writer(std::unique_ptr<EventFile>& file, const char* part) {
    if (!file) file = std::make_unique<EventFile>(args_.log_dir + "/" + part);
    return *file;
  }
  // The layers, and the compiled step; for a model without a config only the step.
  void write_graphs() {
    EventFile& file = writer(train_, "train");
    try {
      file.add_keras_model(model().to_config().to_string());
    } catch (const Error&) {
    }
    const nn::Session* const fit = model().impl().fits.running;
    if (const auto step = fit ? fit->notes.step.lock() : nullptr)
      file.add_graph(nn::graph_def(step->graph()));
    file.flush();
  }
  void write_weights(int64_t epoch) {
    for (const LayerRef& layer : model().layers())
      for (const Variable& weight : layer->weights())
        writer(train_, "train").add_histogram(weight.name() + "/histogram", weight.array(), epoch);
  }
  // Where TensorBoard's profile plugin looks for runs.
  void write_profile() {
    const nn::Session* const fit = model().impl().fits.running;
    if (!fit || fit->notes.profile.steps.empty() || !is_main_process()) return;
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    const std::string folder =
        fmt::format("{}/plugins/profile/{:%Y_%m_%d_%H_%M_%S}", args_.log_dir, fmt::localtime(now));
    std::filesystem::create_directories(folder);
    write_file(
        fmt::format("{}/{}.xplane.pb", folder, host_name()),
        nn::xspace(fit->notes.profile, nn::device_of(model(), "TensorBoard").name(), host_name()));
  }
  int64_t iterations() const {
    return static_cast<int64_t>(model().optimizer().iterations().array().at(0));
  }
  static double seconds_since(ledger::Time begin) {
    return static_cast<double>(ledger::now() - begin) * 1e-9;
  }

  TensorBoardArgs args_;
  int64_t every_;
  ProfileSteps profiles_;
  int64_t batch_ = 0, first_iteration_ = 0;
  ledger::Time epoch_begin_ = 0, batch_begin_ = 0;
  std::unique_ptr<EventFile> train_, validation_;
};

const nn::Register<TensorBoardArgs, CallbackRef> registered{"TensorBoard", TensorBoard};

}  // namespace

CallbackRef TensorBoard(const TensorBoardArgs& args) {
  refuse_unsupported(args);
  return std::make_shared<Board>(args);
}

}  // namespace stoker::callbacks
