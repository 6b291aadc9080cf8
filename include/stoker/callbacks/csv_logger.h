#pragma once
#include "stoker/callback.h"

namespace stoker::callbacks {

struct CSVLoggerArgs {
  std::string filename = {};
  std::string separator = ",";
  bool append = false;
};
// Appends each epoch's metrics as a row; flushed to disk at the end of the epoch.
CallbackRef CSVLogger(const CSVLoggerArgs& args);

}  // namespace stoker::callbacks
