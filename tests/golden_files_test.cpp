#include <fstream>

#include "io/test_files.h"
#include "stoker/model.h"
#include "support/golden.h"

// Model files that real Keras wrote: what is in them, and how training goes on from them.
namespace stoker {
namespace {

using golden::Group;

const Group& group() {
  static const Group loaded = golden::load("files");
  return loaded;
}

const Config& case_named(const std::string& name) {
  for (const Config& c : group().cases())
    if (golden::id(c) == name) return c;
  throw std::runtime_error("no case " + name);
}

std::string text(const Config& of, const char* name) { return of.find(name)->as_string(); }

std::string write_case(const Config& c, const std::string& folder) {
  const Array bytes = group().array(c, "file");
  const std::string path = folder + "/model" + text(c, "extension");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.raw()),
             static_cast<std::streamsize>(bytes.bytes()));
  return path;
}

Model load_case(const Config& c, const std::string& folder) {
  const std::string path = write_case(c, folder);
  if (text(c, "extension") != ".weights.h5") return load_model(path);
  Model model = load_model(write_case(case_named("sequential"), folder));
  model.load_weights(path);
  return model;
}

void expect_near(const std::vector<Array>& got, const std::vector<Array>& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(golden::near(got[i], want[i], tolerance));
}

void expect_predictions(Model& model, const Config& c) {
  expect_near(model.predict_all(group().list(c, "x")), group().list(c, "predictions"), 1e-5);
}

// Two epochs, as Keras went on from this file.
void expect_same_training(Model& model, const Config& c) {
  const History history = model.fit(group().list(c, "x"), group().list(c, "y"),
                                    {.batch_size = 8, .epochs = 2, .verbose = 0, .shuffle = false});
  for (const auto& [key, values] : c.find("history")->as_map())
    for (size_t i = 0; i < values.as_list().size() && text(c, "id") != "weights"; ++i)
      EXPECT_NEAR(history[key].at(i), values.as_list()[i].as_double(), 1e-5) << key;
  expect_near(model.get_weights(), group().list(c, "final_weights"), 1e-5);
}

class GoldenFiles : public testing::TestWithParam<std::string> {
 protected:
  const Config& of_case() const { return case_named(GetParam()); }
  TemporaryFolder folder;
};

TEST_P(GoldenFiles, HoldWhatKerasSaved) {
  Model model = load_case(of_case(), folder / "");
  expect_near(model.get_weights(), group().list(of_case(), "weights"), 0);
  expect_predictions(model, of_case());
  EXPECT_EQ(model.compiled(), of_case().find("history") != nullptr);
}

TEST_P(GoldenFiles, GoOnTrainingAsKerasDoes) {
  if (!of_case().find("history")) GTEST_SKIP() << "it was saved without compile";
  Model model = load_case(of_case(), folder / "");
  expect_same_training(model, of_case());
}

TEST_P(GoldenFiles, ComeBackFromAnArchiveOfOurs) {
  Model model = load_case(of_case(), folder / "");
  model.save(folder / "ours.keras");
  Model ours = load_model(folder / "ours.keras");
  EXPECT_EQ(ours.to_config(), model.to_config());
  expect_predictions(ours, of_case());
  if (of_case().find("history")) expect_same_training(ours, of_case());
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const Config& c : group().cases()) found.push_back(golden::id(c));
  return found;
}

INSTANTIATE_TEST_SUITE_P(Keras, GoldenFiles, testing::ValuesIn(names()),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace stoker
