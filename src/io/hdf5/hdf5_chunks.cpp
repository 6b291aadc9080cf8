#include "io/hdf5/hdf5_chunks.h"

#include <algorithm>

#include "io/byte_cursor.h"

namespace stoker::h5 {
namespace {

constexpr std::string_view what = "a dataset's chunks";

}  // namespace

ChunkReader::ChunkReader(File& file, const Blob& message, const Shape& shape,
                         std::vector<uint64_t> sizes)
    : file_(file), message_(message), sizes_(std::move(sizes)) {
  for (int64_t dim : shape) dims_.push_back(static_cast<uint64_t>(dim));
  dims_.push_back(sizes_.back());
  uint64_t count = 1;
  for (size_t i = 0; i < dims_.size(); ++i) {
    if (sizes_[i] == 0 || __builtin_mul_overflow(chunk_bytes_, sizes_[i], &chunk_bytes_))
      message.fail(0, "a chunk's size is impossible.");
    count *= (dims_[i] - 1) / sizes_[i] + 1;  // at most the number of elements
  }
  if (count > file.bytes().size() / 8)  // each needs more than that in the tree
    message.fail(
        0, fmt::format("{} chunks cannot be in a file of {} bytes.", count, file.bytes().size()));
  seen_.resize(count);
}

Blob ChunkReader::read(uint64_t tree, uint64_t size) {
  constexpr int levels = 256;
  file_.spend(size, "a dataset");
  out_ = Blob::allocate(size, file_.bytes().name());
  if (tree != no_address) read_tree(tree, levels);
  const auto missing = std::count(seen_.begin(), seen_.end(), false);
  if (missing > 0)
    message_.fail(
        0, fmt::format("{} of the dataset's {} chunks are not stored.", missing, seen_.size()));
  return out_;
}

void ChunkReader::read_tree(uint64_t address, int level_above) {
  file_.enter(address, what);
  const Blob head = file_.signed_block(address, 24, "TREE", what);
  ByteCursor cursor(head, 4);
  const uint8_t kind = cursor.little_endian<uint8_t>(what),
                level = cursor.little_endian<uint8_t>(what);
  if (kind != 1 || level >= level_above) head.fail(4, "this is not a B-tree of chunks.");
  const uint64_t count = cursor.little_endian<uint16_t>(what), key = 8 + 8 * sizes_.size();
  const Blob body = file_.block(address + 24, count * (key + 8) + key, what);
  for (uint64_t i = 0; i < count; ++i) {
    const Blob entry = body.slice(i * (key + 8), key + 8);
    const auto child = ByteCursor(entry, key).little_endian<uint64_t>(what);
    if (level > 0)
      read_tree(child, level);
    else
      read_chunk(entry, child);
  }
}

void ChunkReader::read_chunk(const Blob& key, uint64_t address) {
  ByteCursor cursor(key);
  const uint32_t stored = cursor.little_endian<uint32_t>(what),
                 left_out = cursor.little_endian<uint32_t>(what);
  if (stored != chunk_bytes_ || left_out != 0)
    key.fail(0, fmt::format("a chunk of {} bytes stores {}.", chunk_bytes_, stored));
  std::vector<uint64_t> start;
  for (size_t i = 0; i < sizes_.size(); ++i) start.push_back(cursor.little_endian<uint64_t>(what));
  const size_t index = chunk_index(key, start);
  if (seen_[index]) key.fail(0, "a chunk is stored twice.");
  seen_[index] = true;
  copy(file_.block(address, chunk_bytes_, "a chunk"), start);
}

size_t ChunkReader::chunk_index(const Blob& key, const std::vector<uint64_t>& start) const {
  size_t index = 0;
  for (size_t i = 0; i < sizes_.size(); ++i) {
    if (start[i] >= dims_[i] || start[i] % sizes_[i] != 0)
      key.fail(0,
               fmt::format("a chunk at {} of dimension {}, which has {}.", start[i], i, dims_[i]));
    index = index * ((dims_[i] - 1) / sizes_[i] + 1) + start[i] / sizes_[i];
  }
  return index;
}

// Row by row along the last dimension of the dataset; padding beyond its end is skipped.
void ChunkReader::copy(const Blob& chunk, const std::vector<uint64_t>& start) {
  const size_t last = sizes_.size() - 2 + (sizes_.size() == 1);
  const uint64_t element = sizes_.size() == 1 ? 1 : sizes_.back();
  const uint64_t run = std::min(sizes_[last], dims_[last] - start[last]) * element;
  std::vector<uint64_t> at(last, 0);
  for (bool more = true; more;) {
    uint64_t from = 0, to = 0;
    for (size_t i = 0; i < last; ++i) {
      from = from * sizes_[i] + at[i];
      to = to * dims_[i] + start[i] + at[i];
    }
    std::copy_n(chunk.data() + from * sizes_[last] * element, run,
                out_.mutable_data() + (to * dims_[last] + start[last]) * element);
    more = false;
    for (size_t i = last; i-- > 0;) {
      if (++at[i] < std::min(sizes_[i], dims_[i] - start[i])) {
        more = true;
        break;
      }
      at[i] = 0;
    }
  }
}

}  // namespace stoker::h5
