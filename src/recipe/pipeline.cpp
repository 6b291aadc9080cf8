#include "recipe/pipeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "stoker/suggest.h"

namespace stoker::nn {
namespace {

using image::Transform;
using Numbers = std::vector<float>;

// One number, or a list of so many.
Numbers numbers(const Config& value, size_t least, size_t most) {
  Numbers all;
  for (const Config& one : value.is_list() ? value.as_list() : Config::List{value})
    all.push_back(static_cast<float>(one.as_double()));
  if (all.size() < least || all.size() > most)
    throw InvalidArgument(least == most
                              ? fmt::format("{} numbers, not {}.", all.size(), least)
                              : fmt::format("{} numbers, not {} to {}.", all.size(), least, most));
  return all;
}

std::pair<int64_t, int64_t> size_in(const Config& value) {
  const Numbers size = numbers(value, 1, 2);
  return {static_cast<int64_t>(size.front()), static_cast<int64_t>(size.back())};
}

const Config& member(const Config& table, const char* key) {
  const Config* found = table.find(key);
  if (!found) throw InvalidArgument(fmt::format("\"{}\" is missing.", key));
  return *found;
}

struct ImageStage {
  const char* name;
  Transform (*add)(const Transform& to, const Config& value);
  bool random = false;
};
const ImageStage image_stages[] = {
    {"resize",
     [](const Transform& to, const Config& value) {
       const auto [height, width] = size_in(value);
       return to.resize(height, width);
     }},
    {"resize_cropped",
     [](const Transform& to, const Config& value) {
       const auto [height, width] = size_in(value);
       return to.resize_cropped(height, width);
     }},
    {"random_resized_crop",
     [](const Transform& to, const Config& value) {
       const auto [height, width] = size_in(value);
       return to.random_resized_crop(height, width);
     }},
    {"random_flip_left_right",
     [](const Transform& to, const Config& value) {
       return value.as_bool() ? to.random_flip_left_right() : to;
     },
     true},
    {"random_flip_up_down",
     [](const Transform& to, const Config& value) {
       return value.as_bool() ? to.random_flip_up_down() : to;
     },
     true},
    {"random_brightness",
     [](const Transform& to, const Config& value) {
       return to.random_brightness(numbers(value, 1, 1)[0]);
     },
     true},
    {"random_contrast",
     [](const Transform& to, const Config& value) {
       const Numbers range = numbers(value, 2, 2);
       return to.random_contrast(range[0], range[1]);
     },
     true},
    {"random_saturation",
     [](const Transform& to, const Config& value) {
       const Numbers range = numbers(value, 2, 2);
       return to.random_saturation(range[0], range[1]);
     },
     true},
    {"random_hue",
     [](const Transform& to, const Config& value) {
       return to.random_hue(numbers(value, 1, 1)[0]);
     },
     true},
    {"random_rotation",
     [](const Transform& to, const Config& value) {
       return to.random_rotation(numbers(value, 1, 1)[0]);
     },
     true},
    {"random_translation",
     [](const Transform& to, const Config& value) {
       const Numbers factors = numbers(value, 1, 2);
       return to.random_translation(factors.front(), factors.back());
     },
     true},
    {"random_zoom",
     [](const Transform& to, const Config& value) {
       return to.random_zoom(numbers(value, 1, 1)[0]);
     },
     true},
    {"normalize",
     [](const Transform& to, const Config& value) {
       return to.normalize(numbers(member(value, "mean"), 1, 4),
                           numbers(member(value, "stddev"), 1, 4));
     }},
    {"rescale",
     [](const Transform& to, const Config& value) {
       const Numbers scale = numbers(value, 1, 2);
       return to.rescale(scale[0], scale.size() > 1 ? scale[1] : 0);
     }},
};

struct SampleStage {
  const char* name;
  Dataset (*add)(const Dataset& to, const Config& value);
};
const SampleStage sample_stages[] = {
    {"shuffle",
     [](const Dataset& to, const Config& value) {
       constexpr int64_t usual = 10000;
       return to.shuffle(value.is_bool() ? usual : value.as_int());
     }},
    {"cache",
     [](const Dataset& to, const Config& value) {
       if (value.is_string()) return to.cache(value.as_string());
       return value.as_bool() ? to.cache() : to;
     }},
    {"take", [](const Dataset& to, const Config& value) { return to.take(value.as_int()); }},
    {"skip", [](const Dataset& to, const Config& value) { return to.skip(value.as_int()); }},
    {"shard",
     [](const Dataset& to, const Config& value) {
       return to.shard(member(value, "num_shards").as_int(), member(value, "index").as_int());
     }},
    {"repeat", [](const Dataset& to, const Config& value) { return to.repeat(value.as_int()); }},
    {"batch", [](const Dataset& to, const Config& value) { return to.batch(value.as_int()); }},
    {"prefetch",
     [](const Dataset& to, const Config& value) {
       return to.prefetch(value.is_bool() ? AUTOTUNE : value.as_int());
     }},
};

template <class Stages>
auto find_stage(const Stages& stages, const std::string& name) {
  const auto found = std::find_if(std::begin(stages), std::end(stages),
                                  [&](const auto& stage) { return stage.name == name; });
  return found == std::end(stages) ? nullptr : found;
}

[[noreturn]] void refuse(const std::string& name) {
  std::vector<std::string> known;
  for (const auto& stage : image_stages) known.emplace_back(stage.name);
  for (const auto& stage : sample_stages) known.emplace_back(stage.name);
  throw InvalidArgument(fmt::format("\"data.pipeline\" has no stage \"{}\".", name),
                        did_you_mean(name, known));
}

// Reads a stage's value; errors contain its name.
template <class F>
auto reading(const std::string& name, F read) {
  try {
    return read();
  } catch (const InvalidArgument& error) {
    throw InvalidArgument(fmt::format("\"{}\": {}", name, error.message()), error.hint());
  }
}

// Image stages are applied before sample stages, wherever they are listed.
void refuse_frozen_images(const Config& table) {
  const Config* const cache = table.find("cache");
  if (!cache || (!cache->is_string() && !cache->as_bool())) return;
  for (const auto& [name, value] : table.as_map())
    if (name.starts_with("random_"))
      throw InvalidArgument(
          fmt::format("\"cache\" would keep what \"{}\" drew in the first epoch for all.", name),
          "leave one of them out.");
}

}  // namespace

RecipePipeline read_pipeline(const Config& table, int channels, bool training) {
  refuse_frozen_images(table);
  RecipePipeline pipeline;
  for (const auto& [name, value] : table.as_map()) {
    const ImageStage* const image = find_stage(image_stages, name);
    if (!image && !find_stage(sample_stages, name)) refuse(name);
    if (!training && ((image && image->random) || name == "shuffle")) continue;
    if (!image) {
      pipeline.stages.emplace_back(name, value);
      continue;
    }
    // In evaluation, the whole image in the size of the random crops.
    const ImageStage* const used = !training && name == std::string("random_resized_crop")
                                       ? find_stage(image_stages, "resize_cropped")
                                       : image;
    pipeline.transform = reading(name, [&, &given = value] {
      return used->add(pipeline.transform.value_or(Transform(channels)), given);
    });
  }
  return pipeline;
}

Dataset apply_stages(Dataset samples, const Config::Map& stages) {
  for (const auto& [name, value] : stages)
    samples = reading(name, [&, &stage = name, &given = value] {
      return find_stage(sample_stages, stage)->add(samples, given);
    });
  return samples;
}

}  // namespace stoker::nn
