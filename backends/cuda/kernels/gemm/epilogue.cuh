// How V neighbours of a row are finished: `rest_of<V>(x, row, column)` reads what belongs to them
// (bias and mask, or an Adam step's states), `finish<V>(x, rest, sums, row, column)` takes their
// sums through it and writes them.
#pragma once

#if ADAM
#include "gemm/epilogue_adam.cuh"
#else
#include "gemm/epilogue_write.cuh"
#endif
