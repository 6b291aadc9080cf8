#pragma once

namespace stoker {

// Allows TF32 tensor cores (10-bit mantissas) for float32 matrix products and convolutions; enabled
// by default. Existing steps are planned again.
void enable_tensor_float_32_execution(bool enabled);
bool tensor_float_32_execution_enabled();

// Makes results bitwise reproducible: two runs with the same seed give the same bits on the same
// device, at some cost of speed on a GPU. On the CPU they always do.
void enable_op_determinism(bool enabled = true);
bool op_determinism_enabled();

}  // namespace stoker
