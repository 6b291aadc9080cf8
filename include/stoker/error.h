#pragma once
#include <source_location>
#include <stdexcept>
#include <string>

namespace stoker {

// Base of all exceptions. The text is built from three parts so that an outer frame (a layer, a
// file reader) can add where it happened without changing the message.
class Error : public std::runtime_error {
 public:
  explicit Error(std::string what, std::string hint = {});

  const char* what() const noexcept override { return full_.c_str(); }
  const std::string& message() const { return message_; }
  const std::string& where() const { return where_; }
  const std::string& hint() const { return hint_; }

  // Adds the place; the innermost place is kept first.
  void add_where(const std::string& where);
  void set_hint(std::string hint);

 private:
  void compose();
  std::string message_, where_, hint_, full_;
};

struct InvalidArgument : Error {
  using Error::Error;
};
struct Unsupported : Error {
  using Error::Error;
};
struct OutOfMemory : Error {
  using Error::Error;
};
struct DeviceError : Error {
  using Error::Error;
};
struct IoError : Error {
  using Error::Error;
};
struct Internal : Error {
  using Error::Error;
};

// "train.cpp:41", without the folders of the machine that compiled it.
std::string to_string(const std::source_location& where);

}  // namespace stoker
