#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include "differential/kind.h"
#include "differential/same_config.h"
#include "stoker/error.h"
#include "test_places.h"

namespace stoker::differential {
namespace {

const Config& record_of(const CaseName& one) { return family(one.family).at(one.index); }
const Kind& kind_of(const CaseName& one) {
  return kinds().at(record_of(one).find("kind")->as_string());
}

bool known(const Kind& kind, const std::string& class_name) {
  const auto names = kind.class_names();
  return std::ranges::find(names, class_name) != names.end();
}

// The first class named anywhere in a config that does not exist here, for example a wrapper's
// layer.
std::string missing_class(const Config& config, const std::string& module, const Kind& kind) {
  const Config* owner = config.find("module");
  const Config* name = config.find("class_name");
  if (owner && name && owner->is_string() && owner->as_string() == module &&
      !known(kind, name->as_string()))
    return name->as_string();
  std::string found;
  if (config.is_map())
    for (const auto& [key, value] : config.as_map())
      if (found.empty()) found = missing_class(value, module, kind);
  if (config.is_list())
    for (const Config& value : config.as_list())
      if (found.empty()) found = missing_class(value, module, kind);
  return found;
}

std::string missing_class(const Config& record, const Kind& kind) {
  const std::string& class_name = record.find("class_name")->as_string();
  if (!known(kind, class_name)) return class_name;
  const Config* module = record.find("object") ? object_of(record).find("module") : nullptr;
  const Config* outer = record.find("object") ? object_of(record).find("class_name") : nullptr;
  // An operation's object is a model that contains it.
  const bool inside = module && module->is_string() && outer && outer->is_string() &&
                      outer->as_string() == class_name;
  return inside ? missing_class(object_of(record), module->as_string(), kind) : "";
}

// Names in gaps.txt are known failures; STOKER_GAPS=1 runs them anyway.
bool is_a_gap(const std::string& name) {
  static const std::set<std::string> gaps = [] {
    std::set<std::string> names;
    if (std::getenv("STOKER_GAPS")) return names;
    std::ifstream file(STOKER_SOURCE_DIR "/tests/differential/gaps.txt");
    for (std::string line; std::getline(file, line);) names.insert(line);
    return names;
  }();
  return gaps.count(name) > 0;
}

class Differential : public ::testing::TestWithParam<CaseName> {
 protected:
  void SetUp() override {
    const std::string name = ::testing::UnitTest::GetInstance()->current_test_info()->name();
    if (is_a_gap(name)) GTEST_SKIP() << "a known gap";
  }
};

class DifferentialConfig : public Differential {};

TEST_P(Differential, IsKeras) {
  const Family& of = family(GetParam().family);
  const Config& record = of.at(GetParam().index);
  const Kind& kind = kind_of(GetParam());
  if (const auto missing = missing_class(record, kind); !missing.empty())
    GTEST_SKIP() << missing << " is not there";
  try {
    kind.run(of, record);
  } catch (const Error& error) {
    FAIL() << error.what();
  }
}

// Reading and writing Keras's config again changes nothing.
TEST_P(DifferentialConfig, ConfigIsKeras) {
  const Config& record = record_of(GetParam());
  const Kind& kind = kind_of(GetParam());
  if (const auto missing = missing_class(record, kind); !missing.empty())
    GTEST_SKIP() << missing << " is not there";
  try {
    const Config& wanted = *object_of(record).find("config");
    const Config written = kind.rewrite(object_of(record));
    EXPECT_EQ(difference(kind.writes_more ? common(written, wanted) : written, wanted), "");
  } catch (const Error& error) {
    FAIL() << error.what();
  }
}

std::vector<CaseName> rewritten_cases() {
  std::vector<CaseName> cases = all_cases();
  std::erase_if(cases, [](const CaseName& one) { return !kind_of(one).rewrite; });
  return cases;
}

constexpr auto case_name = [](const auto& of) { return of.param.family + "_" + of.param.name; };
INSTANTIATE_TEST_SUITE_P(Keras, Differential, ::testing::ValuesIn(all_cases()), case_name);
INSTANTIATE_TEST_SUITE_P(Keras, DifferentialConfig, ::testing::ValuesIn(rewritten_cases()),
                         case_name);

}  // namespace
}  // namespace stoker::differential
