#pragma once
#include <functional>
#include <memory>
#include <string>

#include "ledger/run_facts.h"
#include "nn/callbacks/callback_name.h"
#include "recipe/output_files.h"
#include "stoker/callback.h"
#include "stoker/run_record.h"

namespace stoker::nn {

// Keeps the record of a running fit, with its account, in a file: if the program is killed at
// any moment, at most the last second is missing. A record that an earlier run has left there is
// replaced when training begins; else the first one is written after a second.
class RecordKeeper : public Callback, public OfTheProgram {
 public:
  using MakeRecord = std::function<RunRecord(const ledger::RunFacts&)>;
  RecordKeeper(std::string path, std::shared_ptr<OutputFiles> files, MakeRecord make)
      : path_(std::move(path)), files_(std::move(files)), make_(std::move(make)) {}
  void on_train_begin(const Logs&) override;
  bool has_written() const { return files_->has_written(path_); }
  void finish();  // after fit: writes the complete record

 private:
  std::string path_;
  std::shared_ptr<OutputFiles> files_;
  MakeRecord make_;
};

}  // namespace stoker::nn
