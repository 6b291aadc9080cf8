#pragma once
#include <string>

#include "stoker/callback.h"

namespace stoker::nn {

// Fills in {epoch:02d}, {val_loss:.2f} and the like, with Python's format specifications for
// metrics.
std::string format_filepath(const std::string& pattern, int64_t epoch, int64_t batch,
                            const Logs& logs);

}  // namespace stoker::nn
