#pragma once
#include "nn/callback_list.h"
#include "nn/fit_data.h"
#include "nn/progress.h"

namespace stoker::nn {

// Runs the test step over all of the data; what evaluate does, and fit for validation.
struct TestLoop {
  Model& model;
  const Columns& columns;
  data::ArrayFeeder& feeder;  // of these columns
  int64_t steps;              // 0: all
  CallbackList* callbacks = nullptr;
  Progress* progress = nullptr;
  Logs run();
};

// Set by interrupt().
bool interrupted();
void clear_interrupt();

}  // namespace stoker::nn
