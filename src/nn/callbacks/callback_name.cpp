#include "nn/callbacks/callback_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "stoker/callbacks/resumable.h"

namespace stoker::nn {

std::string name_of(const Callback& callback) {
  if (const auto* known = dynamic_cast<const HasKerasName*>(&callback)) return known->keras_name();
  if (const auto* known = dynamic_cast<const callbacks::Resumable*>(&callback))
    return known->kind();
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(
      abi::__cxa_demangle(typeid(callback).name(), nullptr, nullptr, &status), std::free);
  const std::string text = status == 0 ? name.get() : typeid(callback).name();
  const size_t colons = text.rfind("::");
  return colons == text.npos ? text : text.substr(colons + 2);
}

}  // namespace stoker::nn
