#pragma once
#include "data/stage.h"

namespace stoker::data {

struct Grouping {
  std::function<int64_t(const Element&)> key;
  std::function<int64_t(int64_t key)> size;  // of a window of this key
  std::function<Dataset(int64_t key, const Dataset& window)> reduce;
  int64_t batch_rows = 0;  // see Stage::batch_rows
};

class GroupByWindow : public Stage {
 public:
  GroupByWindow(StageRef before, Grouping grouping, const char* name,
                const std::source_location& created);
  int64_t cardinality() const override {
    const int64_t elements = before_->cardinality();
    return elements == 0 || elements == INFINITE_CARDINALITY ? elements : UNKNOWN_CARDINALITY;
  }
  int64_t batch_rows() const override { return grouping_.batch_rows; }
  std::vector<const Stage*> inputs() const override { return {before_.get()}; }
  std::unique_ptr<Cursor> open(const Opening& opening) const override;

  // The user's functions, for the element or window of this index.
  int64_t key_of(const Element& element, int64_t number) const;
  int64_t size_of(int64_t key, int64_t number) const;
  Dataset reduced(int64_t key, std::vector<Element> elements, int64_t number) const;

 private:
  StageRef before_;
  Grouping grouping_;
  mutable OneAtATime turns_;  // several threads may read
};

}  // namespace stoker::data
