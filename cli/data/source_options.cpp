#include "source_options.h"

#include <CLI/CLI.hpp>

#include "at_least.h"

namespace stoker::cli {

void SourceOptions::add_to(CLI::App& command) {
  command
      .add_option("SOURCE", path,
                  "a folder of images or texts, a CSV, TFRecord, IDX, tar, npz or npy file, or a "
                  "packed file")
      ->required()
      ->type_name("");
  command
      .add_option("--target", args.target,
                  "the column, feature or part to predict (default: the one called label, target, "
                  "class or y)")
      ->type_name("NAME");
  command
      .add_option("--image-size", args.image_size,
                  "height and width of images: 224 or 224,192 (default: none)")
      ->delimiter(',')
      ->expected(1, 2)
      ->check(at_least(1));
  command
      .add_option("--color-mode", args.color_mode,
                  "channels of images: rgb, rgba or grayscale (default: rgb)")
      ->check(CLI::IsMember({"rgb", "rgba", "grayscale"}));
}

}  // namespace stoker::cli
