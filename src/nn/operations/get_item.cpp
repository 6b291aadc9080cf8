#include "nn/config/array_config.h"
#include "nn/operations/axis_helpers.h"
#include "nn/operations/operation.h"
#include "nn/saving/call_arguments.h"
#include "stoker/ops/shape_ops.h"

// x[…]: integers, slices, an ellipsis and None, as in `x[:, 1:3, ..., None]`.
namespace stoker::nn {
namespace {

bool is_class(const Config& item, const char* name) {
  const Config* class_name = item.find("class_name");
  return class_name && class_name->is_string() && class_name->as_string() == name;
}

// Applies the key's items to the axes of x one after the other.
class Indexer {
 public:
  explicit Indexer(const Tensor& x) : x_(x) {}

  void apply(const Config& item, int axes_after) {
    if (item.is_null())
      x_ = ops::expand_dims(x_, axis_++);
    else if (is_class(item, "__ellipsis__"))
      axis_ = x_.shape().rank() - axes_after;
    else if (is_class(item, "__slice__"))
      take_slice(*item.find("config"));
    else if (item.is_int())
      take_one(item.as_int());
    else
      throw Unsupported(fmt::format("indexing with {} is not supported.", item.to_string()),
                        "numbers, slices, ... and None are.");
  }
  const Tensor& result() const { return x_; }

 private:
  int64_t size() const {
    if (axis_ >= x_.shape().rank())
      throw InvalidArgument(fmt::format("too many indices for {}.", to_string(x_.shape())));
    return x_.shape()[axis_];
  }
  void take_one(int64_t index) {
    const int64_t at = index < 0 ? index + size() : index;
    if (at < 0 || at >= size())
      throw InvalidArgument(
          fmt::format("index {} is outside axis {} of {}.", index, axis_, to_string(x_.shape())));
    std::vector<int64_t> dims = x_.shape().dims();
    dims.erase(dims.begin() + axis_);
    x_ = ops::reshape(part(x_, axis_, at, 1), Shape(std::move(dims)));
  }
  static int64_t bound(const Config* given, int64_t otherwise, int64_t low, int64_t high,
                       int64_t size) {
    if (!given || given->is_null()) return otherwise;
    const int64_t at = given->as_int() < 0 ? given->as_int() + size : given->as_int();
    return std::clamp<int64_t>(at, low, high);
  }
  // Python's slices: with a negative step they start at the last element and may end before the
  // first.
  void take_slice(const Config& slice) {
    const Config* given = slice.find("step");
    const int64_t n = size(), step = given && !given->is_null() ? given->as_int() : 1;
    if (step == 0) throw InvalidArgument("a slice cannot have a step of 0.");
    const int64_t low = step > 0 ? 0 : -1, high = step > 0 ? n : n - 1;
    const int64_t start = bound(slice.find("start"), step > 0 ? 0 : n - 1, low, high, n),
                  stop = bound(slice.find("stop"), step > 0 ? n : -1, low, high, n);
    std::vector<int64_t> places;
    for (int64_t at = start; step > 0 ? at < stop : at > stop; at += step) places.push_back(at);
    if (places.empty())
      throw InvalidArgument(
          fmt::format("the slice {} of {} is empty.", slice.to_string(), to_string(x_.shape())));
    if (step != 1)
      x_ = picked(x_, axis_, places);
    else if (start > 0 || stop < n)
      x_ = part(x_, axis_, start, stop - start);
    ++axis_;
  }

  Tensor x_;
  int axis_ = 0;
};

// How many axes the items from `first` on consume.
int axes_taken(const Config::List& items, size_t first) {
  int count = 0;
  for (size_t i = first; i < items.size(); ++i) count += !items[i].is_null();
  return count;
}

std::vector<Tensor> get_item(const NoArgs&, const OperationCall& call) {
  const Config& key = call.value(1);
  const Config::List items = key.is_list() ? key.as_list() : Config::List{key};
  Indexer indexer(call.tensor(0));
  for (size_t i = 0; i < items.size(); ++i) indexer.apply(items[i], axes_taken(items, i + 1));
  return {indexer.result()};
}

const RegisterOperation<> registered{"numpy", "GetItem", get_item};

}  // namespace
}  // namespace stoker::nn
