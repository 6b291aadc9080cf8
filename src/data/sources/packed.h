#pragma once
#include <functional>
#include <string>

#include "data/stage.h"
#include "io/packed/packed_file.h"

namespace stoker::data {

// Called after every element with their number so far.
using PackProgress = std::function<void(int64_t)>;
// Writes all elements of a stage to a packed file, atomically. Returns their number.
int64_t write_packed(const Stage& stage, const Opening& opening, const std::string& path,
                     const Config& notes, const PackProgress& progress = {});

// The elements of a packed file by index.
class PackedElements : public Indexed {
 public:
  explicit PackedElements(const std::string& path) : file_(map_file(path)) {}
  int64_t size() const override { return file_.size(); }
  Element at(int64_t i) const override { return file_.at(i); }
  const PackedFile& file() const { return file_; }

 private:
  PackedFile file_;
};

}  // namespace stoker::data
