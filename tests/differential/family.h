#pragma once
#include <map>
#include <string>
#include <vector>

#include "stoker/array.h"
#include "stoker/config.h"

// Keras's results for a family of cases, from tests/differential/results/<family>.npz;
// tools/differential/README.md describes the format.
namespace stoker::differential {

class Family {
 public:
  explicit Family(const std::string& name);
  const Config& at(size_t index) const;
  // The array of a case's field [dtype, offset, shape]; undefined for null.
  Array array(const Config& place) const;
  Array array(const Config& record, const char* field) const;
  std::vector<Array> list(const Config& record, const char* field) const;

 private:
  Config meta_;
  std::map<std::string, Array> pools_;
};

// For fields with strings, which as an array are their ids.
std::vector<std::string> strings(const Config& place);

struct CaseName {
  std::string family, name;
  size_t index;
};
std::vector<CaseName> all_cases();
const Family& family(const std::string& name);  // read once

}  // namespace stoker::differential
