#include "ops/indexing/strided_move.h"

#include <algorithm>

#include "ops/layout_text.h"

namespace stoker::cuda {
namespace {

const char* const elements_text = R"cuda(
template <class U, int n> __device__ __forceinline__ void move_unit(const U* from, U* to, {index} i) {{
  const {index} e = i * n;
  to[({to_at}) / n] = from[({from_at}) / n];
}}
extern "C" __global__ void __launch_bounds__(256)
move(const char* from, char* to, int64_t items, int whole) {{
  const {index} i = {index}(blockIdx.x) * 256 + {index}(threadIdx.x);
  if (i >= {index}(items)) return;
  if (whole)
    move_unit<{wide}, {width}>(reinterpret_cast<const {wide}*>(from), reinterpret_cast<{wide}*>(to), i);
  else
    move_unit<{unit}, 1>(reinterpret_cast<const {unit}*>(from), reinterpret_cast<{unit}*>(to), i);
}}
)cuda";

// Tiles of 32 by 32 go through shared memory, so that both sides see whole rows. x is the axis
// along which `from` lies, y that of `to`.
const char* const tiles_text = R"cuda(
extern "C" __global__ void __launch_bounds__(256)
move(const {unit}* from, {unit}* to, int64_t outers) {{
  __shared__ {unit} tile[32][33];
  const int tx = threadIdx.x % 32, ty = threadIdx.x / 32;
  const {index} x0 = {index}(blockIdx.x % {x_tiles}) * 32, y0 = {index}(blockIdx.x / {x_tiles}) * 32;
  for ({index} o = blockIdx.y; o < {index}(outers); o += gridDim.y) {{
    const {unit}* source = from + ({from_outer});
    {unit}* target = to + ({to_outer});
    for (int k = ty; k < 32; k += 8)
      if (x0 + tx < {x_size} && y0 + k < {y_size}) tile[k][tx] = source[x0 + tx + (y0 + k) * {y_from}];
    __syncthreads();
    for (int k = ty; k < 32; k += 8)
      if (y0 + tx < {y_size} && x0 + k < {x_size}) target[y0 + tx + (x0 + k) * {x_to}] = tile[tx][k];
    __syncthreads();
  }}
}}
)cuda";

const char* unit_name(int64_t bytes) {
  switch (bytes) {
    case 1:
      return "uint8_t";
    case 2:
      return "uint16_t";
    case 4:
      return "uint32_t";
    case 8:
      return "uint64_t";
    default:
      return "int4";
  }
}

std::string offset_of(const std::vector<MoveAxis>& axes, const char* index,
                      int64_t MoveAxis::*stride) {
  std::vector<int64_t> dims, strides;
  for (const MoveAxis& axis : axes) {
    dims.push_back(axis.size);
    strides.push_back(axis.*stride);
  }
  return offset_text(index, dims, strides);
}

int64_t extent(const std::vector<MoveAxis>& axes) {
  int64_t from = 1, to = 1;
  for (const MoveAxis& axis : axes) {
    from += (axis.size - 1) * axis.from;
    to += (axis.size - 1) * axis.to;
  }
  return std::max(from, to);
}

}  // namespace

std::vector<MoveAxis> merged(const std::vector<MoveAxis>& axes) {
  std::vector<MoveAxis> out;
  for (const MoveAxis& axis : axes) {
    if (axis.size == 1) continue;
    const bool joins = !out.empty() && out.back().from == axis.from * axis.size &&
                       out.back().to == axis.to * axis.size;
    if (joins)
      out.back() = {out.back().size * axis.size, axis.from, axis.to};
    else
      out.push_back(axis);
  }
  return out;
}

StridedMove::StridedMove(DType dtype, std::vector<MoveAxis> axes, int64_t from_offset,
                         int64_t to_offset)
    : axes_(merged(axes)),
      element_bytes_(static_cast<int64_t>(size_of(dtype))),
      from_bytes_(from_offset * element_bytes_),
      to_bytes_(to_offset * element_bytes_) {
  for (const MoveAxis& axis : axes) size_ *= axis.size;
  if (size_ == 0) return;
  is_transposed() ? plan_tiles() : plan_elements();
}

