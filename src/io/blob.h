#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace stoker {

// The bytes of a file or a part of one, with shared ownership. A blob knows the origin of its
// bytes, so that every parser's error names the file and the offset.
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
  Blob renamed(std::string name) const;  // as a file of its own, such as a member of an archive
  [[noreturn]] void fail(size_t offset, std::string message, std::string hint = {}) const;

 private:
  friend Blob map_file(const std::string& path);
  std::shared_ptr<std::byte> data_;
  size_t size_ = 0;
  size_t origin_ = 0;  // offset of data_ in name_
  std::string name_;
};

// Reads a whole regular file.
Blob read_file(const std::string& path);
// The same by memory-mapping: pages are read on access, and writes stay in memory. If the file is
// truncated meanwhile, access to the missing part terminates the program.
Blob map_file(const std::string& path);

}  // namespace stoker
