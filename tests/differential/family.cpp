#include "differential/family.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "stoker/io.h"
#include "stoker/layers/lookup.h"
#include "test_places.h"

namespace stoker::differential {
namespace {

std::filesystem::path folder() {
  return std::filesystem::path(STOKER_SOURCE_DIR) / "tests" / "differential" / "results";
}

std::string path_of(const std::string& name) { return (folder() / (name + ".npz")).string(); }

std::string text_of(const Array& bytes) {
  const auto characters = bytes.data<uint8_t>();
  return {characters.begin(), characters.end()};
}

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder()))
    if (entry.path().extension() == ".npz") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

Shape shape_of(const Config& list) {
  std::vector<int64_t> dims;
  for (const Config& dim : list.as_list()) dims.push_back(dim.as_int());
  return Shape(std::move(dims));
}

}  // namespace

std::vector<std::string> strings(const Config& place) {
  std::vector<std::string> found;
  for (const Config& text : place.find("strings")->as_list()) found.push_back(text.as_string());
  return found;
}

Family::Family(const std::string& name) {
  for (auto& [member, array] : load_npz(path_of(name))) pools_[member] = array;
  meta_ = parse_json(text_of(pools_.at("meta")), name);
}

const Config& Family::at(size_t index) const { return meta_.find("cases")->as_list().at(index); }

Array Family::array(const Config& place) const {
  if (place.is_null()) return {};
  if (place.find("strings"))
    return layers::string_ids(strings(place), shape_of(*place.find("shape")));
  const auto& parts = place.as_list();
  const Shape shape = shape_of(parts.at(2));
  const DType dtype = parse_dtype(parts.at(0).as_string());
  // numpy has no bfloat16: its numbers are stored as float32.
  const auto* pool = dtype == DType::bfloat16 ? "float32" : parts.at(0).as_string().c_str();
  const int64_t begin = parts.at(1).as_int();
  return pools_.at(pool).rows(begin, begin + shape.size()).reshape(shape).astype(dtype);
}

Array Family::array(const Config& record, const char* field) const {
  const Config* place = record.find(field);
  return place ? array(*place) : Array();
}

std::vector<Array> Family::list(const Config& record, const char* field) const {
  std::vector<Array> found;
  if (const Config* places = record.find(field))
    for (const Config& place : places->as_list()) found.push_back(array(place));
  return found;
}

std::vector<CaseName> all_cases() {
  std::vector<CaseName> cases;
  for (const std::string& name : family_names()) {
    std::istringstream lines(text_of(load_npz(path_of(name), "names")));
    size_t index = 0;
    for (std::string line; std::getline(lines, line);) cases.push_back({name, line, index++});
  }
  return cases;
}

const Family& family(const std::string& name) {
  static std::map<std::string, Family> read;
  return read.try_emplace(name, name).first->second;
}

}  // namespace stoker::differential
