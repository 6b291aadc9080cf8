#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/blob.h"
#include "stoker/array.h"

namespace stoker {

// The value of an attribute or dataset of an HDF5 file: numbers or strings. bfloat16 is stored as
// h5py does, as two opaque bytes.
struct H5Value {
  Array numbers = {};                   // undefined for strings
  std::vector<std::string> texts = {};  // in C order
  Shape shape = {};                     // () for a scalar

  H5Value() = default;  // an empty list of strings is {.shape = {0}}
  H5Value(Array array) : numbers(std::move(array)), shape(numbers.shape()) {}
  H5Value(std::string text) : texts{std::move(text)} {}
  H5Value(const char* text) : H5Value(std::string(text)) {}
  H5Value(std::vector<std::string> list)
      : texts(std::move(list)), shape{static_cast<int64_t>(texts.size())} {}

  bool is_text() const { return !numbers.defined(); }
};

using H5Attributes = std::map<std::string, H5Value, std::less<>>;

struct H5Dataset {
  H5Value value = {};
  H5Attributes attributes = {};
};

struct H5Group {
  std::map<std::string, H5Group, std::less<>> groups = {};
  std::map<std::string, H5Dataset, std::less<>> datasets = {};
  H5Attributes attributes = {};

  // By path, "layers/dense/vars/0"; null if there is none.
  const H5Group* find_group(std::string_view path) const;
  const H5Dataset* find_dataset(std::string_view path) const;
  // Creates missing groups on the path.
  H5Group& group(std::string_view path);
  H5Dataset& add(std::string_view path, H5Value value);
};

bool is_hdf5(const Blob& file);

// Parses the whole tree of a file. Arrays share the file's memory if contiguous. Only plain data is
// read: soft and external links, filters, virtual and external datasets, cycles and declared sizes
// beyond what is stored are refused.
H5Group parse_hdf5(const Blob& file);
H5Group load_hdf5(const std::string& path);

// A file's bytes, deterministic for a tree: metadata, and every array in its own memory. For
// ZipWriter::add and save_hdf5.
class H5Image {
 public:
  explicit H5Image(const H5Group& root);
  std::vector<std::span<const std::byte>> parts() const&;  // point into this image

 private:
  std::string head_, tail_;
  std::vector<Array> arrays_;
};
void save_hdf5(const std::string& path, const H5Group& root);

}  // namespace stoker
