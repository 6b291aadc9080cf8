#include "io/arrays/safetensors.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/round_up.h"
#include "io/arrays/elements.h"
#include "io/atomic_file.h"

namespace stoker {
namespace {

constexpr size_t longest_header = 100'000'000;
constexpr std::string_view metadata_key = "__metadata__";

struct Spelling {
  std::string_view name;
  StoredType element;
};
constexpr Spelling spellings[] = {
    {"F64", {'f', 8}}, {"F32", {'f', 4}}, {"F16", {'f', 2}}, {"BF16", {'B', 2}}, {"I64", {'i', 8}},
    {"I32", {'i', 4}}, {"I16", {'i', 2}}, {"I8", {'i', 1}},  {"U64", {'u', 8}},  {"U32", {'u', 4}},
    {"U16", {'u', 2}}, {"U8", {'u', 1}},  {"BOOL", {'b', 1}}};

struct Entry {
  std::string name;
  StoredType element{};
  Shape shape;
  uint64_t begin = 0, end = 0;
};

class HeaderReader {
 public:
  explicit HeaderReader(const Blob& file) : file_(file) {}

  void read(const Config& header) {
    if (!header.is_map()) file_.fail(8, "the header is not a JSON object.");
    for (const auto& [name, value] : header.as_map()) {
      if (name == metadata_key)
        read_metadata(value);
      else
        entries.push_back(entry(name, value));
    }
  }

  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;

 private:
  void read_metadata(const Config& value) {
    if (!value.is_map()) file_.fail(8, "__metadata__ is not a JSON object.");
    for (const auto& [key, text] : value.as_map()) {
      if (!text.is_string()) file_.fail(8, fmt::format("metadata {:?} is not a string.", key));
      metadata[key] = text.as_string();
    }
  }

  Entry entry(const std::string& name, const Config& value) const {
    const Config *dtype = value.find("dtype"), *shape = value.find("shape"),
                 *offsets = value.find("data_offsets");
    if (!dtype || !shape || !offsets || value.as_map().size() != 3 || !dtype->is_string())
      file_.fail(8, fmt::format("tensor {:?} needs dtype, shape and data_offsets only.", name));
    const std::vector<int64_t> range = integers(*offsets, name), dims = integers(*shape, name);
    if (range.size() != 2 || range[1] < range[0])
      file_.fail(8, fmt::format("tensor {:?} has no valid data_offsets.", name));
    return {name, element(dtype->as_string(), name), Shape(dims), static_cast<uint64_t>(range[0]),
            static_cast<uint64_t>(range[1])};
  }

  StoredType element(const std::string& dtype, const std::string& name) const {
    for (const Spelling& spelling : spellings)
      if (spelling.name == dtype) return spelling.element;
    file_.fail(8, fmt::format("tensor {:?} has the unknown dtype {:?}.", name, dtype));
  }

  std::vector<int64_t> integers(const Config& list, const std::string& name) const {
    std::vector<int64_t> values;
    if (list.is_list())
      for (const Config& item : list.as_list())
        if (item.is_int() && item.as_int() >= 0) values.push_back(item.as_int());
    if (!list.is_list() || values.size() != list.as_list().size())
      file_.fail(8, fmt::format("tensor {:?} has a shape or offset that is not a count.", name));
    return values;
  }

  const Blob& file_;
};

std::vector<size_t> sorted_indices(size_t count, auto before) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), before);
  return order;
}

// The tensors are contiguous from 0 to the end of the file: no hole, no overlap.
NamedArrays take_tensors(ByteCursor& cursor, const std::vector<Entry>& entries) {
  NamedArrays tensors(entries.size());
  const size_t start = cursor.offset();
  const auto order = sorted_indices(entries.size(), [&](size_t a, size_t b) {
    return std::pair(entries[a].begin, entries[a].end) <
           std::pair(entries[b].begin, entries[b].end);
  });
  for (size_t i : order) {
    const Entry& entry = entries[i];
    if (entry.begin != cursor.offset() - start)
      cursor.fail(fmt::format("tensor {:?} begins at {}, not at {} where the one before it ends.",
                              entry.name, entry.begin, cursor.offset() - start));
    tensors[i] = {entry.name, take_array(cursor, entry.element, entry.shape)};
    if (entry.end != cursor.offset() - start)
      cursor.fail(fmt::format("tensor {:?} of shape {} ends at {}, its data_offsets say {}.",
                              entry.name, to_string(entry.shape), cursor.offset() - start,
                              entry.end));
  }
  cursor.expect_end();
  return tensors;
}

