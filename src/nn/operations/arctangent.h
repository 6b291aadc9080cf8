#pragma once
#include "stoker/tensor.h"

namespace stoker::nn {

Tensor arctan2(const Tensor& y, const Tensor& x);

}  // namespace stoker::nn
