#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "recipe/parts.h"
#include "recipe/pipeline.h"
#include "stoker/open_dataset.h"

namespace stoker::nn {
namespace {

// As given, or what the model's only input has.
std::vector<int64_t> image_size(const RecipeSource& source, const Model* model) {
  std::vector<int64_t> size;
  if (const Config* given = source.find("data.image_size"))
    source.at("data.image_size", [&] {
      for (const Config& side : given->is_list() ? given->as_list() : Config::List{*given})
        size.push_back(side.as_int());
    });
  if (!size.empty() || !model || model->inputs().size() != 1) return size;
  const Shape input = model->inputs()[0].shape();
  if (input.rank() == 4 && input.drop_front().is_known()) size = {input[1], input[2]};
  return size;
}

// The form of labels that the model's loss expects.
std::string label_mode(const RecipeSource& source, const Model* model) {
  if (source.find("data.label_mode")) return source.string_at("data.label_mode", "");
  if (!model || !model->compiled()) return "int";
  const Config settings = model->get_compile_config();
  const Config* const loss = settings.find("loss");
  const std::string text = loss ? loss->to_string() : "";
  if (text.find("parse") != text.npos) return "int";  // sparse_… and Sparse…
  const auto names = [&](const char* a, const char* b) {
    return text.find(a) != text.npos || text.find(b) != text.npos;
  };
  if (names("categorical_crossentropy", "CategoricalCrossentropy")) return "categorical";
  if (names("binary_crossentropy", "BinaryCrossentropy")) return "binary";
  return "int";
}

std::vector<std::string> without(std::vector<std::string> names,
                                 const std::vector<std::string>& those) {
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::find(those, name) != those.end();
  });
  return names;
}

// A class that only one part of the data has would change the labels of the classes after it.
void check_classes(const RecipeSource& source, const std::string& part, const OpenDatasetArgs& args,
                   const std::vector<std::string>& classes) {
  if (part == "train" || classes.empty() || !names_source(source, "train")) return;
  const std::string path = source.get("data." + part).as_string(),
                    of_training = source.get("data.train").as_string();
  const auto wanted = open_dataset(of_training, args).class_names;
  if (wanted.empty() || wanted == classes) return;
  const auto missing = without(wanted, classes), more = without(classes, wanted);
  std::vector<std::string> differences;
  if (!missing.empty()) differences.push_back(fmt::format("without {}", fmt::join(missing, ", ")));
  if (!more.empty()) differences.push_back(fmt::format("with {}", fmt::join(more, ", ")));
  if (differences.empty()) differences.emplace_back("in another order");
  throw InvalidArgument(fmt::format("\"{}\" has the classes of \"{}\" {}.", path, of_training,
                                    fmt::join(differences, " and ")),
                        "labels are the positions of classes: both need the same ones; an empty "
                        "folder is a class, too.");
}

// Each part has its own file, which keeps the order of the source for other runs: a shuffle, if
// none is listed, comes behind it. Is that so?
bool cache_in_file(Config::Map& stages, const std::string& part, bool shuffle) {
  const auto find = [&](const char* name) {
    return std::ranges::find(stages, name, &Config::Member::first);
  };
  const auto cache = find("cache");
  if (cache == stages.end() || !cache->second.is_string()) return false;
  if (part != "train") cache->second = cache->second.as_string() + "." + part;
  const bool adds = shuffle && find("shuffle") == stages.end();
  if (adds) stages.insert(cache + 1, Config::Member("shuffle", Config(true)));
  return adds;
}

}  // namespace

bool names_source(const RecipeSource& source, const std::string& part) {
  const Config* given = source.find("data." + part);
  return given && given->is_string();
}

void check_pipeline(const RecipeSource& source) {
  if (const Config* table = source.find("data.pipeline"))
    source.at("data.pipeline", [&] { read_pipeline(*table, 3, true); });
}

Dataset open_source(const RecipeSource& source, const std::string& part, const FitArgs& fit,
                    const Model* model) {
  const std::string path = "data." + part;
  const bool training = part == "train";
  return source.at(path, [&] {
    OpenDatasetArgs args{.target = source.string_at("data.target", ""),
                         .needs_target = training,
                         .image_size = image_size(source, model),
                         .color_mode = source.string_at("data.color_mode", "rgb"),
                         .label_mode = label_mode(source, model),
                         .by_name = model && model->input_names().size() > 1,
                         .shuffle = training && fit.shuffle,
                         .batch_size = fit.batch_size};
    const auto opened = [&] {
      const OpenedDataset data = open_dataset(source.get(path).as_string(), args);
      check_classes(source, part, args, data.class_names);
      return data.dataset;
    };
    const Config* const table = source.find("data.pipeline");
    if (!table) return opened();
    RecipePipeline pipeline = read_pipeline(*table, channels_of(args.color_mode), training);
    const bool shuffles_behind = cache_in_file(pipeline.stages, part, args.shuffle);
    args.transform = pipeline.transform;
    const auto has = [&](const char* name) { return table->find(name) != nullptr; };
    args.shuffle = args.shuffle && !has("shuffle") && !shuffles_behind;
    args.batch_size = std::nullopt;
    const Dataset samples = apply_stages(opened(), pipeline.stages);
    return has("batch") ? samples : samples.batch(fit.batch_size);
  });
}

}  // namespace stoker::nn
