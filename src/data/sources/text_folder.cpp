#include <fmt/format.h>

#include "data/origins.h"
#include "data/sources/folder_labels.h"
#include "io/blob.h"
#include "stoker/text_dataset.h"

namespace stoker::data {
namespace {

// The texts of files, read on demand.
class TextFiles : public Indexed {
 public:
  TextFiles(FolderIndex index, const FolderLabels& labels, std::optional<int64_t> max_length)
      : index_(std::move(index)),
        labels_(labels),
        most_(max_length ? static_cast<size_t>(*max_length) : std::string::npos),
        spec_(labels.spec({DType::int64, {}, true})) {}
  int64_t size() const override { return static_cast<int64_t>(index_.paths.size()); }
  const ElementSpec& spec() const { return spec_; }
  std::string file_of(int64_t i) const override { return index_.paths[static_cast<size_t>(i)]; }

  Element at(int64_t i) const override {
    const Blob file = read_file(index_.paths[static_cast<size_t>(i)]);
    std::vector<Array> arrays{Array::string(file.text().substr(0, most_))};
    if (spec_.arrays.size() > 1) {
      arrays.emplace_back(spec_.arrays[1].dtype, spec_.arrays[1].shape);
      labels_.write(index_.labels[static_cast<size_t>(i)], arrays[1].mutable_raw());
    }
    return {spec_.structure, std::move(arrays)};
  }

 private:
  FolderIndex index_;
  FolderLabels labels_;
  size_t most_;
  ElementSpec spec_;
};

class TextFolder : public Stage {
 public:
  TextFolder(std::shared_ptr<const TextFiles> files, const std::source_location& created)
      : Stage("text_dataset_from_directory", created), files_(std::move(files)) {}
  int64_t cardinality() const override { return files_->size(); }
  std::shared_ptr<const Indexed> index(const Opening& opening) const override {
    return opening.numbers_only ? numbered(*this, files_) : files_;
  }
  std::optional<ElementSpec> spec() const override { return files_->spec(); }

 private:
  std::shared_ptr<const TextFiles> files_;
};

FolderArgs folder_args(const TextDatasetArgs& args) {
  return {"text_dataset_from_directory",
          "text_subsets_from_directory",
          args.labels,
          args.label_mode,
          args.shuffle,
          args.seed,
          args.validation_split,
          args.subset};
}

// The texts of a folder, with their labels.
struct TextsOfFolder {
  TextsOfFolder(const std::string& directory, const TextDatasetArgs& with, const FolderArgs& args)
      : folder(args) {
    if (with.max_length && *with.max_length < 0)
      throw InvalidArgument(fmt::format("{}: max_length must not be negative, got {}.",
                                        folder.doing, *with.max_length));
    all = index_folder(directory, {.classes = infers_classes(folder, with.class_names),
                                   .class_names = with.class_names,
                                   .endings = {".txt"},
                                   .follow_links = with.follow_links});
    give_labels(all, folder);
    labels = labels_of(folder, all.class_names.size());
  }
  TextDataset subset(const TextDatasetArgs& args, const std::string& name, bool shuffle,
                     const std::source_location& from) const {
    FolderIndex index = files_of_subset(all, folder, name);
    const auto files = std::make_shared<TextFiles>(index, labels, args.max_length);
    Dataset dataset(std::make_shared<TextFolder>(files, from));
    if (shuffle) dataset = dataset.shuffle(files->size(), {.seed = args.seed}, from);
    if (args.batch_size) dataset = dataset.batch(*args.batch_size, {}, from);
    return {dataset, std::move(index.class_names), std::move(index.paths)};
  }

  FolderArgs folder;
  FolderIndex all;
  FolderLabels labels;
};

}  // namespace
}  // namespace stoker::data

namespace stoker {

TextDataset text_dataset_from_directory(const std::string& directory, const TextDatasetArgs& args,
                                        const Dataset::From& from) {
  const data::FolderArgs folder = data::folder_args(args);
  data::check_split(folder);
  return data::TextsOfFolder(directory, args, folder).subset(args, args.subset, args.shuffle, from);
}

TextSubsets text_subsets_from_directory(const std::string& directory, const TextDatasetArgs& args,
                                        const Dataset::From& from) {
  const data::FolderArgs folder = data::folder_args(args);
  data::check_both(folder);
  const data::TextsOfFolder texts(directory, args, folder);
  return {texts.subset(args, "training", args.shuffle, from),
          texts.subset(args, "validation", false, from)};
}

}  // namespace stoker
