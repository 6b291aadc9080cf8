#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "stoker/io.h"

namespace stoker::datasets {
namespace {

std::string folder_of(const std::string& dataset) {
  const char* root = std::getenv("STOKER_DATASETS");
  return fmt::format("{}/{}", root && *root ? root : "/usr/share/datasets", dataset);
}

}  // namespace

Dataset fashion_mnist() {
  const std::string folder = folder_of("fashion-mnist");
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    throw IoError(fmt::format("Fashion-MNIST is not installed: there is no folder \"{}\".", folder),
                  "apt-get install dataset-fashion-mnist, or point STOKER_DATASETS at the folder "
                  "that has fashion-mnist/ in it.");
  const auto load = [&](const char* file) { return load_idx(fmt::format("{}/{}", folder, file)); };
  return {load("train-images-idx3-ubyte.gz"), load("train-labels-idx1-ubyte.gz"),
          load("t10k-images-idx3-ubyte.gz"), load("t10k-labels-idx1-ubyte.gz")};
}

}  // namespace stoker::datasets
