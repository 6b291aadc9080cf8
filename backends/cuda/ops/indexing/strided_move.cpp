#include "ops/indexing/strided_move.h"

#include <algorithm>

#include "core/round_up.h"
#include "ops/layout_text.h"

namespace stoker::cuda {
namespace {

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

// Generates `index_t name(index_t i)`: the offset of element i of the box in a layout.
void add_offset(KernelSource& source, const char* name, const std::vector<MoveAxis>& axes,
                int64_t MoveAxis::*stride) {
  std::vector<int64_t> dims, strides;
  for (const MoveAxis& axis : axes) {
    dims.push_back(axis.size);
    strides.push_back(axis.*stride);
  }
  source.offset(name, dims, strides);
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
  KernelSource source("indexing/move_elements.cuh");
  source.type("index_t", index_name(extent(axes_)))
      .type("unit_t", unit_name(element_bytes_))
      .type("wide_t", unit_name(element_bytes_ * width_))
      .constant("width", width_);
  add_offset(source, "from_at", axes_, &MoveAxis::from);
  add_offset(source, "to_at", axes_, &MoveAxis::to);
  function_ = make_function(source, "move");
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
  const int64_t x_tiles = ceil_div(x.size, 32);
  tiles_ = x_tiles * ceil_div(y.size, 32);
  KernelSource source("indexing/move_tiles.cuh");
  source.type("index_t", index_name(extent(axes_)))
      .type("unit_t", unit_name(element_bytes_))
      .constant("x_tiles", x_tiles)
      .constant("x_size", x.size)
      .constant("y_size", y.size)
      .constant("y_from", y.from)
      .constant("x_to", x.to);
  add_offset(source, "from_outer", outer, &MoveAxis::from);
  add_offset(source, "to_outer", outer, &MoveAxis::to);
  function_ = make_function(source, "move");
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
