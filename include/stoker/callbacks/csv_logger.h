#pragma once
#include "stoker/callback.h"

namespace stoker::callbacks {

struct CSVLoggerArgs {
  std::string filename = {};
  std::string separator = ",";
  bool append = false;
};
// Writes each epoch's metrics as a row, on the disk when the epoch ends.
CallbackRef CSVLogger(const CSVLoggerArgs& args);

}  // namespace stoker::callbacks
