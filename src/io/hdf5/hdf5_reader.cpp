#include <fmt/format.h>

#include "io/hdf5/hdf5.h"
#include "io/hdf5/hdf5_dense.h"
#include "io/hdf5/hdf5_links.h"
#include "io/hdf5/hdf5_storage.h"
#include "io/hdf5/hdf5_value.h"
#include "stoker/error.h"

namespace stoker {
namespace h5 {
namespace {

class TreeReader {
 public:
  explicit TreeReader(const Blob& bytes) : file_(bytes), heap_(file_) {}

  H5Group read() {
    const ObjectHeader root(file_, file_.root());
    if (!is_group(root)) file_.bytes().fail(0, "the file's root is not a group.");
    return read_group(root, 0);
  }

 private:
  H5Group read_group(const ObjectHeader& header, int depth) {
    constexpr int deepest = 64;
    if (depth > deepest)
      file_.bytes().fail(0, fmt::format("groups are nested deeper than {} levels.", deepest));
    H5Group group;
    group.attributes = read_attributes(header);
    for (const Link& link : read_links(file_, header)) {
      if (group.groups.contains(link.name) || group.datasets.contains(link.name))
        file_.bytes().fail(0, fmt::format("a group has two children \"{}\".", link.name));
      read_child(group, link, depth);
    }
    return group;
  }

  void read_child(H5Group& group, const Link& link, int depth) try {
    const ObjectHeader header(file_, link.address);
    if (is_group(header))
      group.groups.emplace(link.name, read_group(header, depth + 1));
    else
      group.datasets.emplace(link.name, read_dataset(header));
  } catch (Error& error) {
    error.add_where(fmt::format("\"{}\"", link.name));
    throw;
  }

  H5Dataset read_dataset(const ObjectHeader& header) {
    const Dataspace space = read_dataspace(header.get(MessageType::dataspace, "dataspace"));
    const Datatype type = read_datatype(header.get(MessageType::datatype, "datatype"));
    const Blob data = read_storage(file_, header, space, type.size);
    return {read_value(file_, heap_, type, space, data), read_attributes(header)};
  }

  H5Attributes read_attributes(const ObjectHeader& header) {
    H5Attributes attributes;
    const auto add = [&](const Blob& message) {
      NamedValue read = read_attribute(file_, heap_, message);
      if (!attributes.emplace(read.name, std::move(read.value)).second)
        message.fail(0, fmt::format("two attributes are named \"{}\".", read.name));
    };
    for (const Message& message : header.messages()) {
      if (message.type == MessageType::attribute) add(message.body);
      if (message.type != MessageType::attribute_info) continue;
      const Dense dense = read_dense_info(message.body, DenseKind::attributes);
      for (const Blob& attribute : read_dense(file_, dense, DenseKind::attributes)) add(attribute);
    }
    return attributes;
  }

  File file_;
  GlobalHeap heap_;
};

}  // namespace
}  // namespace h5

H5Group parse_hdf5(const Blob& file) { return h5::TreeReader(file).read(); }

}  // namespace stoker
