#include <fstream>
#include <functional>
#include <map>

#include "io/archives/zip.h"
#include "io/hdf5/hdf5.h"
#include "io/test_files.h"
#include "stoker/io.h"
#include "stoker/model.h"
#include "support/golden.h"

// Model files written by current and older versions of Keras: their contents, and how training
// continues from them.
namespace stoker {
namespace {

using golden::Group;

const std::vector<std::string> groups = {"files",     "files_2_15", "files_3_0",
                                         "files_3_3", "files_3_6",  "text_files"};

const Group& group(const std::string& name) {
  static std::map<std::string, Group> loaded;
  const auto found = loaded.find(name);
  return found != loaded.end() ? found->second
                               : loaded.emplace(name, golden::load(name)).first->second;
}

// A case of a group, with the arrays it names.
struct File {
  const Group& group;
  const Config& config;

  std::string text(const char* name) const { return config.find(name)->as_string(); }
  std::vector<Array> list(const char* name) const { return group.list(config, name); }
  const Config* history() const { return config.find("history"); }
};

File file_named(const std::string& of, const std::string& name) {
  for (const Config& c : group(of).cases())
    if (golden::id(c) == name) return {group(of), c};
  throw std::runtime_error("no case " + name);
}

std::string write_case(const File& file, const std::string& folder) {
  const Array bytes = file.group.array(file.config, "file");
  const std::string path = folder + "/model" + file.text("extension");
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.raw()),
             static_cast<std::streamsize>(bytes.bytes()));
  return path;
}

Model load_case(const File& file, const std::string& folder) {
  const std::string path = write_case(file, folder);
  if (file.text("extension") != ".weights.h5") return load_model(path);
  Model model = load_model(write_case(file_named("files", "sequential"), folder));
  model.load_weights(path);
  return model;
}

void expect_near(const std::vector<Array>& got, const std::vector<Array>& want, double tolerance) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(golden::near(got[i], want[i], tolerance));
}

void expect_predictions(Model& model, const File& file) {
  expect_near(model.predict_all(file.list("x")), file.list("predictions"), 1e-5);
}

// Two epochs, as Keras continued from this file.
void expect_same_training(Model& model, const File& file) {
  const History history = model.fit(file.list("x"), file.list("y"),
                                    {.batch_size = 8, .epochs = 2, .verbose = 0, .shuffle = false});
  for (const auto& [key, values] : file.history()->as_map())
    for (size_t i = 0; i < values.as_list().size() && file.text("id") != "weights"; ++i)
      EXPECT_NEAR(history[key].at(i), values.as_list()[i].as_double(), 1e-5) << key;
  expect_near(model.get_weights(), file.list("final_weights"), 1e-5);
}

class GoldenFiles : public ::testing::TestWithParam<std::pair<std::string, std::string>> {
 protected:
  const File file = file_named(GetParam().first, GetParam().second);
  TemporaryFolder folder;
};

TEST_P(GoldenFiles, HoldWhatKerasSaved) {
  Model model = load_case(file, folder / "");
  expect_near(model.get_weights(), file.list("weights"), 0);
  expect_predictions(model, file);
  EXPECT_EQ(model.compiled(), file.history() != nullptr);
}

TEST_P(GoldenFiles, GoOnTrainingAsKerasDoes) {
  if (!file.history()) GTEST_SKIP() << "it was saved without compile";
  Model model = load_case(file, folder / "");
  expect_same_training(model, file);
}

TEST_P(GoldenFiles, ComeBackFromAnArchiveOfOurs) {
  Model model = load_case(file, folder / "");
  model.save(folder / "ours.keras");
  Model ours = load_model(folder / "ours.keras");
  EXPECT_EQ(ours.to_config(), model.to_config());
  expect_predictions(ours, file);
  if (file.history()) expect_same_training(ours, file);
}

// The contents of an archive by path: vocabularies, and the shapes of arrays.
std::map<std::string, std::string> layers_in(const std::string& path) {
  const ZipReader zip(read_file(path));
  std::map<std::string, std::string> found;
  for (const std::string& name : zip.names())
    if (name.starts_with("assets/")) found[name] = std::string(zip.read(name).text());
  const std::function<void(const H5Group&, const std::string&)> list = [&](const H5Group& group,
                                                                           const std::string& in) {
    for (const auto& [name, dataset] : group.datasets)
      found[in + name] = to_string(dataset.value.shape);
    for (const auto& [name, inside] : group.groups) list(inside, in + name + "/");
  };
  const H5Group weights = parse_hdf5(zip.read("model.weights.h5"));
  list(*weights.find_group("layers"), "layers/");
  return found;
}

TEST_P(GoldenFiles, AreWrittenWithTheSameLayers) {
  if (file.text("extension") != ".keras" || !GetParam().first.ends_with("files"))
    GTEST_SKIP() << "not an archive of today's Keras";
  Model model = load_case(file, folder / "");
  model.save(folder / "ours.keras");
  EXPECT_EQ(layers_in(folder / "ours.keras"), layers_in(folder / "model.keras"));
}

std::vector<std::pair<std::string, std::string>> all() {
  std::vector<std::pair<std::string, std::string>> found;
  for (const std::string& name : groups)
    for (const Config& c : group(name).cases()) found.emplace_back(name, golden::id(c));
  return found;
}

INSTANTIATE_TEST_SUITE_P(Keras, GoldenFiles, ::testing::ValuesIn(all()),
                         [](const auto& of) { return of.param.first + "_" + of.param.second; });

}  // namespace
}  // namespace stoker