bool StridedMove::is_transposed() const {
  const auto along = [&](int64_t MoveAxis::*stride) {
    return std::find_if(axes_.begin(), axes_.end(),
                        [&](const MoveAxis& axis) { return axis.*stride == 1; });
  };
  const auto from = along(&MoveAxis::from), to = along(&MoveAxis::to);
  return from != axes_.end() && to != axes_.end() && from != to && from->size >= 8 && to->size >= 8;
}

void StridedMove::plan_elements() {
  if (!axes_.empty() && axes_.back().from == 1 && axes_.back().to == 1) {
    width_ = 16 / element_bytes_;
    const auto fits = [&](const MoveAxis& axis) {
      return axis.from % width_ == 0 && axis.to % width_ == 0;
    };
    if (axes_.back().size % width_ != 0 || !std::all_of(axes_.begin(), axes_.end() - 1, fits))
      width_ = 1;
  }
  function_ = make_function(
      fmt::format(fmt::runtime(elements_text), fmt::arg("index", index_name(extent(axes_))),
                  fmt::arg("from_at", offset_of(axes_, "e", &MoveAxis::from)),
                  fmt::arg("to_at", offset_of(axes_, "e", &MoveAxis::to)),
                  fmt::arg("unit", unit_name(element_bytes_)), fmt::arg("width", width_),
                  fmt::arg("wide", unit_name(element_bytes_ * width_))),
      "move");
}

void StridedMove::plan_tiles() {
  std::vector<MoveAxis> outer;
  MoveAxis x{}, y{};
  for (const MoveAxis& axis : axes_) {
    if (axis.from == 1)
      x = axis;
    else if (axis.to == 1)
      y = axis;
    else
      outer.push_back(axis);
  }
  for (const MoveAxis& axis : outer) outer_count_ *= axis.size;
  const int64_t x_tiles = (x.size + 31) / 32;
  tiles_ = x_tiles * ((y.size + 31) / 32);
  function_ = make_function(
      fmt::format(fmt::runtime(tiles_text), fmt::arg("unit", unit_name(element_bytes_)),
                  fmt::arg("index", index_name(extent(axes_))), fmt::arg("x_tiles", x_tiles),
                  fmt::arg("from_outer", offset_of(outer, "o", &MoveAxis::from)),
                  fmt::arg("to_outer", offset_of(outer, "o", &MoveAxis::to)),
                  fmt::arg("x_size", x.size), fmt::arg("y_size", y.size),
                  fmt::arg("y_from", y.from), fmt::arg("x_to", x.to)),
      "move");
}

std::vector<std::shared_ptr<Function>> StridedMove::functions() const {
  if (!function_) return {};
  return {function_};
}

void StridedMove::encode(Encoder& encoder, const void* from, void* to) const {
  if (!function_) return;
  const char* source = static_cast<const char*>(from) + from_bytes_;
  char* target = static_cast<char*>(to) + to_bytes_;
  if (tiles_ > 0) {
    constexpr int64_t most_blocks_y = 65535;
    const LaunchShape shape{
        .blocks = static_cast<unsigned int>(tiles_),
        .blocks_y = static_cast<unsigned int>(std::min(outer_count_, most_blocks_y))};
    return encoder.launch(*function_, shape, source, target, outer_count_);
  }
  const int64_t bytes = element_bytes_ * width_;
  const bool whole = width_ > 1 && is_aligned(source, bytes) && is_aligned(target, bytes);
  const int64_t items = whole ? size_ / width_ : size_;
  encoder.launch(*function_, {.blocks = blocks_for(items)}, source, target, items,
                 static_cast<int>(whole));
}

}  // namespace stoker::cuda
