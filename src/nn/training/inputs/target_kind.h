#pragma once
#include "stoker/shape.h"

namespace stoker::nn {

enum class TargetKind { binary, sparse, categorical };

// Keras's choice for a generic "accuracy" or "crossentropy" by the shapes' last axes.
inline TargetKind target_kind(const Shape& y_true, const Shape& y_pred) {
  if (y_pred.rank() > 0 && y_pred.back() == 1) return TargetKind::binary;
  const bool one_label = y_true.rank() > 0 && y_true.back() == 1;
  const bool sparse = y_true.rank() < y_pred.rank() || one_label;
  return sparse ? TargetKind::sparse : TargetKind::categorical;
}

}  // namespace stoker::nn
