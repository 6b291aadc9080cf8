#include <fstream>

#include "io/test_files.h"
#include "nn/saving/h5_weights.h"
#include "stoker/model.h"
#include "support/golden.h"

// Files of every optimizer written by Keras, alone and inside a LossScaleOptimizer, right after
// compile and after some steps. A wrong order or number of variables shows in the state, a wrong
// meaning in the training that follows.
namespace stoker {
namespace {

using golden::Group;

const Group& group() {
  static const Group loaded = golden::load("optimizer_files");
  return loaded;
}

struct Case {
  const Config& config;
  double tolerance() const { return config.find("tolerance")->as_double(); }
  double loss() const { return config.find("loss")->as_double(); }
  Array array(const char* name) const { return group().array(config, name); }
  std::vector<Array> list(const char* name) const { return group().list(config, name); }
};

Case case_named(const std::string& name) {
  for (const Config& c : group().cases())
    if (golden::id(c) == name) return {c};
  throw std::runtime_error("no case " + name);
}

std::vector<Array> state_in_file(const Model& model) {
  const H5Group root = nn::weights_tree(model);
  const auto& datasets = root.find_group("optimizer/vars")->datasets;
  std::vector<Array> state;
  for (size_t i = 0; i < datasets.size(); ++i)
    state.push_back(datasets.at(std::to_string(i)).value.numbers);
  return state;
}

class GoldenOptimizerFiles : public ::testing::TestWithParam<std::string> {
 protected:
  const Case golden = case_named(GetParam());
  TemporaryFolder folder;

  Model load() {
    const Array bytes = golden.array("file");
    const std::string path = folder / "model.keras";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.raw()),
               static_cast<std::streamsize>(bytes.bytes()));
    return load_model(path);
  }

  // An epoch, as Keras continued from this file.
  void expect_same_training(Model& model) {
    ::testing::internal::CaptureStderr();
    const History history =
        model.fit(golden.array("x"), golden.array("y"),
                  {.batch_size = 4, .epochs = 1, .verbose = 0, .shuffle = false});
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
    EXPECT_NEAR(history["loss"].at(0), golden.loss(), golden.tolerance() * golden.loss());
    expect_near(model.get_weights(), golden.list("weights"));
    expect_near(state_in_file(model), golden.list("state"));
  }

  void expect_near(const std::vector<Array>& got, const std::vector<Array>& want) {
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(golden::near(got[i], want[i], golden.tolerance())) << "variable " << i;
  }
};

TEST_P(GoldenOptimizerFiles, GoOnTrainingAsKerasDoes) {
  Model model = load();
  expect_same_training(model);
}

TEST_P(GoldenOptimizerFiles, GoOnFromAnArchiveOfOurs) {
  load().save(folder / "ours.keras");
  Model ours = load_model(folder / "ours.keras");
  expect_same_training(ours);
}

std::vector<std::string> all() {
  std::vector<std::string> names;
  for (const Config& c : group().cases()) names.push_back(golden::id(c));
  return names;
}

INSTANTIATE_TEST_SUITE_P(Keras, GoldenOptimizerFiles, ::testing::ValuesIn(all()),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace stoker
