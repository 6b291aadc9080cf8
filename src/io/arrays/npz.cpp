#include "io/arrays/npz.h"

#include <fmt/format.h>

#include "io/archives/zip.h"
#include "io/arrays/npy.h"
#include "stoker/suggest.h"

namespace stoker {
namespace {

constexpr std::string_view suffix = ".npy";

std::string array_name(const std::string& member) {
  return member.ends_with(suffix) ? member.substr(0, member.size() - suffix.size()) : member;
}

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
