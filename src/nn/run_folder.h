#pragma once
#include <string>
#include <vector>

#include "nn/callbacks/monitor.h"
#include "stoker/callback.h"
#include "stoker/callbacks/resumable.h"

namespace stoker::nn {

// A training's output folder. If nothing comes of the training, a folder made for it goes again.
class RunFolder {
 public:
  explicit RunFolder(const std::string& path);  // throws unless files can be written there
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  std::vector<std::string> made_;  // innermost first
};

// After every epoch: the weights (the best so far, and the last), the history and a log.
class RunRecorder : public Callback, public callbacks::Resumable {
 public:
  RunRecorder(const RunFolder& folder, std::string monitor, std::string recipe);
  void on_epoch_end(int64_t epoch, Logs& logs) override;
  void on_train_end(const Logs&) override;
  std::string kind() const override { return "RunRecorder"; }
  callbacks::CallbackState state() const override;
  void resume(const callbacks::CallbackState& state) override;
  const std::vector<std::string>& files() const { return files_; }

 private:
  bool is_best(const Logs& logs);
  void write(const std::string& name, const std::string& text);
  void add_file(const std::string& name);
  std::vector<std::string> metrics() const;
  std::string history() const;  // JSON, as Keras's History has it
  std::string log() const;      // CSV

  const RunFolder& folder_;
  Monitor monitor_;
  std::string recipe_;
  bool any_saved_ = false;
  std::optional<double> best_;
  std::vector<std::pair<int64_t, Logs>> epochs_;
  std::vector<std::string> files_;
};

}  // namespace stoker::nn
