#include "io/hdf5/hdf5_links.h"

#include "io/byte_cursor.h"
#include "io/hdf5/hdf5_dense.h"
#include "io/hdf5/hdf5_heap.h"

namespace stoker::h5 {
namespace {

Link checked(const Blob& from, Link link) {
  if (link.name.empty() || link.name == "." || link.name == ".." ||
      link.name.find('/') != link.name.npos || link.name.find('\0') != link.name.npos)
    from.fail(0, fmt::format("an object cannot be named {:?}.", link.name));
  return link;
}

[[noreturn]] void refuse_link(const Blob& from, const std::string& name, std::string_view kind) {
  from.fail(0, fmt::format("\"{}\" is {} link.", name, kind),
            "only objects in the file itself are read.");
}

// Old files: a B-tree with symbol table nodes, whose names are in a heap.
class SymbolTable {
 public:
  SymbolTable(File& file, const LocalHeap& heap, std::vector<Link>& links)
      : file_(file), heap_(heap), links_(links) {}

  void read_tree(uint64_t address, int level_above) {
    constexpr std::string_view what = "a group's tree";
    file_.enter(address, what);
    const Blob head = file_.signed_block(address, 24, "TREE", what);
    ByteCursor cursor(head, 4);
    const uint8_t kind = cursor.little_endian<uint8_t>(what),
                  level = cursor.little_endian<uint8_t>(what);
    if (kind != 0 || level >= level_above) head.fail(4, "this is not a B-tree of a group.");
    const uint16_t count = cursor.little_endian<uint16_t>(what);
    const Blob body = file_.block(address + 24, 16 * uint64_t{count} + 8, what);
    for (uint16_t i = 0; i < count; ++i) {
      const auto child = ByteCursor(body, 16 * size_t{i} + 8).little_endian<uint64_t>(what);
      if (level > 0)
        read_tree(child, level);
      else
        read_leaf(child);
    }
  }

 private:
  void read_leaf(uint64_t address) {
    constexpr std::string_view what = "a group's symbols";
    constexpr uint64_t entry_size = 40;
    file_.enter(address, what);
    const Blob head = file_.signed_block(address, 8, "SNOD", what);
    const uint16_t count = ByteCursor(head, 6).little_endian<uint16_t>(what);
    const Blob body = file_.block(address + 8, entry_size * count, what);
    for (uint16_t i = 0; i < count; ++i) read_symbol(body.slice(entry_size * i, entry_size));
  }

  void read_symbol(const Blob& entry) {
    constexpr std::string_view what = "a group's symbol";
    constexpr uint32_t soft = 2;
    ByteCursor cursor(entry);
    const std::string name = heap_.name(cursor.little_endian<uint64_t>(what));
    const auto address = cursor.little_endian<uint64_t>(what);
    if (cursor.little_endian<uint32_t>(what) == soft) refuse_link(entry, name, "a soft");
    links_.push_back(checked(entry, {name, address}));
  }

  File& file_;
  const LocalHeap& heap_;
  std::vector<Link>& links_;
};

void read_symbol_table(File& file, const Blob& message, std::vector<Link>& links) {
  constexpr std::string_view what = "a group's symbol table";
  constexpr int levels = 256;
  ByteCursor cursor(message);
  const auto tree = cursor.little_endian<uint64_t>(what);
  const LocalHeap heap(file, cursor.little_endian<uint64_t>(what));
  SymbolTable(file, heap, links).read_tree(tree, levels);
}

Link read_link(const Blob& message) {
  constexpr std::string_view what = "a link";
  constexpr uint8_t order_given = 1 << 2, kind_given = 1 << 3, charset_given = 1 << 4;
  ByteCursor cursor(message);
  const uint8_t version = cursor.little_endian<uint8_t>(what),
                flags = cursor.little_endian<uint8_t>(what);
  if (version != 1) cursor.fail(fmt::format("link version {} is not known.", version));
  const uint8_t kind = flags & kind_given ? cursor.little_endian<uint8_t>(what) : uint8_t{0};
  cursor.skip((flags & order_given ? 8 : 0) + (flags & charset_given ? 1 : 0), what);
  uint64_t length = 0;
  const size_t width = size_t{1} << (flags & 3);
  std::memcpy(&length, cursor.take(width, what).data(), width);
  const std::string name(cursor.take(length, what).text());
  if (kind != 0) refuse_link(message, name, kind == 1 ? "a soft" : "an external or user-defined");
  return checked(message, {name, cursor.little_endian<uint64_t>(what)});
}

void read_dense_links(File& file, const Blob& message, std::vector<Link>& links) {
  const Dense dense = read_dense_info(message, DenseKind::links);
  for (const Blob& link : read_dense(file, dense, DenseKind::links))
    links.push_back(read_link(link));
}

}  // namespace

bool is_group(const ObjectHeader& header) {
  return header.find(MessageType::symbol_table) || header.find(MessageType::link_info) ||
         header.find(MessageType::link);
}

std::vector<Link> read_links(File& file, const ObjectHeader& group) {
  std::vector<Link> links;
  for (const Message& message : group.messages()) {
    if (message.type == MessageType::link) links.push_back(read_link(message.body));
    if (message.type == MessageType::link_info) read_dense_links(file, message.body, links);
    if (message.type == MessageType::symbol_table) read_symbol_table(file, message.body, links);
  }
  return links;
}

}  // namespace stoker::h5
