#include <fmt/format.h>

#include "nn/callbacks/checkpoint_folder.h"
#include "nn/config/args.h"
#include "recipe/parts.h"
#include "stoker/callbacks/backup_and_restore.h"
#include "stoker/say.h"

namespace stoker::nn {
namespace {

struct CheckpointOptions {
  std::string folder;
  Config save_freq = "epoch";
  bool resume = false;
};
template <class V>
void visit(CheckpointOptions& a, V& v) {
  v("folder", a.folder, required);
  v("save_freq", a.save_freq);
  v("resume", a.resume);
}

CheckpointOptions read_options(const RecipeSource& source) {
  source.check_keys("checkpoint", {"folder", "save_freq", "resume"});
  if (source.find("checkpoint") && !source.find("checkpoint.folder"))
    source.fail("checkpoint", "\"checkpoint.folder\" is missing.",
                "give --checkpoint FOLDER, too: where checkpoints are written and read.");
  return source.at("checkpoint", [&] {
    return read_args<CheckpointOptions>(*source.find("checkpoint"), "checkpoint");
  });
}

}  // namespace

CallbackRef read_checkpoint(const RecipeSource& source) {
  if (!source.find("checkpoint")) return nullptr;
  const CheckpointOptions options = read_options(source);
  const CheckpointFolder folder(options.folder);
  if (folder.holds_any() && !options.resume)
    source.fail("checkpoint.folder",
                fmt::format("\"{}\" holds the checkpoint of a training that has not come to its "
                            "end.",
                            options.folder),
                "give --resume to go on with it, or remove it to train from the start.");
  if (options.resume && !folder.holds_any())
    say(stderr, fmt::format("there is no checkpoint in \"{}\": training begins at the start.\n",
                            options.folder));
  return source.at("checkpoint", [&] {
    return callbacks::BackupAndRestore(
        {.backup_dir = options.folder, .save_freq = options.save_freq, .delete_checkpoint = false});
  });
}

void remove_checkpoint(const RecipeSource& source) {
  if (source.find("checkpoint")) CheckpointFolder(read_options(source).folder).remove();
}

}  // namespace stoker::nn
