#pragma once
#include <string>
#include <vector>

namespace stoker::nn {

// A layer whose only argument can be a dict of tensors: {"images": …, "labels": …}.
struct DictInput {
  virtual ~DictInput() = default;
  // The keys in sorted order, which is the order of its inputs. "boxes/labels" is {"boxes":
  // {"labels": …}}.
  virtual std::vector<std::string> keys() const = 0;
};

}  // namespace stoker::nn
