#pragma once
#include <string>
#include <vector>

#include "stoker/array.h"
#include "stoker/config.h"

namespace stoker::callbacks {

// The state of a callback between two steps.
struct CallbackState {
  Config values = Config::map();
  std::vector<Array> arrays = {};
};

// A callback with state also derives from this: BackupAndRestore saves the state, and restores it
// in the callback of the same kind when a fit is resumed, after every on_train_begin.
class Resumable {
 public:
  virtual ~Resumable() = default;
  virtual std::string kind() const = 0;  // several of a kind are distinguished by their order
  virtual CallbackState state() const = 0;
  virtual void resume(const CallbackState& state) = 0;
};

}  // namespace stoker::callbacks
