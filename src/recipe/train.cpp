#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>

#include "core/main_process.h"
#include "nn/callbacks/fit_states.h"
#include "nn/profile/record.h"
#include "nn/training/fit.h"
#include "nn/training/ranks/start_together.h"
#include "recipe/parts.h"
#include "recipe/record_keeper.h"
#include "recipe/run_folder.h"
#include "stoker/interrupt.h"
#include "stoker/io.h"
#include "stoker/recipe.h"
#include "stoker/say.h"

namespace stoker {
namespace nn {
namespace {

bool is_finite(const Logs& logs) {
  const double* loss = logs.find("loss");
  return !loss || std::isfinite(*loss);
}

// Keeps a copy of all states after the last epoch with a finite loss and finite weights, on the
// device.
class LastFinite : public Callback, public OfTheProgram {
 public:
  void on_epoch_end(int64_t epoch, Logs& logs) override {
    const auto booked = book(model(), ledger::Activity::checkpoint);
    const exec::States states = states_of_fit(model()).states;
    if (!is_finite(logs) || !weights_are_finite(states)) return;
    epoch_ = epoch + 1;
    states_ = states;
    copies_.reset();  // its memory is needed for the next one
    copies_.emplace(states);
  }
  int64_t epoch() const { return epoch_; }  // from 1; 0: none
  void restore() const {
    const std::vector<Array> values = copies_->arrays();
    for (size_t i = 0; i < states_.size(); ++i) Variable(states_[i]).set(values[i]);
  }

 private:
  int64_t epoch_ = 0;
  exec::States states_;
  std::optional<exec::StateCopies> copies_;
};

bool holds_weights(const std::string& path) {
  return path.ends_with(".weights.h5") || path.ends_with(".safetensors") || path.ends_with(".npz");
}

void check_save(const std::string& path) {
  if (path.empty()) return;
  if (path.ends_with(".json"))
    throw InvalidArgument(fmt::format("\"{}\" would hold nothing that was trained.", path),
                          ".keras and .h5 hold the model, .weights.h5, .safetensors and .npz its "
                          "weights.");
  if (!holds_weights(path) && !path.ends_with(".keras") && !path.ends_with(".h5") &&
      !path.ends_with(".hdf5"))
    throw InvalidArgument(fmt::format("\"{}\" is not a file type that can be written.", path),
                          ".keras and .h5 hold a model, .weights.h5, .safetensors and .npz its "
                          "weights.");
  ensure_writable(path);
}

std::string record_beside(const std::string& page) {
  return std::filesystem::path(page).replace_extension(".json").string();
}

void check_report(const std::string& path) {
  if (path.empty()) return;
  if (!path.ends_with(".html"))
    throw InvalidArgument(fmt::format("--report: \"{}\" does not end with .html.", path),
                          "the page is HTML; its record is written next to it as .json.");
  ensure_writable(path);
  ensure_writable(record_beside(path));
}

// One training by a recipe: everything is checked before data is read.
class Training {
 public:
  Training(const Recipe& recipe, const RecipeSource& source, const TrainingOptions& options)
      : recipe_(recipe), source_(source), options_(options) {}

  TrainingResult run() {
    const auto begin = std::chrono::steady_clock::now();
    const InterruptScope interrupts;
    FitArgs args = recipe_.make_fit_args();
    const CallbackRef checkpoint = read_checkpoint(source_);
    model_ = recipe_.make_model();
    check();
    add_callbacks(args, checkpoint);
    say_what_is_saved(args);
    fit(args);
    save();
    save_report();
    if (!interrupted() && result_.finite) {
      evaluate();
      if (result_.unsaved.empty()) remove_checkpoint(source_);
    }
    result_.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(result_);
  }

 private:
  void check() const {
    const Config* loss = nullptr;
    const Config settings = model_->get_compile_config();
    if (model_->compiled()) loss = settings.find("loss");
    if (!loss || loss->is_null()) refuse_without_loss();
    if (!recipe_.has_data("train"))
      throw InvalidArgument("\"data.train\" is missing.",
                            "name the files in [data.train], or give --data, or --x and --y.");
    for (const char* part : {"train", "validation", "test"})
      if (recipe_.has_data(part)) check_counts(source_, *model_, part);
    source_.at("output.save", [&] { check_save(recipe_.save_file()); });
    if (!recipe_.history_file().empty())
      source_.at("output.history", [&] { ensure_writable(recipe_.history_file()); });
    check_report(options_.report);
  }
  [[noreturn]] void refuse_without_loss() const {
    if (!recipe_.model_file().empty())
      throw InvalidArgument(fmt::format("\"{}\" has no loss to train with.", recipe_.model_file()),
                            "it was saved without compile; give --loss and --optimizer.");
    throw InvalidArgument("\"compile\" is missing: a model needs a loss to be trained.",
                          "add [compile] with optimizer, loss and metrics.");
  }

