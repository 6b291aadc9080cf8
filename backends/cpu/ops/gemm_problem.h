#pragma once
#include "device/node_view.h"
#include "kernels/gemm.h"
#include "ops/support.h"

namespace stoker::cpu {

// The product of a node's first two inputs, contiguous row-major matrices or batches of them.
inline GemmProblem gemm_problem(const NodeView& node) {
  GemmProblem p;
  p.trans_a = node.flag("transpose_a");
  p.trans_b = node.flag("transpose_b");
  const Shape &a = node.in[0].shape, &b = node.in[1].shape;
  const int rows = a.rank() - 2, columns = a.rank() - 1;
  p.m = a[p.trans_a ? columns : rows];
  p.k = a[p.trans_a ? rows : columns];
  p.n = b[p.trans_b ? rows : columns];
  p.lda = a[columns];
  p.ldb = b[columns];
  p.ldc = p.n;
  p.sum_shares = sum_shares();
  return p;
}

}  // namespace stoker::cpu
