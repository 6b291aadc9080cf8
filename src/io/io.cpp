#include "stoker/io.h"

#include <fmt/format.h>

#include <filesystem>
#include <new>

#include "core/main_process.h"
#include "io/archives/zip.h"
#include "io/arrays/array_format.h"
#include "io/arrays/idx.h"
#include "io/arrays/npy.h"
#include "io/arrays/npz.h"
#include "io/arrays/safetensors.h"
#include "io/atomic_file.h"
#include "io/text/csv.h"

namespace stoker {
namespace {

// All readers are called through this, which also translates failed allocations to errors.
template <class Parse>
auto parse_file(const std::string& path, Parse parse, bool mmap = false) {
  try {
    return parse(mmap ? map_file(path) : read_file(path));
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(fmt::format("not enough host memory to read \"{}\".", path));
  }
}

std::span<const std::byte> bytes_of(const Array& array) { return {array.raw(), array.bytes()}; }

// "data.npz:x" → {"data.npz", "x"}
std::pair<std::string, std::string> split_member(const std::string& path) {
  const size_t at = path.rfind(".npz:");
  if (at == std::string::npos) return {path, {}};
  return {path.substr(0, at + 4), path.substr(at + 5)};
}

}  // namespace

Array load_npy(const std::string& path) { return parse_file(path, parse_npy); }
NamedArrays load_npz(const std::string& path) { return parse_file(path, parse_npz); }
Array load_idx(const std::string& path) { return parse_file(path, parse_idx); }

SafeTensors load_safetensors(const std::string& path) {
  return parse_file(path, parse_safetensors);
}

Array load_csv(const std::string& path, const CsvOptions& options) {
  return parse_file(path, [&](const Blob& file) { return parse_csv(file, options); });
}

Config load_json(const std::string& path) {
  return parse_file(path, [&](const Blob& file) { return parse_json(file.text(), path); });
}

Config load_toml(const std::string& path, TextLines* lines) {
  return parse_file(path, [&](const Blob& file) { return parse_toml(file.text(), path, lines); });
}

Array load_npz(const std::string& path, const std::string& member) {
  return parse_file(path, [&](const Blob& file) { return parse_npz_member(file, member); });
}

Array load_array(const std::string& path, const LoadArrayArgs& args) {
  const auto [file, member] = split_member(path);
  if (member.empty()) return parse_file(path, parse_array, args.mmap);
  return parse_file(
      file, [&name = member](const Blob& blob) { return parse_npz_member(blob, name); }, args.mmap);
}

void save_npy(const std::string& path, const Array& array) {
  const std::string header = npy_header(array);
  AtomicFile file(path);
  file.write(header);
  file.write(bytes_of(array));
  file.commit();
}

void save_json(const std::string& path, const Config& config) {
  write_file(path, config.to_string() + "\n");
}

void ensure_writable(const std::string& path) {
  if (!is_main_process()) return;
  AtomicFile probe(path);  // creates its temporary file, and leaves nothing
  if (std::filesystem::is_directory(path))
    throw IoError(fmt::format("\"{}\" is a folder; a file is to be written there.", path));
}

void save_npz(const std::string& path, const NamedArrays& arrays) {
  ZipWriter zip(path);
  for (const auto& [name, array] : arrays) {
    const std::string header = npy_header(array);
    zip.add(name + ".npy", {std::as_bytes(std::span(header)), bytes_of(array)});
  }
  zip.commit();
}

}  // namespace stoker
