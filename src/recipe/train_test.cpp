#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <future>

#include "io/test_files.h"
#include "nn/model_impl.h"
#include "nn/training/session.h"
#include "stoker/io.h"
#include "stoker/recipe.h"
#include "support/fake_clock.h"
#include "support/fake_gpu.h"

// Training by a recipe on an asynchronous device.
namespace stoker {
namespace {

class RecipeOnADevice : public stoker::testing::FakeGpu {
 protected:
  RecipeOnADevice() {
    control.step_nanoseconds = 1000;
    control.pass = stoker::testing::FakeClock::pass;
    std::vector<float> x, y;
    for (int i = 0; i < 80; ++i) {
      x.push_back(std::sin(static_cast<float>(i)));
      if (i % 4 == 0) y.push_back(std::cos(static_cast<float>(i)));
    }
    save_npy(folder / "x.npy", Array::from(x, {20, 4}));
    save_npy(folder / "y.npy", Array::from(y, {20, 1}));
    std::ofstream(folder / "small.toml") << fmt::format(R"([model]
layers = [
  {{class_name = "Input", shape = [4]}},
  {{class_name = "Dense", units = 3, activation = "relu"}},
  {{class_name = "Dense", units = 1}},
]
[compile]
loss = "mse"
optimizer = "adam"
[data.train]
x = "{0}"
y = "{1}"
[output]
folder = ""
)",
                                                        folder / "x.npy", folder / "y.npy");
  }
  TrainingResult train_with(std::vector<std::string> changes) {
    changes.push_back("fit.batch_size=10");
    const auto looks_at_epochs = std::make_shared<Callback>();
    return train(Recipe(folder / "small.toml", changes),
                 {.verbose = 0, .callbacks = {looks_at_epochs}});
  }
  // How many copies to the host an epoch makes.
  int64_t fetches_of_an_epoch(const std::vector<std::string>& changes) {
    const auto fetches = [&](const char* epochs) {
      auto all = changes;
      all.emplace_back(epochs);
      const int64_t before = control.copies_to_host;
      train_with(all);
      return control.copies_to_host - before;
    };
    const int64_t few = fetches("fit.epochs=2");
    return (fetches("fit.epochs=6") - few) / 4;
  }

  const stoker::testing::FakeClock clock;
  const TemporaryFolder folder;
};

// The clock advances only with the device: during steps, and when weights are checked for being
// finite before they are written.
TEST_F(RecipeOnADevice, FilesOfTheOutputFolderAreBookedAsCheckpoint) {
  const auto result = train_with({"fit.epochs=3", "output.folder=" + (folder / "out")});
  EXPECT_EQ(result.files.size(), 6u);
  EXPECT_NE(result.account.find(" + checkpoint "), std::string::npos) << result.account;
  EXPECT_EQ(result.account.find("callbacks"), std::string::npos) << result.account;
}

// Keeps the writer thread busy until the last epoch has ended.
struct BusyWriter : Callback {
  BusyWriter(std::string written, int64_t count) : file(std::move(written)), epochs(count) {}
  void on_train_begin(const Logs&) override {
    model().impl().fits.running->writer.submit("busy",
                                               [end = end_.get_future().share()] { end.wait(); });
  }
  void on_epoch_end(int64_t epoch, Logs&) override {
    seen += std::filesystem::exists(file);
    if (epoch + 1 == epochs) end_.set_value();
  }
  std::string file;
  int64_t epochs = 0, seen = 0;

 private:
  std::promise<void> end_;
};

TEST_F(RecipeOnADevice, TrainingDoesNotWaitForTheFilesOfTheOutputFolder) {
  const std::string out = folder / "out", last = out + "/last.safetensors";
  const auto writer = std::make_shared<BusyWriter>(last, 3);
  train(
      Recipe(folder / "small.toml", {"fit.batch_size=10", "fit.epochs=3", "output.folder=" + out}),
      {.verbose = 0, .callbacks = {writer}});
  EXPECT_EQ(writer->seen, 0);
  EXPECT_TRUE(std::filesystem::exists(last));
}

TEST_F(RecipeOnADevice, StatesToFallBackOnStayOnTheDevice) {
  const int64_t plain = fetches_of_an_epoch({});
  const int64_t saving = fetches_of_an_epoch({"output.save=" + (folder / "last.safetensors")});
  EXPECT_EQ(saving - plain, 1);  // only whether they are finite, not more than ten states
}

TEST_F(RecipeOnADevice, TheLastFiniteStatesAreThoseThatAreSaved) {
  const std::string file = folder / "last.safetensors";
  const auto spoil = [&](int64_t epoch) {
    struct Spoil : Callback {
      void on_epoch_begin(int64_t at, const Logs&) override {
        if (at == epoch) {
          auto weights = model().get_weights();
          weights[0].mutable_data<float>()[0] = NAN;
          model().set_weights(weights);
        }
      }
      int64_t epoch = 0;
    };
    auto made = std::make_shared<Spoil>();
    made->epoch = epoch;
    return made;
  };
  const Recipe spoilt(folder / "small.toml",
                      {"fit.batch_size=10", "fit.epochs=9", "output.save=" + file});
  const auto result = train(spoilt, {.verbose = 0, .callbacks = {spoil(2)}});
  EXPECT_FALSE(result.finite);
  EXPECT_EQ(result.kept_epoch, 2);
  for (const auto& [name, array] : load_safetensors(file).tensors)
    for (int64_t i = 0; i < array.size(); ++i) EXPECT_TRUE(std::isfinite(array.at(i))) << name;
}

}  // namespace
}  // namespace stoker
