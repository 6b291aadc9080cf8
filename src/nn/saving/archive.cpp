#include "nn/saving/archive.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ctime>

#include "core/main_process.h"
#include "io/archives/zip.h"
#include "nn/config/own_classes.h"
#include "nn/model_impl.h"
#include "nn/saving/assets.h"
#include "nn/saving/compile_config.h"
#include "nn/saving/h5_weights.h"
#include "nn/saving/legacy_h5.h"
#include "nn/saving/legacy_settings.h"
#include "nn/saving/model_problems.h"
#include "nn/saving/network_config.h"
#include "nn/saving/optimizer_state.h"
#include "stoker/io.h"
#include "stoker/say.h"
#include "stoker/version.h"

namespace stoker {
namespace nn {
namespace {

constexpr const char* metadata_member = "metadata.json";
constexpr const char* config_member = "config.json";
constexpr const char* weights_member = "model.weights.h5";

std::string metadata() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  return Config::map({{"keras_version", format_version},
                      {"date_saved", fmt::format("{:%Y-%m-%d@%H:%M:%S}", local)},
                      {"stoker_version", version()}})
      .to_string();
}

Config read_json(const ZipReader& zip, const char* member) {
  const Blob blob = zip.read(member);
  return parse_json(blob.text(), blob.name());
}

// The compile config; an empty map: do not compile.
Config compile_settings(const Config& model, const LoadModelArgs& args) {
  const Config* stored = model.find("compile_config");
  Config settings = args.compile && stored && stored->is_map() ? *stored : Config::map();
  for (const auto& [key, value] : args.compile_overrides.as_map()) settings[key] = value;
  return settings;
}

Config legacy_config(const H5Group& root, const std::string& file) {
  if (!has_legacy_model(root))
    throw InvalidArgument(fmt::format("\"{}\" holds weights, but no model.", file),
                          "load_weights puts them into a model that you have.");
  return legacy_model_config(root, file);
}

[[noreturn]] void refuse(const std::string& file, const std::vector<std::string>& problems,
                         const std::string& hint) {
  throw Unsupported(
      fmt::format("\"{}\" cannot be loaded:\n  {}", file, fmt::join(problems, "\n  ")), hint);
}

bool has_mixed_layer(const Layer& network) {
  const auto layers = network.sublayers();
  return std::ranges::any_of(layers, [](const LayerRef& layer) {
    return layer->dtype_policy().name() == "mixed_float16" || has_mixed_layer(*layer);
  });
}

// Keras scales the loss of a model with policy mixed_float16, but a functional model's config does
// not contain the policy. The optimizer's state, or else the layers, tell.
std::optional<bool> scales_loss(const Layer& network, const H5Group& root) {
  if (const auto scaled = scaled_loss(root)) return scaled;
  if (network.class_name() == "Sequential") return std::nullopt;
  return has_mixed_layer(network);
}

constexpr const char* how_to_replace_settings =
    "replace what is not known by --loss, --metric or --optimizer, in C++ by .compile_overrides; "
    "or load the model with {.compile = false}.";

Model model_of(const Config& config, const H5Group& root, const std::string& file,
               const LoadModelArgs& load) {
  std::vector<std::string> problems;
  std::optional<Model> model;
  try {
    model.emplace(deserialize_layer(config));
  } catch (const ModelProblems& error) {
    for (const auto& [path, what] : error.problems)
      problems.push_back(fmt::format("{}: {}", path, what));
  }
  if (model) model->impl().compiled.scales_loss = scales_loss(*model->network(), root);
  const Config settings = compile_settings(config, load);
  if (!settings.as_map().empty()) {
    const auto names = model ? output_names(*model->network()) : std::vector<std::string>{};
    std::vector<std::string> unknown;
    const CompileArgs args = deserialize_compile(settings, names, unknown);
    if (load.needs_loss) problems.insert(problems.end(), unknown.begin(), unknown.end());
    if (problems.empty()) compile_as_stored(*model, args, settings);
  }
  if (!problems.empty()) refuse(file, problems, model ? how_to_replace_settings : "");
  return std::move(*model);
}

}  // namespace

Model parse_model(const Blob& file, const LoadModelArgs& args) {
  const bool archive = is_zip(file);
  if (!archive && !is_hdf5(file))
    throw InvalidArgument(
        fmt::format("\"{}\" is not a model file.", file.name()),
        "models are \".keras\" archives of Keras 3, or \".h5\" files of Keras 2 or 3.");
  std::optional<ZipReader> zip;
  if (archive) zip.emplace(file);
  std::optional<H5Group> root;
  if (!archive) root = parse_hdf5(file);
  const Config config =
      modern_model(zip ? read_json(*zip, config_member) : legacy_config(*root, file.name()));
  if (!root) root = parse_hdf5(zip->read(weights_member));
  Model model = model_of(config, *root, file.name(), args);
  if (zip) restore_assets(*model.network(), *zip);
  restore_weights(model, *root, file.name());
  if (model.compiled() && !args.compile_overrides.find("optimizer"))
    restore_optimizer(model, *root, file.name());
  return model;
}

H5Group parse_weights(const Blob& file) {
  return parse_hdf5(is_zip(file) ? ZipReader(file).read(weights_member) : file);
}

}  // namespace nn

Config Model::to_config() const {
  Config object = nn::serialize_layer(*network());
  object["compile_config"] = get_compile_config();
  return object;
}

namespace {

void warn_of_unregistered(const Config& config, const std::string& path) {
  const auto names = nn::unregistered_in(config);
  if (names.empty()) return;
  const bool one = names.size() == 1;
  say(stderr,
      fmt::format("Warning: {} in \"{}\" {} not registered, so load_model will not know {}. Hint: "
                  "RegisterSerializable or RegisterFunction, see docs/add-a-layer.md.\n",
                  fmt::join(names, ", "), path, one ? "is" : "are", one ? "it" : "them"));
}

void save_archive(const Model& model, const Config& object, const std::string& path) {
  const std::string about = nn::metadata(), config = object.to_string();
  const H5Image weights(nn::weights_tree(model));
  ZipWriter zip(path);
  zip.add(nn::metadata_member, {std::as_bytes(std::span(about))});
  zip.add(nn::config_member, {std::as_bytes(std::span(config))});
  zip.add(nn::weights_member, weights.parts());
  nn::store_assets(*model.network(), zip);
  zip.commit();
}

}  // namespace

void Model::save(const std::string& path) const {
  const bool legacy =
      (path.ends_with(".h5") || path.ends_with(".hdf5")) && !path.ends_with(".weights.h5");
  if (!legacy && !path.ends_with(".keras"))
    throw InvalidArgument(
        fmt::format("a model is saved as \".keras\" or \".h5\", not as \"{}\".", path),
        "save_weights writes other kinds of files.");
  if (!is_main_process()) return;
  const Config object = to_config();
  nn::warn_of_unused_state(*impl_);
  warn_of_unregistered(object, path);
  if (!legacy) return save_archive(*this, object, path);
  nn::warn_of_assets(*network(), path);
  save_hdf5(path, nn::legacy_tree(*this));
}

Model load_model(const std::string& path, const LoadModelArgs& args) {
  return nn::parse_model(read_file(path), args);
}

}  // namespace stoker
