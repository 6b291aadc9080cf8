#pragma once
#include <functional>

#include "ops/support.h"

namespace stoker::cuda {

// An axis of a box of elements that is copied from one layout to another.
struct MoveAxis {
  int64_t size, from, to;  // strides in both layouts, in elements
};

// Moves a box; offsets are in elements, from the pointers given to encode().
class StridedMove {
 public:
  StridedMove(DType dtype, std::vector<MoveAxis> axes, int64_t from_offset = 0,
              int64_t to_offset = 0);
  std::vector<std::shared_ptr<Function>> functions() const;
  void encode(Encoder& encoder, const void* from, void* to) const;

 private:
  bool is_transposed() const;  // contiguous in neither layout's rows
  void plan_elements();
  void plan_tiles();

  std::vector<MoveAxis> axes_;
  int64_t element_bytes_, from_bytes_, to_bytes_, size_ = 1;
  int64_t width_ = 1;  // elements per access, if the pointers are aligned
  int64_t tiles_ = 0;  // of a transpose; 0: copied element by element
  int64_t outer_count_ = 1;
  std::shared_ptr<Function> function_;
};

std::vector<MoveAxis> merged(const std::vector<MoveAxis>& axes);

}  // namespace stoker::cuda
