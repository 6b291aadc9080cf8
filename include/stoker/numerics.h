#pragma once

namespace stoker {

// Whether products and convolutions of float32 may use the tensor cores' 10-bit mantissas; they do
// at first. Steps that exist already are planned anew.
void enable_tensor_float_32_execution(bool enabled);
bool tensor_float_32_execution_enabled();

// From now on two runs from the same seed give the same bits on the same device, at some cost of
// speed on a GPU. On the CPU they always do.
void enable_op_determinism(bool enabled = true);
bool op_determinism_enabled();

}  // namespace stoker