  void add_callbacks(FitArgs& args, const CallbackRef& checkpoint) {
    if (!recipe_.output_folder().empty()) {
      folder_.emplace(recipe_.output_folder());
      recorder_ =
          std::make_shared<RunRecorder>(*folder_, recipe_.monitor(), recipe_.to_toml(), files_);
      args.callbacks.push_back(recorder_);
    }
    if (folder_ || !options_.report.empty()) {
      keeper_ = std::make_shared<RecordKeeper>(
          folder_ ? folder_->record_file() : record_beside(options_.report), files_,
          [this](const ledger::RunFacts& facts) { return record(facts); });
      args.callbacks.push_back(keeper_);
    }
    if (!recipe_.save_file().empty()) args.callbacks.push_back(last_finite_);
    if (checkpoint) args.callbacks.push_back(checkpoint);
    args.callbacks.insert(args.callbacks.end(), options_.callbacks.begin(),
                          options_.callbacks.end());
    args.verbose = std::min(args.verbose, options_.verbose);
    args.profile = options_.profile;
  }

  // Before hours of training, not after.
  void say_what_is_saved(const FitArgs& args) const {
    if (folder_ || !recipe_.save_file().empty()) return;
    say(args.verbose > 0 ? stdout : stderr,
        "nothing will be saved: give --save FILE or --out FOLDER to keep what is trained.\n");
    std::fflush(stdout);
  }

  void fit(FitArgs& args) {
    const Config* const table = recipe_.config().find("fit");
    const Config* const callbacks = table ? table->find("callbacks") : nullptr;
    check_callbacks_together(callbacks ? *callbacks : Config());
    const ValidationData data = recipe_.load_data("train", model_.get());
    check_samples(source_, *model_, "train", data.x);
    if (recipe_.has_data("validation")) {
      args.validation_data = recipe_.load_data("validation", model_.get());
      check_samples(source_, *model_, "validation", args.validation_data.x);
    }
    args.sample_weight = data.sample_weight;
    if (recipe_.model_file().empty())  // a file contains the state of adapted layers
      adapt_layers(*model_, data, args.validation_split);
    model_->impl().fits.places = places_in_recipe();
    result_.history = fit_while_finite(*model_, data, args);
    result_.account = model_->account();
    result_.account_data = model_->account_data();
    result_.samples_per_second = model_->impl().fits.last.samples_per_second;
    result_.resumed = model_->impl().fits.last.resumed;
    result_.finite = loss_is_finite() && weights_are_finite(*model_);
    if (recorder_) {
      result_.folder = folder_->path();
      if (recorder_->has_trained() || keeper_->has_written()) keeper_->finish();
      result_.files = files_->names();
      result_.unsaved = recorder_->why_unsaved();
      if (!result_.finite) result_.kept_epoch = recorder_->last_saved();
    }
  }
  bool loss_is_finite() const {
    if (!result_.history.contains("loss")) return true;
    for (const double loss : result_.history["loss"])
      if (!std::isfinite(loss)) return false;
    return true;
  }
  void save() {
    save_model();
    if (!recipe_.history_file().empty() && is_main_process())
      save_json(recipe_.history_file(), to_config(result_.history));
  }
  void save_model() {
    const std::string path = recipe_.save_file();
    if (path.empty()) return;
    if (!result_.finite) {
      result_.kept_epoch = last_finite_->epoch();
      if (result_.kept_epoch == 0) return;
      last_finite_->restore();
    }
    if (holds_weights(path))
      model_->save_weights(path);
    else
      model_->save(path);
    result_.saved = path;
  }

  // The model's record, with the recipe's settings.
  RunRecord record(const ledger::RunFacts& facts) {
    RunRecord run = record_of(*model_, facts);
    run.name = std::filesystem::path(recipe_.path()).stem().string();
    for (const auto& [key, value] : recipe_.config().as_map())
      if (key != "model" && key != "compile" && key != "fit") flatten(value, key, run.settings);
    run.environment.emplace_back("recipe", recipe_.path());
    return run;
  }
  void save_report() {
    if (options_.report.empty()) return;
    const RunRecord run = record(model_->impl().fits.last.times);
    save_run(record_beside(options_.report), run);
    save_page(options_.report, run);
    result_.report = options_.report;
  }

  void evaluate() {
    if (!recipe_.has_data("test")) return;
    const ValidationData test = recipe_.load_data("test", model_.get());
    const EvaluateArgs args{.batch_size = model_->impl().fits.last.batch_size,
                            .verbose = 0,
                            .sample_weight = test.sample_weight};
    result_.test = test.dataset ? model_->evaluate(*test.dataset, {.verbose = 0})
                                : model_->evaluate(test.x, test.y, args);
  }

  const Recipe& recipe_;
  const RecipeSource& source_;
  const TrainingOptions& options_;
  std::unique_ptr<Model> model_;
  std::optional<RunFolder> folder_;
  const std::shared_ptr<OutputFiles> files_ = std::make_shared<OutputFiles>();  // but the results
  std::shared_ptr<RunRecorder> recorder_;
  std::shared_ptr<RecordKeeper> keeper_;
  std::shared_ptr<LastFinite> last_finite_ = std::make_shared<LastFinite>();
  TrainingResult result_;
};

}  // namespace
}  // namespace nn

TrainingResult train(const Recipe& recipe, const TrainingOptions& options) {
  return nn::Training(recipe, *recipe.source_, options).run();
}

}  // namespace stoker
