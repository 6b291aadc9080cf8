#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "nn/config/args.h"
#include "nn/functional.h"
#include "recipe/parts.h"
#include "stoker/suggest.h"

namespace stoker::nn {
namespace {

struct RecipeInput {
  Shape shape;
  InputDType dtype;
  std::string name;
};
template <class V>
void visit(RecipeInput& a, V& v) {
  v("shape", a.shape, required);
  v("dtype", a.dtype);
  v("name", a.name);
}

std::vector<std::string> names_in(const Config& config) {
  if (config.is_string()) return {config.as_string()};
  std::vector<std::string> names;
  for (const Config& item : config.as_list()) names.push_back(item.as_string());
  return names;
}

// Each layer takes the previous one's output unless `inputs` names others.
class ModelReader {
 public:
  explicit ModelReader(const RecipeSource& source) : source_(source) {}

  std::unique_ptr<Model> read() {
    source_.check_keys("model", {"name", "layers", "outputs"});
    const Config& layers = source_.get("model.layers");
    const size_t count =
        source_.at("model.layers", [&]() -> size_t { return layers.as_list().size(); });
    for (size_t i = 0; i < count; ++i) read_item(fmt::format("model.layers.{}", i));
    if (!last_.defined()) source_.fail("model.layers", "a model needs layers.");
    const auto outputs = read_outputs();
    return source_.at("model", [&] {
      return std::make_unique<Model>(LayerRef(make_layer<FunctionalNetwork>(
          stack_ ? "Sequential" : "Functional", inputs_, outputs,
          source_.string_at("model.name", ""), std::source_location{})));
    });
  }

 private:
  void read_item(const std::string& path) {
    const Config& item = source_.get(path);
    if (!item.is_map()) source_.fail(path, fmt::format("a layer is a table, got {}.", item.kind()));
    source_.at(path, [&] {
      if (item.find("layer")) return call_again(path, item);
      const Config* class_name = item.find("class_name");
      if (!class_name)
        throw InvalidArgument("a layer needs \"class_name\".",
                              "such as class_name = \"Dense\", or layer = \"name\" to use a layer "
                              "again.");
      if (class_name->as_string() == "Input" || class_name->as_string() == "InputLayer")
        add_input(without(item, {"class_name"}));
      else
        add_layer(class_name->as_string(), item);
    });
  }

  void add_input(const Config& config) {
    const auto args = read_args<RecipeInput>(config, "Input");
    for (int64_t dim : args.shape)
      if (dim < 1 && dim != unknown)
        throw InvalidArgument(fmt::format("\"shape\" of an Input has a dimension of {}.", dim),
                              "dimensions are positive, -1 if not known; the batch is left out.");
    inputs_.push_back(Input({.shape = args.shape, .dtype = args.dtype, .name = args.name}));
    stack_ = stack_ && inputs_.size() == 1 && names_.empty();
    keep(as_spec(inputs_.back())->node->name, inputs_.back());
  }

  void add_layer(const std::string& class_name, const Config& item) {
    const Config arguments = nest_objects(without(item, {"class_name", "inputs", "trainable"}));
    const LayerRef layer = make_layer_from_config(class_name, arguments);
    if (const Config* trainable = item.find("trainable"))
      layer->set_trainable(trainable->as_bool());
    if (!last_.defined() && layer->input_shape.rank() > 0)
      add_input(Config::map({{"shape", dims_of(layer->input_shape)}}));
    keep(layer->name(), layer(inputs_of(item)));
    layers_.emplace(layer->name(), layer);
  }

  void call_again(const std::string& path, const Config& item) {
    source_.check_keys(path, {"layer", "name", "inputs"});
    const std::string& name = item.find("layer")->as_string();
    const auto found = layers_.find(name);
    if (found == layers_.end()) {
      std::vector<std::string> known;
      for (const auto& [layer, ref] : layers_) known.push_back(layer);
      throw InvalidArgument(fmt::format("there is no layer \"{}\" above this one.", name),
                            did_you_mean(name, known));
    }
    stack_ = false;
    const Config* own_name = item.find("name");
    keep(own_name ? own_name->as_string() : fmt::format("{}_again", name),
         found->second(inputs_of(item)));
  }

  std::vector<Tensor> inputs_of(const Config& item) {
    const Config* inputs = item.find("inputs");
    if (!inputs && !last_.defined())
      throw InvalidArgument("the model does not say what it takes.",
                            "begin with {class_name = \"Input\", shape = […]}.");
    if (!inputs) return {last_};
    stack_ = false;
    std::vector<Tensor> tensors;
    for (const auto& name : names_in(*inputs)) tensors.push_back(tensor(name));
    return tensors;
  }

  const Tensor& tensor(const std::string& name) const {
    if (const auto found = tensors_.find(name); found != tensors_.end()) return found->second;
    throw InvalidArgument(fmt::format("nothing above is named \"{}\".", name),
                          did_you_mean(name, names_));
  }

  void keep(const std::string& name, const Tensor& tensor) {
    if (!tensors_.emplace(name, tensor).second)
      throw InvalidArgument(fmt::format("the name \"{}\" is taken.", name),
                            "give each layer a name of its own.");
    names_.push_back(name);
    last_ = tensor;
  }

  std::vector<Tensor> read_outputs() const {
    const Config* outputs = source_.find("model.outputs");
    if (!outputs) return {last_};
    return source_.at("model.outputs", [&] {
      std::vector<Tensor> tensors;
      for (const auto& name : names_in(*outputs)) tensors.push_back(tensor(name));
      return tensors;
    });
  }

  static Config without(const Config& table, const std::vector<std::string>& keys) {
    Config rest = Config::map();
    for (const auto& [key, value] : table.as_map())
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) rest[key] = value;
    return rest;
  }
  static Config dims_of(const Shape& shape) { return Config::List(shape.begin(), shape.end()); }

  const RecipeSource& source_;
  std::vector<Tensor> inputs_;
  Tensor last_;
  bool stack_ = true;  // one input, each layer on top of the previous one
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, LayerRef> layers_;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<Model> read_model(const RecipeSource& source) { return ModelReader(source).read(); }

}  // namespace stoker::nn
