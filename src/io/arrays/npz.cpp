#include "io/arrays/npz.h"

#include <fmt/format.h>

#include "io/archives/zip.h"
#include "io/arrays/array_format.h"
#include "io/arrays/npy.h"
#include "stoker/suggest.h"

namespace stoker {
namespace {

constexpr std::string_view suffix = ".npy";

std::string array_name(const std::string& member) {
  return member.ends_with(suffix) ? member.substr(0, member.size() - suffix.size()) : member;
}

Array only_array(const Blob& file) {
  NamedArrays arrays = parse_npz(file);
  if (arrays.size() == 1) return arrays[0].second;
  std::string names;
  for (const auto& [name, array] : arrays) names += (names.empty() ? "" : ", ") + name;
  throw InvalidArgument(fmt::format("{} has {} arrays: {}.", file.name(), arrays.size(), names),
                        fmt::format("name one of them, as in \"{}:name\".", file.name()));
}

const RegisterArrayFormat registered({"npz", "with one array, or NAME.npz:ARRAY", is_zip,
                                      only_array});

}  // namespace

NamedArrays parse_npz(const Blob& file) {
  const ZipReader zip(file);
  NamedArrays arrays;
  for (const std::string& name : zip.names())
    arrays.emplace_back(array_name(name), parse_npy(zip.read(name)));
  return arrays;
}

Array parse_npz_member(const Blob& file, const std::string& member) {
  const ZipReader zip(file);
  std::vector<std::string> known;
  for (const std::string& name : zip.names()) {
    if (array_name(name) == member || name == member) return parse_npy(zip.read(name));
    known.push_back(array_name(name));
  }
  throw IoError(fmt::format("{} has no array \"{}\".", file.name(), member),
                did_you_mean(member, known));
}

}  // namespace stoker
