#include "io/hdf5/hdf5_storage.h"

#include "io/hdf5/hdf5_chunks.h"

namespace stoker::h5 {
namespace {

constexpr std::string_view what = "a dataset's layout";
enum Layout : uint8_t { compact, contiguous, chunked, virtual_sources };

void refuse_layout(const Blob& message, uint8_t layout) {
  if (layout == virtual_sources)
    message.fail(0, "the dataset is virtual: its data is in other files.");
  if (layout > virtual_sources) message.fail(0, fmt::format("layout {} is not known.", layout));
}

void expect_size(const Blob& message, uint64_t stored, uint64_t declared) {
  if (stored != declared)
    message.fail(0, fmt::format("the dataset declares {} bytes and stores {}.", declared, stored));
}

Blob contiguous_bytes(File& file, const Blob& message, uint64_t address, uint64_t size) {
  if (size == 0) return file.bytes().slice(0, 0);
  if (address == no_address)
    message.fail(0, fmt::format("the dataset declares {} bytes and stores none.", size));
  return file.block(address, size, "a dataset");
}

std::vector<uint64_t> chunk_sizes(ByteCursor& cursor, uint8_t count) {
  std::vector<uint64_t> sizes;
  for (uint8_t i = 0; i < count; ++i) sizes.push_back(cursor.little_endian<uint32_t>(what));
  return sizes;
}

class LayoutReader {
 public:
  LayoutReader(File& file, const Blob& message, const Dataspace& space, uint64_t element)
      : file_(file),
        message_(message),
        space_(space),
        element_(element),
        size_(byte_count(file, message, space, element)),
        cursor_(message) {}

  Blob read() {
    const uint8_t version = cursor_.little_endian<uint8_t>(what);
    if (version == 0 || version > 4)
      message_.fail(0, fmt::format("layout version {} is not known.", version));
    return version < 3 ? read_old() : read_new(version);
  }

 private:
  // Versions 1 and 2 list all sizes; a chunk's element size is the last.
  Blob read_old() {
    const uint8_t count = cursor_.little_endian<uint8_t>(what),
                  layout = cursor_.little_endian<uint8_t>(what);
    cursor_.skip(5, what);
    refuse_layout(message_, layout);
    const uint64_t address = layout == compact ? no_address : cursor_.little_endian<uint64_t>(what);
    const std::vector<uint64_t> sizes = chunk_sizes(cursor_, count);
    if (layout == chunked) return chunks(address, sizes);
    return layout == compact ? compact_bytes(cursor_.little_endian<uint32_t>(what))
                             : contiguous_bytes(file_, message_, address, size_);
  }

  Blob read_new(uint8_t version) {
    const uint8_t layout = cursor_.little_endian<uint8_t>(what);
    refuse_layout(message_, layout);
    if (layout == compact) return compact_bytes(cursor_.little_endian<uint16_t>(what));
    if (layout == chunked) return read_chunked(version);
    const auto address = cursor_.little_endian<uint64_t>(what),
               stored = cursor_.little_endian<uint64_t>(what);
    if (size_ > 0) expect_size(message_, stored, size_);
    return contiguous_bytes(file_, message_, address, size_);
  }

  Blob read_chunked(uint8_t version) {
    if (version == 4)
      message_.fail(0, "chunks with an index of HDF5 1.10 and later are not read.",
                    "write the file with h5py's default libver, or without chunks.");
    const uint8_t count = cursor_.little_endian<uint8_t>(what);
    const auto address = cursor_.little_endian<uint64_t>(what);
    return chunks(address, chunk_sizes(cursor_, count));
  }

  Blob compact_bytes(uint64_t stored) {
    expect_size(message_, stored, size_);
    return cursor_.take(stored, "a dataset");
  }

  Blob chunks(uint64_t tree, std::vector<uint64_t> sizes) {
    const auto rank = static_cast<size_t>(space_.shape.rank());
    if (sizes.size() != rank + 1 || sizes.back() != element_)
      message_.fail(
          0, fmt::format("the chunks do not fit the dataset's shape {}.", to_string(space_.shape)));
    if (size_ == 0) return file_.bytes().slice(0, 0);
    return ChunkReader(file_, message_, space_.shape, std::move(sizes)).read(tree, size_);
  }

  File& file_;
  const Blob& message_;
  const Dataspace& space_;
  const uint64_t element_, size_;
  ByteCursor cursor_;
};

}  // namespace

uint64_t byte_count(const File& file, const Blob& message, const Dataspace& space, uint64_t size) {
  bool empty = space.null;
  for (int64_t dim : space.shape) {
    empty |= dim == 0;
    if (dim > 0 && __builtin_mul_overflow(size, static_cast<uint64_t>(dim), &size))
      message.fail(0, fmt::format("shape {} is impossible.", to_string(space.shape)));
  }
  if (empty) return 0;
  if (size > file.bytes().size())
    message.fail(0, fmt::format("{} bytes are declared for shape {}, the file has {}.", size,
                                to_string(space.shape), file.bytes().size()));
  return size;
}

Blob read_storage(File& file, const ObjectHeader& dataset, const Dataspace& space,
                  uint64_t element_size) {
  if (const Blob* external = dataset.find(MessageType::external_files))
    external->fail(0, "the dataset's data is in other files.");
  const Blob* filters = dataset.find(MessageType::filters);
  if (filters && ByteCursor(*filters, 1).little_endian<uint8_t>("the filters") > 0)
    filters->fail(0, "the dataset is compressed or otherwise filtered.",
                  "write it without compression, shuffle or checksum filters.");
  return LayoutReader(file, dataset.get(MessageType::layout, "layout"), space, element_size).read();
}

}  // namespace stoker::h5
