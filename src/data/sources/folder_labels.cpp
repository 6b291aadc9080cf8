#include "data/sources/folder_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "stoker/suggest.h"

namespace stoker::data {

ElementSpec FolderLabels::spec(const TensorSpec& sample) const {
  const auto with = [&](TensorSpec label) {
    return ElementSpec{Structure::tuple({{}, {}}), {sample, std::move(label)}};
  };
  switch (mode) {
    case LabelMode::none:
      return {{}, {sample}};
    case LabelMode::integer:
      return with({DType::int32, {}});
    case LabelMode::binary:
      return with({DType::float32, Shape{1}});
    case LabelMode::categorical:
      break;
  }
  return with({DType::float32, Shape{classes}});
}

void FolderLabels::write(int32_t label, std::byte* to) const {
  if (mode == LabelMode::integer) {
    std::memcpy(to, &label, sizeof label);
    return;
  }
  auto* const values = reinterpret_cast<float*>(to);
  if (mode == LabelMode::binary) {
    *values = static_cast<float>(label);
    return;
  }
  std::fill_n(values, classes, 0.0f);
  values[label] = 1;
}

void refuse_name(const std::string& name, const std::vector<std::string>& known, const char* doing,
                 const char* argument) {
  throw InvalidArgument(fmt::format("{}: {} \"{}\".", doing, argument, name),
                        did_you_mean(name, known));
}

namespace {

void check_seed(const FolderArgs& args) {
  if (args.validation_split > 0 && args.shuffle && !args.seed)
    throw InvalidArgument(
        fmt::format("{}: validation_split with shuffle needs a seed, or the subsets overlap.",
                    args.doing),
        "give the same seed to both subsets, or shuffle = false.");
}

}  // namespace

void check_split(const FolderArgs& args) {
  if (!(args.validation_split >= 0 && args.validation_split < 1))
    throw InvalidArgument(fmt::format("{}: validation_split must be in [0, 1), got {}.", args.doing,
                                      args.validation_split));
  if (args.subset == "both")
    throw InvalidArgument(fmt::format("{}: subset \"both\" is two datasets.", args.doing),
                          fmt::format("{} returns them.", args.both));
  if ((args.validation_split > 0) != !args.subset.empty())
    throw InvalidArgument(fmt::format("{}: validation_split and subset go together.", args.doing),
                          "give both, subset as \"training\" or \"validation\".");
  if (!args.subset.empty())
    chosen<bool>(args.subset, {{"training", false}, {"validation", true}}, args.doing, "subset");
  check_seed(args);
}

void check_both(const FolderArgs& args) {
  if (!(args.validation_split > 0 && args.validation_split < 1))
    throw InvalidArgument(fmt::format("{}: validation_split must be between 0 and 1, got {}.",
                                      args.both, args.validation_split),
                          "0.2 holds back every fifth file.");
  if (!args.subset.empty() && args.subset != "both")
    throw InvalidArgument(
        fmt::format("{} returns both subsets, but subset is \"{}\".", args.both, args.subset),
        fmt::format("leave it out, or call {} for one.", args.doing));
  check_seed(args);
}

bool infers_classes(const FolderArgs& args, const std::vector<std::string>& class_names) {
  const bool infers = args.labels.how == "inferred" && args.label_mode != "none";
  if (!infers && !class_names.empty())
    throw InvalidArgument(
        fmt::format("{}: class_names are names of sub-folders, but the labels are not inferred.",
                    args.doing),
        "leave out class_names, or labels and label_mode.");
  return infers;
}

void give_labels(FolderIndex& index, const FolderArgs& args) {
  if (!args.labels.given() || args.label_mode == "none") return;
  const std::vector<int64_t>& each = args.labels.each;
  if (each.size() != index.paths.size())
    throw InvalidArgument(
        fmt::format("{}: {} labels for {} files.", args.doing, each.size(), index.paths.size()),
        "labels have the order of the sorted file names.");
  std::set<int64_t> classes(each.begin(), each.end());
  for (const int64_t label : classes) index.class_names.push_back(std::to_string(label));
  const auto count = static_cast<int64_t>(classes.size());
  if (args.label_mode == "categorical" && (*classes.begin() < 0 || *classes.rbegin() >= count))
    throw InvalidArgument(
        fmt::format("{}: label_mode \"categorical\" with labels from {} to {} of {} classes.",
                    args.doing, *classes.begin(), *classes.rbegin(), count),
        "number the classes from 0.");
  for (const int64_t label : each) index.labels.push_back(static_cast<int32_t>(label));
}

FolderLabels labels_of(const FolderArgs& args, size_t classes) {
  FolderLabels labels{.mode = chosen<LabelMode>(args.label_mode,
                                                {{"int", LabelMode::integer},
                                                 {"binary", LabelMode::binary},
                                                 {"categorical", LabelMode::categorical},
                                                 {"none", LabelMode::none}},
                                                args.doing, "label_mode"),
                      .classes = static_cast<int64_t>(classes)};
  if (!args.labels.given() &&
      !chosen<bool>(args.labels.how, {{"inferred", true}, {"none", false}}, args.doing, "labels"))
    labels.mode = LabelMode::none;
  if (labels.mode == LabelMode::binary && classes != 2)
    throw InvalidArgument(
        fmt::format("{}: label_mode \"binary\" needs 2 classes, but there are {}.", args.doing,
                    classes),
        "use \"int\" or \"categorical\".");
  return labels;
}

FolderIndex files_of_subset(FolderIndex index, const FolderArgs& args, const std::string& subset) {
  if (args.shuffle) shuffle_as_numpy(index, static_cast<uint32_t>(args.seed.value_or(0)));
  if (subset.empty()) return index;
  const size_t files = index.paths.size();
  keep_subset(index, args.validation_split, subset == "validation");
  if (index.paths.empty())
    throw InvalidArgument(
        fmt::format("{}: with validation_split {}, no file of {} is in the {} subset.", args.doing,
                    args.validation_split, files, subset));
  return index;
}

}  // namespace stoker::data
