#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <set>

#include "io/atomic_file.h"
#include "io/test_files.h"
#include "report/fields.h"
#include "report/test_record.h"
#include "stoker/io.h"
#include "test_places.h"

// run.json: what is written is read back, and damage is reported.
namespace stoker::report {
namespace {

std::string error_in(const std::string& text) {
  return error_of([&] { run_from_config(parse_json(text, "run.json"), "run.json"); });
}

std::string changed(const std::string& from, const std::string& to) {
  std::string text = to_config(some_record()).to_string();
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

TEST(RunRecord, ComesBackAsItWas) {
  const TemporaryFolder folder;
  const RunRecord run = some_record();
  save_run(folder / "run.json", run);
  const RunRecord again = load_run(folder.path());
  EXPECT_EQ(to_config(again).to_string(), to_config(run).to_string());
  EXPECT_EQ(again.account.advice[0].evidence, run.account.advice[0].evidence);
  EXPECT_FALSE(again.account.parts[2].observed);
  EXPECT_EQ(again.curves[0].values[2], 0.5);
  EXPECT_TRUE(std::isnan(again.curves[0].values[1]));
}

TEST(RunRecord, OfNothingComesBackToo) {
  const Config empty = to_config(RunRecord());
  EXPECT_EQ(to_config(run_from_config(empty, "x")).to_string(), empty.to_string());
}

TEST(RunRecord, InfinityIsNullAndBytesThatAreNoTextAreReplaced) {
  RunRecord run = some_record();
  run.curves[0].values[0] = std::numeric_limits<double>::infinity();
  run.name =
      "a\xff"
      "b\xc3\xa9\xed\xa0\x80";
  run.settings = {{"a", "1"}, {"a", "2"}};
  const std::string text = to_config(run).to_string();
  const RunRecord again = run_from_config(parse_json(text), "x");
  EXPECT_TRUE(std::isnan(again.curves[0].values[0]));
  EXPECT_EQ(again.name,
            "a\xef\xbf\xbd"
            "b\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(again.settings.size(), 1u);
}

TEST(RunRecord, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(
      error_in(changed("\"seconds\": 4.0", "\"seconds\": \"x\"")),
      "\"account.parts[1].seconds\" should be a number or null, and is a string. At run.json.");
  EXPECT_EQ(error_in(changed("\"wall\": 10.0, ", "")), "\"account.wall\" is missing. At run.json.");
  EXPECT_EQ(error_in(changed("[1, 2, 3]", "[1, 2]")),
            "\"curves[0]\" has 2 epochs and 3 values. At run.json.");
  EXPECT_EQ(error_in(changed("[50, 0]", "[50]")),
            "\"memory.uses[1]\" has 1 sizes for 2 places. At run.json.");
}

TEST(RunRecord, OfAnotherVersionOrKindIsRefused) {
  EXPECT_NE(error_in(changed("\"version\": 3", "\"version\": 7"))
                .find("is a record of version 7, and this program reads version 3."),
            std::string::npos);
  EXPECT_NE(error_in("{\"version\": 1}").find("is not a record of a run."), std::string::npos);
  EXPECT_NE(error_in("[]").find("is not a record of a run."), std::string::npos);
}

TEST(RunRecord, HalfAFileIsNamedWithTheOffset) {
  const TemporaryFolder folder;
  const std::string text = to_config(some_record()).to_string();
  write_file(folder / "run.json", text.substr(0, text.size() / 2));
  const std::string error = error_of([&] { load_run(folder.path()); });
  EXPECT_NE(error.find("run.json:1:" + std::to_string(text.size() / 2 + 1)), std::string::npos)
      << error;
  EXPECT_NE(error_of([&] { load_run(folder / "none"); }).find("none"), std::string::npos);
  std::filesystem::create_directory(folder / "empty");
  EXPECT_NE(error_of([&] { load_run(folder / "empty"); }).find("has no run.json."),
            std::string::npos);
}

// The paths of all fields: "account.parts[].seconds".
class Names {
 public:
  Names(std::set<std::string>& all, std::string prefix) : all_(all), prefix_(std::move(prefix)) {}
  template <class T>
  void operator()(const char* key, const T& value) {
    add(prefix_ + key, value);
  }

 private:
  template <class T>
  void add(const std::string& path, const T&) {
    all_.insert(path);
  }
  void add(const std::string& path, const TextPairs&) { all_.insert(path); }
  template <class T>
  requires std::is_class_v<T> &&(!std::same_as<T, std::string>)  //
      void add(const std::string& path, const std::vector<T>&) {
    descend<T>(path + "[].");
  }
  void add(const std::string& path, const std::vector<std::string>&) { all_.insert(path); }
  template <class T>
  requires requires(const T& t, Names& n) { visit(t, n); }
  void add(const std::string& path, const T&) { descend<T>(path + "."); }
  template <class T>
  void descend(const std::string& prefix) {
    Names inside(all_, prefix);
    const T some{};
    visit(some, inside);
  }

  std::set<std::string>& all_;
  std::string prefix_;
};

TEST(RunRecord, EveryFieldIsDocumented) {
  std::set<std::string> fields;
  Names names(fields, "");
  const RunRecord run;
  visit(run, names);
  std::ifstream file(STOKER_SOURCE_DIR "/docs/report.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  for (const std::string& field : fields)
    EXPECT_NE(page.find("| `" + field + "` |"), std::string::npos) << field;
  EXPECT_GT(fields.size(), 60u);
}

}  // namespace
}  // namespace stoker::report
