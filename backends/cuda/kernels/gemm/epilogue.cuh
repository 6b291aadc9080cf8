// The epilogue for V contiguous elements of a row: `rest_of<V>(x, row, column)` reads their
// operands (bias and mask, or an Adam update's states), `finish<V>(x, rest, sums, row, column)`
// applies them to the sums and writes the results.
#pragma once

#if ADAM
#include "gemm/epilogue_adam.cuh"
#else
#include "gemm/epilogue_write.cuh"
#endif
