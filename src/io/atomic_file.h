#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace stoker {

// A file that appears complete or not at all: written to a temporary file in the same folder,
// flushed to disk, renamed by commit(). Without commit() nothing is left.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  size_t size() const { return size_; }  // bytes written so far
  void commit();

 private:
  [[noreturn]] void fail(std::string_view doing, int error) const;

  std::string path_, temporary_;
  int fd_ = -1;
  size_t size_ = 0;
};

void write_file(const std::string& path, std::string_view text);

// Creates the folder if necessary and checks that files can be created in it, so that an unwritable
// output is found before hours of training, not after. Removes temporary files of killed processes.
// With several processes only the first one does, as only it writes.
void ensure_writable_dir(const std::string& path);

}  // namespace stoker
