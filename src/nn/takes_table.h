#pragma once
#include <string>
#include <vector>

namespace stoker::nn {

// A layer whose one argument can be a table of tensors: {"images": …, "labels": …}.
struct TakesTable {
  virtual ~TakesTable() = default;
  // Sorted: the order of its inputs. "boxes/labels" is {"boxes": {"labels": …}}.
  virtual std::vector<std::string> keys() const = 0;
};

}  // namespace stoker::nn
