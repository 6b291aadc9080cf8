#pragma once
#include <functional>
#include <optional>

#include "data/stage.h"

namespace stoker::data {

// The records of several files, one after the other, with a reader for each.
template <class Reader, class Record>
class RecordsOfFiles {
 public:
  using Open = std::function<Reader(const std::string& path)>;
  // The stage and the names must outlive it.
  RecordsOfFiles(const Stage& stage, const std::vector<std::string>& files, Open open)
      : stage_(stage), files_(files), open_(std::move(open)) {}

  // The record is valid until the next call. After an error the next call returns the next record.
  bool next(Record& record) {
    while (have_reader()) {
      if (at([&] { return reader_->next(record); })) {
        ++number_;
        return true;
      }
      reader_.reset();
    }
    return false;
  }
  int64_t skip(int64_t count) {
    int64_t done = 0;
    while (done < count && have_reader()) {
      const auto here = static_cast<int64_t>(
          at([&] { return reader_->skip(static_cast<uint64_t>(count - done)); }));
      done += here;
      number_ += here;
      if (done < count) reader_.reset();
    }
    return done;
  }
  // Runs something with the last record; errors name the record and its file.
  template <class Run>
  auto with_last(Run run) const {
    return at_element(stage_, number_ - 1, [&] {
      try {
        return run();
      } catch (Error& error) {
        error.add_where(files_[file_ - 1]);
        throw;
      }
    });
  }
  // Makes an element of the next record: that is the stage's work.
  template <class Run>
  bool making_one(Run run) const {
    const int64_t stands_for = stage_.meter().count();
    if (stands_for == 0) return run();
    const Timed timed(stage_.meter(), 1, stands_for);
    return run();
  }
  // The same for rows; `run` returns how many there are.
  template <class Run>
  bool making_rows(Run run) const {
    const Timed timed(stage_.meter(), 0);
    const int64_t rows = run();
    for (int64_t i = 0; i < rows; ++i) stage_.meter().add_element();
    return rows > 0;
  }
  // For the last record.
  void add_origins(std::vector<SampleOrigin>& to) const {
    to.push_back({.source = stage_.where(), .number = number_ - 1, .file = files_[file_ - 1]});
  }

 private:
  template <class Run>
  auto at(Run run) const {
    return at_element(stage_, number_, run);
  }
  bool have_reader() {
    if (reader_) return true;
    if (file_ == files_.size()) return false;
    at([&] { reader_.emplace(open_(files_[file_++])); });
    return true;
  }

  const Stage& stage_;
  const std::vector<std::string>& files_;
  Open open_;
  std::optional<Reader> reader_;
  size_t file_ = 0;     // index of the next file
  int64_t number_ = 0;  // of the next record, over all files
};

// Throws IoError unless there are files and all of them exist.
void check_files(const std::vector<std::string>& files, const char* doing);

// How several files are read.
struct ReadOrder {
  // more: so many files are read ahead, one thread each, and interleaved
  int64_t num_parallel_reads = 1;
  bool shuffle = false;  // the files
  std::optional<uint64_t> seed = {};
};
// `some` creates the dataset of consecutive files.
Dataset read_files(const std::vector<std::string>& files, const ReadOrder& order,
                   const std::function<Dataset(const std::vector<std::string>&)>& some,
                   const std::source_location& created);

}  // namespace stoker::data
