#include <filesystem>

#include "data/open/source_kind.h"
#include "stoker/text_dataset.h"

namespace stoker::data {
namespace {

OpenedDataset open_texts(const std::string& path, const OpenDatasetArgs& args) {
  const TextDataset folder = text_dataset_from_directory(
      path, {.label_mode = args.label_mode, .batch_size = std::nullopt, .shuffle = false});
  return {{}, in_batches(folder.dataset, args), folder.class_names};
}

const RegisterKind folder({"text folder", "a folder with a sub-folder of *.txt per class",
                           is_text_folder, open_texts});

}  // namespace

bool is_text_folder(const std::string& path) {
  std::error_code failed;
  bool texts = false;
  std::filesystem::recursive_directory_iterator entry(path, failed), end;
  for (; !failed && entry != end; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (entry.depth() == 0) continue;
    if (has_ending(name, {".jpg", ".jpeg", ".png", ".JPG", ".JPEG", ".PNG"})) return false;
    texts = texts || has_ending(name, {".txt"});
  }
  return texts;
}

}  // namespace stoker::data