std::string_view spelling_of(DType dtype) {
  switch (dtype) {
    case DType::float64:
      return "F64";
    case DType::float32:
      return "F32";
    case DType::float16:
      return "F16";
    case DType::bfloat16:
      return "BF16";
    case DType::int64:
      return "I64";
    case DType::int32:
      return "I32";
    case DType::int8:
      return "I8";
    case DType::uint8:
      return "U8";
    case DType::boolean:
      return "BOOL";
  }
  throw Internal("a dtype without a name in safetensors.");
}

void check_names(const NamedArrays& tensors) {
  std::set<std::string_view> seen;
  for (const auto& [name, array] : tensors)
    if (name == metadata_key || !seen.insert(name).second)
      throw InvalidArgument(fmt::format("the tensor name {:?} is {}.", name,
                                        name == metadata_key ? "reserved" : "used twice"));
}

Config entry_of(const Array& array, size_t begin) {
  Config::List dims;
  for (int64_t dim : array.shape()) dims.emplace_back(dim);
  const Config::List offsets{static_cast<int64_t>(begin),
                             static_cast<int64_t>(begin + array.bytes())};
  return Config::map({{"dtype", std::string(spelling_of(array.dtype()))},
                      {"shape", std::move(dims)},
                      {"data_offsets", offsets}});
}

std::string header_of(const NamedArrays& tensors, const std::vector<size_t>& order,
                      const std::map<std::string, std::string>& metadata) {
  Config::Map header, texts;
  for (const auto& [key, text] : metadata) texts.emplace_back(key, text);
  if (!texts.empty()) header.emplace_back(metadata_key, Config::map(std::move(texts)));
  std::vector<size_t> begins(tensors.size());
  size_t end = 0;
  for (size_t i : order) end = (begins[i] = end) + tensors[i].second.bytes();
  for (size_t i = 0; i < tensors.size(); ++i)
    header.emplace_back(tensors[i].first, entry_of(tensors[i].second, begins[i]));
  std::string text = Config::map(std::move(header)).to_string();
  text.resize(round_up(text.size(), 8), ' ');  // aligns the data
  return text;
}

}  // namespace

SafeTensors parse_safetensors(const Blob& file) {
  ByteCursor cursor(file);
  const auto length = cursor.little_endian<uint64_t>("the header's length");
  if (length > longest_header)
    cursor.fail(
        fmt::format("a header of {} bytes; at most {} are supported.", length, longest_header),
        "this may not be a safetensors file.");
  const Blob header = cursor.take(length, "the header");
  if (!header.text().starts_with('{')) header.fail(0, "the header does not begin with '{'.");
  HeaderReader reader(file);
  reader.read(parse_json(header.text(), file.name() + " (header)"));
  return {take_tensors(cursor, reader.entries), std::move(reader.metadata)};
}

void save_safetensors(const std::string& path, const NamedArrays& tensors,
                      const std::map<std::string, std::string>& metadata) {
  check_names(tensors);
  // Large elements first: every tensor is aligned to its element's size.
  const auto order = sorted_indices(tensors.size(), [&](size_t a, size_t b) {
    return size_of(tensors[a].second.dtype()) > size_of(tensors[b].second.dtype());
  });
  const std::string header = header_of(tensors, order, metadata);
  const uint64_t length = header.size();
  AtomicFile file(path);
  file.write(std::as_bytes(std::span(&length, 1)));
  file.write(header);
  for (size_t i : order) file.write({tensors[i].second.raw(), tensors[i].second.bytes()});
  file.commit();
}

}  // namespace stoker
