#pragma once
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "exec/state_copies.h"
#include "nn/callbacks/callback_name.h"
#include "nn/callbacks/monitor.h"
#include "recipe/output_files.h"
#include "stoker/callback.h"
#include "stoker/callbacks/resumable.h"

namespace stoker::nn {

// A training's output folder. If the training fails, a folder created for it is removed again.
class RunFolder {
 public:
  explicit RunFolder(const std::string& path);  // throws unless files can be written there
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string record_file() const { return file("run.json"); }

 private:
  std::string path_;
  std::vector<std::string> made_;  // innermost first
};

// One line per epoch. The training thread adds them, the writer thread reads them.
class RunLog {
 public:
  using Row = std::pair<int64_t, Logs>;
  void add(int64_t epoch, const Logs& logs);
  void set(std::vector<Row> rows);
  void interrupt(const PartialEpoch& part);
  std::vector<Row> rows() const;
  int64_t epochs() const;       // of the last row
  std::string history() const;  // JSON, the contents of Keras's History.history
  std::string csv() const;

 private:
  std::vector<std::string> metrics() const;
  mutable std::mutex mutex_;
  std::vector<Row> rows_;
  std::optional<PartialEpoch> interrupted_;
};

// After every epoch writes the weights (best and last), the history and a log. In the background;
// if the disk is too slow, only the newest. Non-finite weights are not written.
class RunRecorder : public Callback, public callbacks::Resumable, public OfTheProgram {
 public:
  RunRecorder(const RunFolder& folder, std::string monitor, std::string recipe,
              std::shared_ptr<OutputFiles> files);
  void on_train_begin(const Logs&) override;
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  void on_interrupt(const PartialEpoch& part) override;
  void on_train_end(const Logs&) override;
  std::string kind() const override { return "RunRecorder"; }
  callbacks::CallbackState state() const override;
  void resume(const callbacks::CallbackState& state) override;
  bool has_trained() const { return epoch_ > 0; }
  int64_t last_saved() const { return *last_saved_; }  // epoch from 1; 0: none
  std::string why_unsaved() const;                     // the last weights; empty: they are on disk

 private:
  bool is_best(const Logs& logs);
  void save_weights(bool best);
  void write_texts();
  void submit(const std::string& name, std::function<void(const std::string& path)> write);

  const RunFolder& folder_;
  Monitor monitor_;
  std::string recipe_;
  std::shared_ptr<OutputFiles> files_;
  bool any_saved_ = false, recipe_written_ = false;
  int64_t epoch_ = 0;  // of the last weights, from 1; 0: none yet
  std::optional<double> best_;
  std::vector<std::string> names_;  // of the weights
  exec::States weights_;
  std::shared_ptr<RunLog> log_ = std::make_shared<RunLog>();
  std::shared_ptr<std::atomic<int64_t>> last_saved_ = std::make_shared<std::atomic<int64_t>>(0);
};

// As JSON: the contents of Keras's History.history, with null for non-finite values, and
// "interrupted" if so.
Config to_config(const History& history);

}  // namespace stoker::nn
