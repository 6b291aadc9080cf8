#include "io/records/buffered_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "core/memory/counted.h"
#include "stoker/error.h"

namespace stoker {
namespace {

// The rest of an input, to be decompressed.
class InputSource : public ByteSource {
 public:
  explicit InputSource(BufferedInput input) : ByteSource(input.name()), input_(std::move(input)) {}
  size_t read(std::span<char> out) override {
    const std::string_view bytes = input_.peek(1).substr(0, out.size());
    std::copy(bytes.begin(), bytes.end(), out.begin());
    input_.consume(bytes.size());
    return bytes.size();
  }

 private:
  BufferedInput input_;
};

std::shared_ptr<char[]> allocate_chunk(size_t bytes, const std::string& name) {
  try {
    const auto memory = share_host(bytes);
    return {memory, reinterpret_cast<char*>(memory.get())};
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(fmt::format("cannot allocate {} bytes for a record of {}.", bytes, name));
  }
}

}  // namespace

BufferedInput::BufferedInput(std::unique_ptr<ByteSource> source, size_t chunk)
    : name_(source->name()), source_(std::move(source)), chunk_bytes_(chunk) {}

BufferedInput::BufferedInput(const Blob& blob) : name_(blob.name()) {
  const auto memory = std::const_pointer_cast<std::byte>(blob.share());  // never written to
  chunk_ = {memory, reinterpret_cast<char*>(memory.get())};
  at_ = chunk_.get();
  end_ = limit_ = chunk_.get() + blob.size();
  end_offset_ = blob.size();
}

void BufferedInput::fetch(size_t wanted) {
  if (!source_) return;
  if (wanted > largest_record)
    fail(offset(), fmt::format("a record of {} bytes is too large to be held in memory.", wanted),
         fmt::format("the largest has {} bytes.", largest_record));
  while (static_cast<size_t>(end_ - at_) < wanted) {
    if (end_ == limit_ || (at_ == end_ && !lent_)) make_room(wanted);
    const size_t n = source_->read({end_, static_cast<size_t>(limit_ - end_)});
    end_ += n;
    end_offset_ += n;
    if (n == 0) {
      source_.reset();
      return;
    }
  }
}

// A declared length is trusted as far as the file's size allows. If that is unknown, the buffer
// grows with the data actually read, so that a wrong length does not allocate.
size_t BufferedInput::believable() const {
  const auto have = static_cast<size_t>(end_ - at_);
  const uint64_t more = source_->remaining().value_or(std::max(have, chunk_bytes_));
  return static_cast<size_t>(std::min<uint64_t>(more, largest_record)) + have;
}

void BufferedInput::make_room(size_t wanted) {
  const auto have = static_cast<size_t>(end_ - at_);
  const size_t capacity = std::max(chunk_bytes_, std::min(wanted, believable()));
  const bool in_place = !lent_ && chunk_ && static_cast<size_t>(limit_ - chunk_.get()) >= capacity;
  auto chunk = in_place ? chunk_ : allocate_chunk(capacity, name_);
  if (have > 0) std::memmove(chunk.get(), at_, have);
  if (!in_place) limit_ = chunk.get() + capacity, lent_ = false;
  chunk_ = std::move(chunk);
  at_ = chunk_.get();
  end_ = chunk_.get() + have;
}

uint64_t BufferedInput::skip(uint64_t bytes) {
  const auto here = std::min<uint64_t>(bytes, static_cast<uint64_t>(end_ - at_));
  at_ += here;
  if (here == bytes || !source_) return here;
  const uint64_t there = source_->skip(bytes - here);
  end_offset_ += there;
  return here + there;
}

std::string BufferedInput::place(uint64_t offset) const {
  return fmt::format("{}, offset {}", name_, offset);
}

void BufferedInput::fail(uint64_t offset, std::string message, std::string hint) const {
  IoError error(std::move(message), std::move(hint));
  error.add_where(place(offset));
  throw error;
}

BufferedInput unpack_input(BufferedInput input, Compression compression) {
  if (compression == Compression::automatic)
    compression = input.peek(2).starts_with("\x1f\x8b") ? Compression::gzip : Compression::none;
  if (compression == Compression::none) return input;
  return BufferedInput(unpacked(std::make_unique<InputSource>(std::move(input)), compression));
}

BufferedInput open_input(const std::string& path, Compression compression) {
  return unpack_input(BufferedInput(open_source(path)), compression);
}

}  // namespace stoker
