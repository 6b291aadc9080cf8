#pragma once

#include <cstddef>
#include <cstdint>

// Recurrences over a whole sequence, time-major; src/ops/rnn.cpp describes the arrays.
namespace stoker::cpu {

enum class RnnCell { lstm, gru, simple_tanh, simple_relu };

struct RnnSizes {
  int64_t time = 0, batch = 0, units = 0;
};

template <class T>
struct RnnForward : RnnSizes {
  const T *x = nullptr, *kernel = nullptr, *h = nullptr, *c = nullptr, *bias = nullptr;
  const uint8_t* mask = nullptr;
  T *sequence = nullptr, *last_h = nullptr, *last_c = nullptr, *carries = nullptr, *gates = nullptr;
};

template <class T>
struct RnnBackward : RnnSizes {
  const T *gates = nullptr, *kernel = nullptr, *sequence = nullptr, *h = nullptr;
  const T *carries = nullptr, *c = nullptr;
  const uint8_t* mask = nullptr;
  const T *of_sequence = nullptr, *of_last_h = nullptr, *of_last_c = nullptr;
  T *of_x = nullptr, *of_h = nullptr, *of_c = nullptr;
  T* of_inner = nullptr;  // gru: gradient of the recurrent product
};

// The kernel is packed once and stays in the threads' caches; a thread computes its units' gates
// and applies the cell while they are in registers. Workspaces are 64-byte aligned.
size_t rnn_forward_workspace(RnnCell cell, const RnnSizes& sizes);
void rnn_forward(RnnCell cell, const RnnForward<float>& data, void* workspace);
size_t rnn_backward_workspace(RnnCell cell, const RnnSizes& sizes);
void rnn_backward(RnnCell cell, const RnnBackward<float>& data, void* workspace);

}  // namespace stoker::cpu
