#include <fstream>

#include "io/test_files.h"
#include "nn/saving/h5_weights.h"
#include "stoker/model.h"
#include "support/golden.h"

// Files of layers with sublayers: Keras names these after its attributes, without the underscore of
// private ones only if they are public.
namespace stoker {
namespace {

using golden::Group;

const Group& group() {
  static const Group loaded = golden::load("layer_files");
  return loaded;
}

void collect_names(const H5Group& of, const std::string& path, std::vector<std::string>& names) {
  for (const auto& [name, dataset] : of.datasets) names.push_back(path + name);
  for (const auto& [name, child] : of.groups) collect_names(child, path + name + "/", names);
}

class GoldenLayerFiles : public ::testing::TestWithParam<std::string> {
 protected:
  const Config& golden() const {
    for (const Config& c : group().cases())
      if (golden::id(c) == GetParam()) return c;
    throw std::runtime_error("no case " + GetParam());
  }
  TemporaryFolder folder;
};

TEST_P(GoldenLayerFiles, AreReadAndWrittenUnderKerasNames) {
  const Array bytes = group().array(golden(), "file");
  const std::string path = folder / "model.keras";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.raw()),
             static_cast<std::streamsize>(bytes.bytes()));
  Model model = load_model(path);
  const auto outputs = model.predict_all(group().list(golden(), "inputs"));
  const auto wanted = group().list(golden(), "outputs");
  ASSERT_EQ(outputs.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_TRUE(golden::near(outputs[i], wanted[i]));
  std::vector<std::string> names, keras;
  collect_names(nn::weights_tree(model), "", names);
  for (const Config& name : golden().find("names")->as_list()) keras.push_back(name.as_string());
  std::ranges::sort(names);
  EXPECT_EQ(names, keras);
}

std::vector<std::string> all() {
  std::vector<std::string> names;
  for (const Config& c : group().cases()) names.push_back(golden::id(c));
  return names;
}

INSTANTIATE_TEST_SUITE_P(Keras, GoldenLayerFiles, ::testing::ValuesIn(all()),
                         [](const auto& of) { return of.param; });

}  // namespace
}  // namespace stoker
