#pragma once
#include "stoker/config.h"

namespace stoker::nn {

struct ReductionArgs {
  Config axis = {};  // a number, several, or null for all
  bool keepdims = false;
};
template <class V>
void visit(ReductionArgs& a, V& v) {
  v("axis", a.axis);
  v("keepdims", a.keepdims);
}

}  // namespace stoker::nn
