#pragma once
#include "data/stage.h"

namespace stoker::data {

// Row i of every array is element i.
class RowsOf : public Indexed {
 public:
  explicit RowsOf(Element arrays) : arrays_(std::move(arrays)) {}
  int64_t size() const override { return arrays_.arrays()[0].length(); }
  Element at(int64_t i) const override;
  const Element* rows() const override { return &arrays_; }

 private:
  Element arrays_;
};

}  // namespace stoker::data
