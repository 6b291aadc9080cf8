#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "data/sources/folder_index.h"
#include "data/stage.h"
#include "io/images/resize.h"
#include "io/images/test_images.h"
#include "stoker/image_dataset.h"

namespace stoker {
namespace {

using data::FolderIndex;

// Two classes of the corpus's images, cats before dogs.
struct Pets {
  Pets() {
    put("jpeg/gray", "dogs/1.jpg");
    put("jpeg/rgb_444", "cats/b.jpeg");
    put("png/rgb", "cats/a.png");
    put("png/gray", "dogs/inner/2.PNG");
    write("cats/notes.txt", "no image");
  }
  void put(const std::string& seed, const std::string& to) const {
    write(to, std::string(images::seed(seed).text()));
  }
  void write(const std::string& to, const std::string& bytes) const {
    std::filesystem::create_directories(std::filesystem::path(folder / to).parent_path());
    std::ofstream(folder / to, std::ios::binary) << bytes;
  }
  TemporaryFolder folder;
};

std::string said(const std::function<void()>& run) {
  try {
    run();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}
#define EXPECT_IN(words, text) EXPECT_NE(std::string(text).find(words), std::string::npos) << (text)

// np.random.RandomState(7).shuffle(list(range(10))), and of seed 123 and 5 elements.
TEST(FolderIndex, ShufflesAsNumpyDoes) {
  const auto shuffled = [](int n, uint32_t seed) {
    FolderIndex index;
    for (int i = 0; i < n; ++i) index.paths.push_back(std::to_string(i)), index.labels.push_back(i);
    shuffle_as_numpy(index, seed);
    for (size_t i = 0; i < index.paths.size(); ++i)
      EXPECT_EQ(index.paths[i], std::to_string(index.labels[i]));
    return index.labels;
  };
  EXPECT_EQ(shuffled(10, 7), (std::vector<int32_t>{8, 5, 0, 2, 1, 9, 7, 3, 6, 4}));
  EXPECT_EQ(shuffled(5, 123), (std::vector<int32_t>{1, 3, 4, 0, 2}));
}

TEST(ImageFolder, GivesEveryImageOfItsClassInOrder) {
  const Pets pets;
  const auto images = image_dataset_from_directory(
      pets.folder.path(), {.batch_size = 3, .image_size = {6, 5}, .shuffle = false});
  EXPECT_EQ(images.class_names, (std::vector<std::string>{"cats", "dogs"}));
  EXPECT_EQ(to_string(images.dataset.element_spec()), "(float32(None, 6, 5, 3), int32(None,))");
  std::vector<double> labels;
  std::vector<Array> rows;
  for (const auto& [x, y] : images.dataset)
    for (int64_t i = 0; i < x.length(); ++i) {
      labels.push_back(y.at(i));
      rows.push_back(x.rows(i, i + 1).clone().reshape({6, 5, 3}));
    }
  EXPECT_EQ(labels, (std::vector<double>{0, 0, 1, 1}));
  const Array whole = images::decode_image(images::seed("png/rgb"), {.channels = 3});
  EXPECT_TRUE(images::within(rows[0], images::resize(whole, 6, 5), 1e-3));
}

// As tf.image.resize_with_pad, which Keras calls.
TEST(ImageFolder, PadsToTheAspectRatio) {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "a");
  const Array image = images::decode_image(images::seed("png/rgb"), {.channels = 3});
  std::ofstream(folder / "a/1.png", std::ios::binary) << images::seed("png/rgb").text();
  const auto padded = [&](int64_t height, int64_t width, const std::string& format) {
    return image_dataset_from_directory(folder.path(), {.labels = "none",
                                                        .batch_size = std::nullopt,
                                                        .image_size = {height, width},
                                                        .pad_to_aspect_ratio = true,
                                                        .data_format = format})
        .dataset.get_single_element()
        .array();
  };
  const auto h = static_cast<float>(image.shape()[0]), w = static_cast<float>(image.shape()[1]);
  for (const auto& [height, width] : {std::pair{40, 9}, {8, 41}, {11, 13}}) {
    const float ratio = std::max(h / static_cast<float>(height), w / static_cast<float>(width));
    const auto high = static_cast<int64_t>(h / ratio), wide = static_cast<int64_t>(w / ratio);
    const Array inner = images::resize(image, high, wide);
    const auto top = static_cast<int64_t>((static_cast<float>(height) - h / ratio) / 2),
               left = static_cast<int64_t>((static_cast<float>(width) - w / ratio) / 2);
    const Array want = image::pad_to_bounding_box(inner, top, left, height, width);
    const Array got = padded(height, width, "channels_last");
    EXPECT_TRUE(images::within(got, want, 1e-3));
    const Array planes = padded(height, width, "channels_first");
    ASSERT_EQ(planes.shape(), (Shape{3, height, width}));
    for (int64_t i = 0; i < want.size(); ++i)
      EXPECT_EQ(planes.at(i % 3 * height * width + i / 3), got.at(i));
  }
  EXPECT_IN("only one of crop_to_aspect_ratio", said([&] {
              image_dataset_from_directory(
                  folder.path(), {.crop_to_aspect_ratio = true, .pad_to_aspect_ratio = true});
            }));
  EXPECT_IN("data_format",
            said([&] { image_dataset_from_directory(folder.path(), {.data_format = "first"}); }));
}

TEST(ImageFolder, FollowsLinksIfAskedTo) {
  const Pets pets;
  pets.put("png/rgb", "more/inner/1.png");
  std::filesystem::create_directory_symlink("../more", pets.folder / "cats/link");
  std::filesystem::create_directory_symlink("..", pets.folder / "cats/loop");
  std::filesystem::create_directory_symlink(".", pets.folder / "cats/self");
  const auto files = [&](bool follow) {
    return image_dataset_from_directory(
               pets.folder.path(),
               {.class_names = {"cats"}, .shuffle = false, .follow_links = follow})
        .file_paths;
  };
  EXPECT_EQ(files(false).size(), 2u);
  const auto followed = files(true);
  ASSERT_EQ(followed.size(), 3u);
  EXPECT_EQ(followed[2], pets.folder / "cats/link/inner/1.png");
}

TEST(ImageFolder, HasLabelsInKerasModes) {
  const Pets pets;
  const auto labels = [&](const ImageDatasetArgs& args) {
    return to_string(image_dataset_from_directory(pets.folder.path(), args).dataset.element_spec());
  };
  EXPECT_EQ(labels({.label_mode = "binary", .image_size = {4, 4}}),
            "(float32(None, 4, 4, 3), float32(None, 1))");
  EXPECT_EQ(labels({.label_mode = "categorical", .color_mode = "grayscale", .image_size = {4, 4}}),
            "(float32(None, 4, 4, 1), float32(None, 2))");
  EXPECT_EQ(labels({.labels = "none", .batch_size = std::nullopt, .image_size = {4, 4}}),
            "float32(4, 4, 3)");
  for (const auto& [x, y] :
       image_dataset_from_directory(
           pets.folder.path(),
           {.label_mode = "categorical", .image_size = {4, 4}, .shuffle = false})
           .dataset)
    for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(y.at(2 * i + (i < 2 ? 0 : 1)), 1);
}

TEST(ImageFolder, SplitsIntoDisjointSubsets) {
  const Pets pets;
  std::vector<std::string> all;
  for (const char* subset : {"training", "validation"}) {
    const auto part = image_dataset_from_directory(
        pets.folder.path(),
        {.image_size = {4, 4}, .seed = 9, .validation_split = 0.5, .subset = subset});
    EXPECT_EQ(part.file_paths.size(), 2u);
    all.insert(all.end(), part.file_paths.begin(), part.file_paths.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
}

TEST(ImageFolder, SplitsIntoBothSubsetsAtOnce) {
  const Pets pets;
  ImageDatasetArgs args{.batch_size = 1, .image_size = {4, 4}, .seed = 9, .validation_split = 0.5};
  const auto [training, validation] = image_subsets_from_directory(pets.folder.path(), args);
  const auto one = [&](const char* subset) {
    ImageDatasetArgs chosen = args;
    chosen.subset = subset;
    return image_dataset_from_directory(pets.folder.path(), chosen);
  };
  EXPECT_EQ(training.file_paths, one("training").file_paths);
  EXPECT_EQ(validation.file_paths, one("validation").file_paths);
  EXPECT_EQ(validation.class_names, (std::vector<std::string>{"cats", "dogs"}));
  EXPECT_TRUE(training.dataset.stage()->inputs()[0]->is_random());  // shuffled
  EXPECT_FALSE(validation.dataset.stage()->inputs()[0]->is_random());
  std::vector<double> labels;  // of validation files in their order
  for (const auto& [x, y] : validation.dataset) labels.push_back(y.at(0));
  for (size_t i = 0; i < labels.size(); ++i)
    EXPECT_EQ(labels[i], validation.file_paths[i].find("/dogs/") != std::string::npos);
  const auto with = [&](const ImageDatasetArgs& wrong) {
    return said([&] { image_subsets_from_directory(pets.folder.path(), wrong); });
  };
  EXPECT_IN("validation_split must be between 0 and 1, got 0", with({.seed = 1}));
  EXPECT_IN("needs a seed", with({.validation_split = 0.5}));
  args.subset = "training";
  EXPECT_IN("returns both subsets, but subset is \"training\"", with(args));
  EXPECT_IN("image_subsets_from_directory returns them", said([&] { one("both"); }));
}

// Keras's order of nested folders, which determines the subsets; hidden folders are no
// classes.
TEST(ImageFolder, FindsTheFilesThatKerasFinds) {
  const Pets pets;
  pets.put("png/rgb", "cats/sub/x/1.png");
  pets.put("png/rgb", "cats/sub-2/2.png");
  pets.put("png/rgb", ".thumbnails/3.png");
  std::filesystem::create_directory_symlink("..", pets.folder / "cats/loop");
  std::filesystem::create_symlink("itself.png", pets.folder / "dogs/itself.png");
  const auto names = [&](const ImageDatasetArgs& args) {
    std::vector<std::string> paths =
        image_dataset_from_directory(pets.folder.path(), args).file_paths;
    for (std::string& path : paths) path = path.substr(pets.folder.path().size() + 1);
    return paths;
  };
  const std::vector<std::string> cats{"cats/a.png", "cats/b.jpeg", "cats/sub-2/2.png",
                                      "cats/sub/x/1.png"};
  std::vector<std::string> all = cats;
  all.insert(all.end(), {"dogs/1.jpg", "dogs/itself.png", "dogs/inner/2.PNG"});
  EXPECT_EQ(names({.shuffle = false}), all);
  EXPECT_EQ(names({.class_names = {"cats"}, .shuffle = false}), cats);
  all.insert(all.begin(), ".thumbnails/3.png");
  EXPECT_EQ(names({.labels = "none", .shuffle = false}), all);
  EXPECT_EQ(names({.label_mode = "none", .shuffle = false}), all);
}

TEST(ImageFolder, TakesALabelForEachFile) {
  const Pets pets;
  const auto images = image_dataset_from_directory(
      pets.folder.path(),
      {.labels = {7, 3, 7, 5}, .batch_size = 4, .image_size = {4, 4}, .shuffle = false});
  EXPECT_EQ(images.class_names, (std::vector<std::string>{"3", "5", "7"}));
  const Array labels = images.dataset.as_list()[0][1].array();
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(labels.at(i), std::vector<double>({7, 3, 7, 5})[i]);
  const auto with = [&](const ImageDatasetArgs& args) {
    return said([&] { image_dataset_from_directory(pets.folder.path(), args); });
  };
  EXPECT_IN("3 labels for 4 files", with({.labels = {0, 1, 2}}));
  EXPECT_IN("from 3 to 7 of 3 classes",
            with({.labels = {7, 3, 7, 5}, .label_mode = "categorical"}));
  EXPECT_IN("the labels are not inferred",
            with({.labels = {0, 1, 1, 0}, .class_names = {"cats", "dogs"}}));
}

TEST(ImageFolder, SaysWhatIsWrong) {
  const Pets pets;
  const std::string folder = pets.folder.path();
  const auto with = [&](const ImageDatasetArgs& args) {
    return said([&] { image_dataset_from_directory(folder, args); });
  };
  EXPECT_IN("cannot read the folder /nowhere",
            said([] { image_dataset_from_directory("/nowhere"); }));
  EXPECT_IN("did you mean \"int\"", with({.label_mode = "ints"}));
  EXPECT_IN("class_names has mice, but", with({.class_names = {"cats", "mice"}}));
  EXPECT_IN("validation_split and subset go together", with({.validation_split = 0.2}));
  EXPECT_IN("needs a seed", with({.validation_split = 0.2, .subset = "training"}));
  EXPECT_IN("image_size must be", with({.image_size = {0, 4}}));
  pets.write("dogs/3.gif", "GIF89a");
  EXPECT_IN("dogs/3.gif is not supported", with({}));
  std::filesystem::remove(folder + "/dogs/3.gif");
  pets.write("dogs/0.jpg", "no JPEG at all");
  const auto images =
      image_dataset_from_directory(folder, {.image_size = {4, 4}, .shuffle = false});
  const std::string broken = said([&] {
    for (const Element& batch : images.dataset) (void)batch;
  });
  EXPECT_IN("dogs/0.jpg", broken);
  std::filesystem::remove(folder + "/dogs/0.jpg");
  std::filesystem::remove(folder + "/cats/a.png");
  EXPECT_IN("cats/a.png", said([&] {
              for (const Element& batch : images.dataset) (void)batch;
            }));
}

TEST(ImageFolder, NamesClassesAndFoldersWithoutImages) {
  const Pets pets;
  std::filesystem::create_directory(pets.folder / "mice");
  ::testing::internal::CaptureStderr();
  const auto images = image_dataset_from_directory(pets.folder.path(), {.image_size = {4, 4}});
  const std::string text = ::testing::internal::GetCapturedStderr();
  EXPECT_IN("/mice has no file with one of the endings", text);
  EXPECT_EQ(images.class_names, (std::vector<std::string>{"cats", "dogs", "mice"}));
  const TemporaryFolder none;
  EXPECT_IN("in a sub-folder for its class",
            said([&] { image_dataset_from_directory(none.path()); }));
}

// Independent of threads and restarts; rows are written in place.
TEST(ImageFolder, IsTheSameForAnyNumberOfThreads) {
  const Pets pets;
  const auto images = image_dataset_from_directory(
      pets.folder.path(), {.batch_size = 3, .image_size = {9, 7}, .seed = 4});
  const Dataset repeated = images.dataset.repeat(5);
  const auto read = [&](int threads, int64_t skip) {
    data::Workers workers(threads);
    const auto cursor = repeated.stage()->open({.workers = &workers});
    cursor->skip(skip);
    std::vector<double> values;
    Element batch;
    while (cursor->next(batch))
      for (int64_t i = 0; i < batch.arrays()[0].size(); ++i)
        values.push_back(batch.arrays()[0].at(i));
    return values;
  };
  const auto one = read(1, 0);
  EXPECT_EQ(read(4, 0), one);
  const auto rest = read(3, 2);
  EXPECT_EQ(rest,
            std::vector<double>(one.end() - static_cast<std::ptrdiff_t>(rest.size()), one.end()));
}

}  // namespace
}  // namespace stoker
