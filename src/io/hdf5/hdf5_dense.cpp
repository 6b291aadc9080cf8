#include "io/hdf5/hdf5_dense.h"

#include "io/byte_cursor.h"
#include "io/hdf5/hdf5_fractal_heap.h"

namespace stoker::h5 {
namespace {

constexpr std::string_view what = "a tree of many children";

struct RecordForm {
  uint8_t tree_type;
  uint16_t size, id_at, id_size;
};
constexpr RecordForm link_records{5, 11, 4, 7}, attribute_records{8, 17, 0, 8};

// A version 2 B-tree whose records contain object identifiers of a heap.
class RecordTree {
 public:
  RecordTree(File& file, uint64_t address, const RecordForm& form) : file_(file), form_(form) {
    const Blob head = file.checked_block(address, 38, "BTHD", what);
    ByteCursor cursor(head, 5);
    const uint8_t type = cursor.little_endian<uint8_t>(what);
    node_size_ = cursor.little_endian<uint32_t>(what);
    const uint16_t size = cursor.little_endian<uint16_t>(what);
    depth_ = cursor.little_endian<uint16_t>(what);
    cursor.skip(2, what);
    root_ = cursor.little_endian<uint64_t>(what);
    root_count_ = cursor.little_endian<uint16_t>(what);
    if (type != form.tree_type || size != form.size)
      head.fail(5, fmt::format("a tree of type {} with records of {} bytes.", type, size));
    if (node_size_ < 64 || depth_ > 16)
      head.fail(6, fmt::format("a tree of {} levels with nodes of {} bytes.", depth_, node_size_));
  }

  std::vector<Blob> read() {
    measure_levels();
    if (root_ != no_address) read_node(root_, root_count_, depth_);
    return std::move(ids_);
  }

 private:
  static constexpr uint64_t prefix = 6, checksum_size = 4;

  // The size of a record count depends on how many records a node can have.
  void measure_levels() {
    uint64_t held = (node_size_ - prefix - checksum_size) / form_.size;
    count_size_ = bytes_for(held);
    total_sizes_ = {0};
    for (uint16_t level = 1; level <= depth_; ++level) {
      const uint64_t pointer = 8 + count_size_ + total_sizes_.back();
      if (node_size_ < prefix + checksum_size + pointer)
        file_.bytes().fail(0, "a tree's node is too small.");
      const uint64_t most =
          (node_size_ - prefix - checksum_size - pointer) / (form_.size + pointer);
      if (__builtin_mul_overflow(held, most + 1, &held) ||
          __builtin_add_overflow(held, most, &held))
        file_.bytes().fail(0, "a tree has too many levels.");
      total_sizes_.push_back(bytes_for(held));
    }
  }

  void read_node(uint64_t address, uint64_t count, uint16_t level) {
    file_.enter(address, what);
    const uint64_t total = level > 1 ? total_sizes_[level - 1] : 0;
    const uint64_t pointer = level > 0 ? 8 + count_size_ + total : 0;
    const uint64_t size = prefix + count * form_.size + (level > 0 ? (count + 1) * pointer : 0);
    const Blob node =
        file_.checked_block(address, size + checksum_size, level > 0 ? "BTIN" : "BTLF", what);
    ByteCursor cursor(node, prefix);
    for (uint64_t i = 0; i < count; ++i)
      ids_.push_back(cursor.take(form_.size, what).slice(form_.id_at, form_.id_size));
    for (uint64_t i = 0; level > 0 && i <= count; ++i) {
      const auto child = cursor.little_endian<uint64_t>(what);
      const uint64_t records = read_sized(cursor, count_size_, what);
      cursor.skip(total, what);
      read_node(child, records, static_cast<uint16_t>(level - 1));
    }
  }

  File& file_;
  const RecordForm& form_;
  uint64_t node_size_ = 0, root_ = no_address, root_count_ = 0, count_size_ = 0;
  uint16_t depth_ = 0;
  std::vector<uint64_t> total_sizes_;
  std::vector<Blob> ids_;
};

}  // namespace

Dense read_dense_info(const Blob& message, DenseKind kind) {
  constexpr uint8_t ordered = 1;
  ByteCursor cursor(message, 1);
  const uint8_t flags = cursor.little_endian<uint8_t>(what);
  cursor.skip(flags & ordered ? (kind == DenseKind::links ? 8 : 2) : 0, what);
  const auto heap = cursor.little_endian<uint64_t>(what);
  return {heap, cursor.little_endian<uint64_t>(what)};
}

std::vector<Blob> read_dense(File& file, const Dense& dense, DenseKind kind) {
  if (dense.heap == no_address) return {};
  FractalHeap heap(file, dense.heap);
  const RecordForm& form = kind == DenseKind::links ? link_records : attribute_records;
  std::vector<Blob> objects;
  for (const Blob& id : RecordTree(file, dense.tree, form).read())
    objects.push_back(heap.object(id));
  return objects;
}

}  // namespace stoker::h5
