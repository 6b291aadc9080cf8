#pragma once
#include <string>

#include "stoker/open_dataset.h"

namespace CLI {
class App;
}

namespace stoker::cli {

// SOURCE and how to open it, common to `data` and `pack`.
struct SourceOptions {
  std::string path;
  OpenDatasetArgs args;
  void add_to(CLI::App& command);
};

}  // namespace stoker::cli
