#include "io/records/webdataset_reader.h"

#include <algorithm>

#include "io/records/record_number.h"

namespace stoker {
namespace {

// Is a folder or the file itself called "__name__"?
bool is_meta_name(std::string_view name) {
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part.size() > 4 && part.starts_with("__") && part.ends_with("__")) return true;
    begin = end + 1;
  }
  return false;
}

// False: it belongs to no sample.
bool split_name(std::string_view name, std::string& key, std::string& extension) {
  const size_t base = name.rfind('/') + 1;  // npos + 1 is 0
  const size_t dot = name.find('.', base);
  if (dot == name.npos || dot == base || is_meta_name(name)) return false;
  key = name.substr(0, dot);
  extension = name.substr(dot + 1);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return true;
}

}  // namespace

const WebSample::Part* WebSample::find(std::string_view extension) const {
  const auto found = std::find_if(parts.begin(), parts.end(),
                                  [&](const Part& part) { return part.extension == extension; });
  return found == parts.end() ? nullptr : &*found;
}

bool WebDatasetReader::next(WebSample& sample) {
  return in_record("sample", number_, [&] { return take(&sample); });
}

uint64_t WebDatasetReader::skip(uint64_t samples) {
  uint64_t skipped = 0;
  while (skipped < samples && in_record("sample", number_, [&] { return take(nullptr); }))
    ++skipped;
  return skipped;
}

// With a null pointer the sample is skipped unread.
bool WebDatasetReader::take(WebSample* sample) {
  if (!waiting_ && !advance()) return false;
  const std::string key = key_;
  if (sample) *sample = {key, {}, member_.offset};
  std::optional<IoError> twice;  // thrown after the whole sample, so that the next one can be read
  do {
    waiting_ = false;
    if (sample && sample->find(extension_))
      twice = two_files(*sample);
    else if (sample)
      sample->parts.push_back({extension_, tar_.content(), tar_.owner()});
  } while (advance() && key_ == key);
  ++number_;
  if (twice) throw *twice;
  return true;
}

bool WebDatasetReader::advance() {
  do {
    if (!tar_.next(member_)) return false;
  } while (!split_name(member_.name, key_, extension_));
  return waiting_ = true;
}

IoError WebDatasetReader::two_files(const WebSample& sample) const {
  IoError error(fmt::format("sample \"{}\" has two files \".{}\".", sample.key, extension_));
  error.add_where(tar_.place());
  return error;
}

}  // namespace stoker
