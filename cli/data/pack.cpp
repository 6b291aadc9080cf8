#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>

#include "command.h"
#include "source_options.h"
#include "stoker/human_bytes.h"
#include "stoker/interrupt.h"
#include "stoker/io.h"
#include "stoker/progress_line.h"

namespace stoker::cli {
namespace {

struct PackOptions {
  SourceOptions source;
  std::string out;
};

void run_pack(const PackOptions& options, Invocation& invocation) {
  OpenDatasetArgs args = options.source.args;
  args.batch_size = std::nullopt;
  args.by_name = true;
  args.keep_files = args.image_size.empty();
  if (!args.keep_files)  // bytes of the decoded images
    args.transform = image::Transform(channels_of(args.color_mode))
                         .resize(args.image_size.front(), args.image_size.back());
  ensure_writable(options.out);
  const OpenedDataset opened = open_dataset(options.source.path, args);
  int64_t count = 0;
  {
    ProgressLine line("packing", opened.dataset.cardinality());
    const InterruptScope interrupts;
    opened.dataset.save(options.out,
                        {.class_names = opened.class_names, .progress = [&](int64_t done) {
                           line.show(count = done);
                           if (interrupted()) throw Error("interrupted: nothing was written.");
                         }});
  }
  const auto bytes = static_cast<int64_t>(std::filesystem::file_size(options.out));
  const std::string spec = to_string(Dataset::load(options.out).element_spec());
  invocation.print(
      Config::map({{"out", options.out}, {"samples", count}, {"bytes", bytes}, {"element", spec}}),
      fmt::format("saved {}: {} samples of {}, {}", options.out, count, spec, human_bytes(bytes)));
}

}  // namespace

void add_pack(CLI::App& app, Invocation& invocation) {
  CLI::App* command = add_command(app, invocation, "pack",
                                  "write a data set to one packed file with random access");
  auto options = std::make_shared<PackOptions>();
  options->source.add_to(*command);
  command->add_option("OUT", options->out, "the file to write")->required()->type_name("");
  command->footer(
      "Examples:\n"
      "  stoker pack images/train train.stk\n"
      "  stoker pack images/train train224.stk --image-size 224\n"
      "\n"
      "Images are stored as encoded JPEG and PNG files, or with --image-size decoded "
      "and resized: larger, but nothing is left to decode. The file is written "
      "atomically; every sample has a checksum.");
  command->callback([options, &invocation] { run_pack(*options, invocation); });
}

}  // namespace stoker::cli
