#pragma once
#include <string>

#include "stoker/callback.h"

namespace stoker::nn {

// A callback that Keras calls otherwise than its class here.
struct HasKerasName {
  virtual ~HasKerasName() = default;
  virtual std::string keras_name() const = 0;
};

// A callback that the user has not asked for, such as one that writes a run's record.
struct OfTheProgram {
  virtual ~OfTheProgram() = default;
};

// For messages: Keras's name, or the class without namespaces.
std::string name_of(const Callback& callback);

}  // namespace stoker::nn
