#pragma once
#include "data/stage.h"

namespace stoker::data {

// Row i of every array.
Element row_of(const Element& arrays, int64_t i);

// Row i of every array is element i.
class RowsOf : public Indexed {
 public:
  // `of_files`: the first array contains file names.
  explicit RowsOf(Element arrays, bool of_files = false)
      : arrays_(std::move(arrays)), of_files_(of_files) {}
  int64_t size() const override { return arrays_.arrays()[0].length(); }
  Element at(int64_t i) const override { return row_of(arrays_, i); }
  const Element* rows() const override { return &arrays_; }
  bool of_files() const { return of_files_; }
  std::string file_of(int64_t i) const override {
    return of_files_ ? std::string(arrays_.arrays()[0].text(i)) : std::string();
  }

 private:
  Element arrays_;
  bool of_files_;
};

// from_tensor_slices for arrays whose first one contains file names.
Dataset slices_of_files(const Element& arrays, const std::source_location& created);

}  // namespace stoker::data
