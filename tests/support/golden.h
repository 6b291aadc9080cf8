#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "stoker/io.h"
#include "stoker/tensor.h"
#include "test_places.h"

// Keras's numbers in tests/golden/<group>.npz; the README there describes the format.
namespace stoker::golden {

struct Group {
  Config meta;
  std::map<std::string, Array> arrays;

  const Config::List& cases() const { return meta.find("cases")->as_list(); }
  // The array named by a field of a case; undefined for null.
  Array array(const Config& name) const {
    return name.is_null() ? Array() : arrays.at(name.as_string());
  }
  Array array(const Config& of_case, const char* field) const {
    const Config* name = of_case.find(field);
    return name ? array(*name) : Array();
  }
  std::vector<Array> list(const Config& of_case, const char* field) const {
    std::vector<Array> found;
    if (const Config* names = of_case.find(field))
      for (const Config& name : names->as_list()) found.push_back(array(name));
    return found;
  }
};

inline Group load(const std::string& name) {
  Group group;
  for (auto& [member, array] :
       load_npz(std::string(STOKER_SOURCE_DIR) + "/tests/golden/" + name + ".npz"))
    group.arrays[member] = array;
  const auto text = group.arrays.at("meta").data<uint8_t>();
  group.meta = parse_json({reinterpret_cast<const char*>(text.data()), text.size()}, name);
  return group;
}

inline std::string id(const Config& of_case) { return of_case.find("id")->as_string(); }

// Equal up to `tolerance` of the expected maximum (of 1, if that is less).
inline ::testing::AssertionResult near(const Array& got, const Array& want,
                                       double tolerance = 1e-5) {
  if (got.shape() != want.shape())
    return ::testing::AssertionFailure()
           << "shape " << to_string(got.shape()) << " instead of " << to_string(want.shape());
  double scale = 1;
  for (int64_t i = 0; i < want.size(); ++i) scale = std::max(scale, std::abs(want.at(i)));
  for (int64_t i = 0; i < want.size(); ++i)
    if (!(std::abs(got.at(i) - want.at(i)) <= tolerance * scale))
      return ::testing::AssertionFailure()
             << "element " << i << " is " << got.at(i) << " instead of " << want.at(i);
  return ::testing::AssertionSuccess();
}

}  // namespace stoker::golden
