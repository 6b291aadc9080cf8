#pragma once
#include <map>
#include <string>
#include <vector>

#include "stoker/array.h"
#include "stoker/config.h"

// What real Keras does with a family's cases, from tests/differential/<family>.npz;
// tools/differential/README.md has the format.
namespace stoker::differential {

class Family {
 public:
  explicit Family(const std::string& name);
  const Config& at(size_t index) const;
  // What a case's field says: [dtype, offset, shape]; undefined for null.
  Array array(const Config& place) const;
  Array array(const Config& record, const char* field) const;
  std::vector<Array> list(const Config& record, const char* field) const;

 private:
  Config meta_;
  std::map<std::string, Array> pools_;
};

// Of a place that holds strings, which as an array are their ids.
std::vector<std::string> strings(const Config& place);

struct CaseName {
  std::string family, name;
  size_t index;
};
std::vector<CaseName> all_cases();
const Family& family(const std::string& name);  // read once

}  // namespace stoker::differential
