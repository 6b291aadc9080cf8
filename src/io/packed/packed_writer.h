#pragma once
#include <vector>

#include "io/atomic_file.h"
#include "stoker/config.h"
#include "stoker/element.h"

namespace stoker {

// Writes a packed file (packed_layout.h) atomically.
class PackedWriter {
 public:
  explicit PackedWriter(std::string path) : file_(std::move(path)) { begin(); }

  void add(const Element& element);
  // The spec of all elements; `notes` are stored for readers.
  void finish(const ElementSpec& spec, const Config& notes = {});
  int64_t size() const { return static_cast<int64_t>(table_.size()) / 3; }
  size_t bytes() const { return written_ + buffer_.size(); }

 private:
  void begin();
  void put(const void* bytes, size_t count);
  void put(uint64_t number) { put(&number, sizeof number); }
  void pad(size_t alignment);
  void flush();
  void put_texts(const Array& texts);
  void put_end(size_t description, const std::string& text);

  AtomicFile file_;
  std::vector<std::byte> buffer_;
  size_t written_ = 0;
  std::vector<uint64_t> table_;
};

}  // namespace stoker
