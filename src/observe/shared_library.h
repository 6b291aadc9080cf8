#pragma once
#include <string>
#include <vector>

namespace stoker::observe {

// A library of the driver or of CUDA, opened at run time: first in the folders of
// STOKER_CUDA_LIBRARIES, then by the system's loader and in the toolkit's usual places. It stays
// open.
class SharedLibrary {
 public:
  explicit SharedLibrary(const std::vector<std::string>& names);
  explicit operator bool() const { return handle_ != nullptr; }
  const std::string& file() const { return file_; }        // actual path
  const std::string& failure() const { return failure_; }  // the loader's message

  template <class F>
  bool load(F& function, const char* name) const {  // false: this version has no such function
    function = reinterpret_cast<F>(symbol(name));
    return function != nullptr;
  }

 private:
  void* symbol(const char* name) const;
  bool open(const std::string& place);
  void* handle_ = nullptr;
  std::string file_, failure_;
};

}  // namespace stoker::observe
