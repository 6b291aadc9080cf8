#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace stoker {

// Bytes of a file, or of a part of one, shared by all that was cut from them. A blob knows where
// its bytes come from, so that every parser's error names the file and the offset.
class Blob {
 public:
  static Blob allocate(size_t size, std::string name);  // not initialised
  static Blob copy(std::span<const std::byte> bytes, std::string name);

  const std::string& name() const { return name_; }
  size_t size() const { return size_; }
  const std::byte* data() const { return data_.get(); }
  std::byte* mutable_data() { return data_.get(); }
  std::span<const std::byte> bytes() const { return {data(), size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data()), size_}; }
  std::shared_ptr<const std::byte> share() const { return data_; }

  Blob slice(size_t begin, size_t size) const;  // the caller has checked the range
  Blob renamed(std::string name) const;         // a file of its own, such as a member of an archive
  [[noreturn]] void fail(size_t offset, std::string message, std::string hint = {}) const;

 private:
  friend Blob map_file(const std::string& path);
  std::shared_ptr<std::byte> data_;
  size_t size_ = 0;
  size_t origin_ = 0;  // where data_ lies in what name_ names
  std::string name_;
};

// The whole of a regular file.
Blob read_file(const std::string& path);
// The same as pages of the file, which are read when they are touched; what is written to them
// stays in memory. Whoever cuts the file off meanwhile ends the program that touches what is gone.
Blob map_file(const std::string& path);

}  // namespace stoker
