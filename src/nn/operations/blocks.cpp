#include "nn/operations/operation.h"
#include "stoker/ops/shape_ops.h"

// Images (batch, height, width, channels) are taken apart into blocks, which become channels, or
// put together of them.
namespace stoker::nn {

struct BlockArgs {
  int64_t block_size = 0;
  std::string data_format = "channels_last";
};
template <class V>
void visit(BlockArgs& a, V& v) {
  v("block_size", a.block_size, required);
  v("data_format", a.data_format);
}

namespace {

using Results = std::vector<Tensor>;

Tensor in_last_format(const Tensor& x, const std::string& format, bool back) {
  if (format != "channels_first") return x;
  return ops::transpose(x,
                        back ? std::vector<int64_t>{0, 3, 1, 2} : std::vector<int64_t>{0, 2, 3, 1});
}
Results depth_to_space(const BlockArgs& a, const OperationCall& call) {
  const Tensor x = in_last_format(call.tensor(0), a.data_format, false);
  const Shape& s = x.shape();
  const int64_t b = a.block_size, depth = s[3] / (b * b);
  const Tensor blocks = ops::reshape(x, {s[0], s[1], s[2], b, b, depth});
  const Tensor turned = ops::transpose(blocks, {0, 1, 3, 2, 4, 5});
  return {
      in_last_format(ops::reshape(turned, {s[0], s[1] * b, s[2] * b, depth}), a.data_format, true)};
}
Results space_to_depth(const BlockArgs& a, const OperationCall& call) {
  const Tensor x = in_last_format(call.tensor(0), a.data_format, false);
  const Shape& s = x.shape();
  const int64_t b = a.block_size, rows = s[1] / b, columns = s[2] / b;
  const Tensor blocks = ops::reshape(x, {s[0], rows, b, columns, b, s[3]});
  const Tensor turned = ops::transpose(blocks, {0, 1, 3, 2, 4, 5});
  return {in_last_format(ops::reshape(turned, {s[0], rows, columns, b * b * s[3]}), a.data_format,
                         true)};
}

const RegisterOperation<BlockArgs> depths{"nn", "DepthToSpace", depth_to_space};
const RegisterOperation<BlockArgs> spaces{"nn", "SpaceToDepth", space_to_depth};

}  // namespace
}  // namespace stoker::nn
