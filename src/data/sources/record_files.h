#pragma once
#include <functional>
#include <optional>

#include "data/stage.h"

namespace stoker::data {

// The records of files, file after file, by a reader for each.
template <class Reader, class Record>
class RecordsOfFiles {
 public:
  using Open = std::function<Reader(const std::string& path)>;
  // The stage and the names must outlive it.
  RecordsOfFiles(const Stage& stage, const std::vector<std::string>& files, Open open)
      : stage_(stage), files_(files), open_(std::move(open)) {}

  // The record is valid until the next call. Behind an error the next one follows.
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
  // Runs something with the last record; errors say which one it was.
  template <class Run>
  auto with_last(Run run) const {
    return at_element(stage_, number_ - 1, run);
  }
  // Of the last record.
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
  size_t file_ = 0;     // which is opened next
  int64_t number_ = 0;  // of the next record, in all files
};

// Throws IoError unless there are files and all of them are there.
void check_files(const std::vector<std::string>& files, const char* doing);

// How several files are read.
struct ReadOrder {
  int64_t num_parallel_reads = 1;  // more: so many files, each read ahead by a thread, take turns
  bool shuffle = false;            // the files
  std::optional<uint64_t> seed = {};
  int64_t block = 256;  // records that a thread hands over at once; 1: they differ in shape
};
// `some` makes the dataset of files that follow one another.
Dataset read_files(const std::vector<std::string>& files, const ReadOrder& order,
                   const std::function<Dataset(const std::vector<std::string>&)>& some,
                   const std::source_location& created);

}  // namespace stoker::data
