#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "stoker/array.h"
#include "stoker/config.h"

namespace stoker {

// File input and output. Readers trust nothing in a file; writers are atomic. All errors are
// stoker::Error and name the file and the position in it.

// Throws if a file of this name could not be written: to find out before hours of work, not after.
// With several processes only the first one checks, as only it writes.
void ensure_writable(const std::string& path);

using NamedArrays = std::vector<std::pair<std::string, Array>>;

// Loads an array file of any format, recognised by content or extension. A member of an archive is
// "data.npz:x_train".
// With mmap the file is memory-mapped and read on access: for files larger than memory, and to
// start at once. A file that cannot be mapped (compressed, other byte order, CSV) is read. A mapped
// file must not be truncated while in use.
struct LoadArrayArgs {
  bool mmap = false;
};
Array load_array(const std::string& path, const LoadArrayArgs& args = {});

Array load_npy(const std::string& path);
void save_npy(const std::string& path, const Array& array);

NamedArrays load_npz(const std::string& path);
Array load_npz(const std::string& path, const std::string& member);
void save_npz(const std::string& path, const NamedArrays& arrays);

Array load_idx(const std::string& path);  // also gzipped

using CsvColumn = std::variant<int64_t, std::string>;  // an index (-1: the last) or a name

struct CsvOptions {
  std::vector<CsvColumn> columns = {};        // empty: all, in order
  std::optional<bool> header = std::nullopt;  // unset: detected from the first row
  char delimiter = ',';
  bool allow_missing = false;  // empty fields are NaN
  DType dtype = DType::float32;
};
Array load_csv(const std::string& path, const CsvOptions& options = {});  // (rows, columns)

struct SafeTensors {
  NamedArrays tensors;
  std::map<std::string, std::string> metadata;
};
SafeTensors load_safetensors(const std::string& path);
void save_safetensors(const std::string& path, const NamedArrays& tensors,
                      const std::map<std::string, std::string>& metadata = {});

// `name` is the file's name in errors. Keys keep their order; Config::to_string() is the inverse.
Config parse_json(std::string_view text, const std::string& name = "json");
Config load_json(const std::string& path);
void save_json(const std::string& path, const Config& config);
using TextLines = std::map<std::string, size_t>;  // "model.layers.2.units" → its line
Config parse_toml(std::string_view text, const std::string& name = "toml",
                  TextLines* lines = nullptr);
Config load_toml(const std::string& path, TextLines* lines = nullptr);

namespace datasets {

struct Dataset {
  Array x_train, y_train, x_test, y_test;
};
// Debian's package dataset-fashion-mnist: uint8, (60000, 28, 28) and (10000, 28, 28). The
// environment variable STOKER_DATASETS names another folder than /usr/share/datasets.
Dataset fashion_mnist();

}  // namespace datasets
}  // namespace stoker
