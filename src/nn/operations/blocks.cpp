#include "nn/operations/images/on_images.h"

// space_to_depth and depth_to_space: blocks of images (batch, height, width, channels) become
// channels, and vice versa.
namespace stoker::nn {

struct BlockArgs : FormatArgs {
  int64_t block_size = 0;
};
template <class V>
void visit(BlockArgs& a, V& v) {
  v("block_size", a.block_size, required);
  visit(static_cast<FormatArgs&>(a), v);
}

namespace {

using Results = std::vector<Tensor>;

Results depth_to_space(const BlockArgs& a, const OperationCall& call) {
  return on_images(a, call, [&](const Tensor& x) {
    const Shape& s = x.shape();
    const int64_t b = a.block_size, depth = s[3] / (b * b);
    const Tensor blocks = ops::reshape(x, {s[0], s[1], s[2], b, b, depth});
    const Tensor transposed = ops::transpose(blocks, {0, 1, 3, 2, 4, 5});
    return ops::reshape(transposed, {s[0], s[1] * b, s[2] * b, depth});
  });
}
Results space_to_depth(const BlockArgs& a, const OperationCall& call) {
  return on_images(a, call, [&](const Tensor& x) {
    const Shape& s = x.shape();
    const int64_t b = a.block_size, rows = s[1] / b, columns = s[2] / b;
    const Tensor blocks = ops::reshape(x, {s[0], rows, b, columns, b, s[3]});
    const Tensor transposed = ops::transpose(blocks, {0, 1, 3, 2, 4, 5});
    return ops::reshape(transposed, {s[0], rows, columns, b * b * s[3]});
  });
}

const RegisterOperation<BlockArgs> depths{"nn", "DepthToSpace", depth_to_space};
const RegisterOperation<BlockArgs> spaces{"nn", "SpaceToDepth", space_to_depth};

}  // namespace
}  // namespace stoker::nn
