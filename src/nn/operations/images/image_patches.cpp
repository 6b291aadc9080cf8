#include "nn/operations/axis_helpers.h"
#include "nn/operations/images/on_images.h"
#include "stoker/ops/conv.h"

// im2col: extracts windows of images, each as the channels of one pixel.
namespace stoker::nn {

struct PatchArgs : FormatArgs {
  Config size = {}, strides = {}, dilation_rate = 1;
  std::string padding = "valid";
};
template <class V>
void visit(PatchArgs& a, V& v) {
  v("size", a.size, required);
  v("strides", a.strides);
  v("dilation_rate", a.dilation_rate);
  v("padding", a.padding);
  v("data_format", a.data_format);
}

namespace {

using Results = std::vector<Tensor>;

std::vector<int64_t> pair_of(const Config& given, const std::vector<int64_t>& otherwise) {
  auto pair = given.is_null() ? otherwise : integers(given);
  if (pair.size() == 1) pair.push_back(pair[0]);
  if (pair.size() != 2) throw Unsupported("patches of volumes are not supported.");
  return pair;
}

// The pixels of each window become channels, one window position after the other.
Results extract_patches(const PatchArgs& a, const OperationCall& call) {
  const auto size = pair_of(a.size, {}), strides = pair_of(a.strides, size),
             dilation = pair_of(a.dilation_rate, {1, 1});
  return on_images(a, call, [&](Tensor x) {
    std::vector<int64_t> before(4, 0), after(4, 0), count(2, 0);
    for (size_t i = 0; i < 2; ++i) {
      const int axis = static_cast<int>(i) + 1;
      if (a.padding == "same") {
        const auto pair = ops::same_padding(x.shape()[axis], size[i], strides[i], dilation[i]);
        before[i + 1] = pair[0], after[i + 1] = pair[1];
      }
      const int64_t span = (size[i] - 1) * dilation[i] + 1;
      count[i] = (x.shape()[axis] + before[i + 1] + after[i + 1] - span) / strides[i] + 1;
    }
    x = ops::pad(x, before, after);
    const auto lines = [&](const Tensor& from, size_t i, int64_t offset) {
      std::vector<int64_t> places;
      for (int64_t n = 0; n < count[i]; ++n)
        places.push_back(n * strides[i] + offset * dilation[i]);
      return picked(from, static_cast<int>(i) + 1, places);
    };
    Results parts;
    for (int64_t row = 0; row < size[0]; ++row) {
      const Tensor rows = lines(x, 0, row);
      for (int64_t column = 0; column < size[1]; ++column) parts.push_back(lines(rows, 1, column));
    }
    return ops::concatenate(parts, -1);
  });
}

const RegisterOperation<PatchArgs> patches{"image", "ExtractPatches", extract_patches};

}  // namespace
}  // namespace stoker::nn
