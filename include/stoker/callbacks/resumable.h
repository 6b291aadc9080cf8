#pragma once
#include <string>
#include <vector>

#include "stoker/array.h"
#include "stoker/config.h"

namespace stoker::callbacks {

// What a callback remembers between two steps.
struct CallbackState {
  Config values = Config::map();
  std::vector<Array> arrays = {};
};

// A callback that remembers something derives from this, too: BackupAndRestore keeps it, and gives
// it back to the callback of the same kind when a fit goes on, after every on_train_begin.
class Resumable {
 public:
  virtual ~Resumable() = default;
  virtual std::string kind() const = 0;  // several of a kind are told apart by their order
  virtual CallbackState state() const = 0;
  virtual void resume(const CallbackState& state) = 0;
};

}  // namespace stoker::callbacks
