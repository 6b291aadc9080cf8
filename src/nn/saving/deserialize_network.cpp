#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "nn/config/allowed_object.h"
#include "nn/config/args.h"
#include "nn/config/array_config.h"
#include "nn/config/wide_dtype.h"
#include "nn/operations/operation.h"
#include "nn/saving/call_arguments.h"
#include "nn/saving/model_problems.h"
#include "nn/saving/network_config.h"
#include "nn/sequential.h"

namespace stoker::nn {
namespace {

constexpr size_t most_layers = 5000;                  // in one network
constexpr int64_t largest_number = int64_t{1} << 40;  // of an argument, except seeds and ids

const Config& needed(const Config& config, const char* key) {
  const Config* found = config.find(key);
  if (!found) throw InvalidArgument(fmt::format("\"{}\" is missing.", key));
  return *found;
}

void check_numbers(const Config& config, const std::string& key = {}) {
  if (config.is_map())
    for (const auto& [name, value] : config.as_map()) check_numbers(value, name);
  else if (config.is_list())
    for (const Config& item : config.as_list()) check_numbers(item, key);
  else if (config.is_int() && std::abs(config.as_int() / 2) > largest_number / 2 &&
           key.find("seed") == key.npos && key != "shared_object_id")
    throw InvalidArgument(fmt::format("\"{}\" of {} is absurd.", key, config.as_int()));
}

class NetworkReader {
 public:
  LayerRef read(const Config& object) {
    LayerRef layer = read_layer(object, "");
    if (!problems_.empty()) throw ModelProblems(std::move(problems_));
    return layer;
  }

 private:
  // Undefined if there was a problem, which is recorded.
  LayerRef read_layer(const Config& object, const std::string& outer) {
    std::string path = outer;
    LayerRef layer;
    note(path, [&] {
      const ObjectConfig parsed = parse_object(object);
      std::string name = text_at(parsed.config, "name");
      if (name.empty()) name = parsed.class_name;
      path = outer.empty() ? name : outer + "/" + name;
      check_origin(object, parsed.class_name);
      layer = is_operation(object) ? make_operation(parsed) : make(parsed, path);
      if (layer.ptr()) keep_extras(*layer, object);
    });
    return layer;
  }

  LayerRef make(const ObjectConfig& object, const std::string& path) {
    const std::string& kind = object.class_name;
    if (kind == "Functional" || kind == "Model") return read_functional(object.config, path);
    if (kind == "Sequential") return read_sequential(object.config, path);
    check_numbers(object.config);
    return make_layer_from_config(kind, object.config);
  }

  // Some operations have the names of layers; the module distinguishes them.
  static bool is_operation(const Config& object) {
    return text_at(object, "module").starts_with("keras.src.ops.");
  }
  static LayerRef make_operation(const ObjectConfig& object) {
    check_numbers(object.config);
    return Registry<OperationRef>::instance()
        .make(make_object(object.class_name, object.config), "operation")
        .layer;
  }

  static void keep_extras(Layer& layer, const Config& object) {
    if (!object.find("module")) return;  // the short form has none
    layer.file_extras = Config::map();
    for (const char* key : {"module", "registered_name", "build_config", "compile_config"})
      if (const Config* value = object.find(key)) layer.file_extras[key] = *value;
  }

  template <class Body>
  void note(const std::string& path, Body&& body) {
    try {
      body();
    } catch (const ModelProblems& error) {
      for (const auto& problem : error.problems)
        problems_.push_back({path + "/" + problem.path, problem.what});
    } catch (const Error& error) {
      problems_.push_back({path, short_text(error)});
    }
  }

  static const Config::List& layers_in(const Config& config) {
    const auto& layers = needed(config, "layers").as_list();
    if (layers.empty()) throw InvalidArgument("a model needs layers.");
    if (layers.size() > most_layers)
      throw Unsupported(fmt::format("a model of {} layers; at most {} are supported.",
                                    layers.size(), most_layers));
    return layers;
  }

  static bool is_input(const Config& object) {
    return text_at(object, "class_name") == "InputLayer";
  }

  Tensor read_input(const Config& object, const std::string& outer) {
    Tensor input;
    const Config* config = object.find("config");
    const std::string name = config ? text_at(*config, "name") : "";
    note(outer + "/" + name, [&] {
      if (!config) throw InvalidArgument("an InputLayer without a config.");
      check_numbers(*config);
      const Config read = make_layer_from_config("InputLayer", *config)->get_config();
      const Shape shape = shape_from(*read.find("batch_shape"));
      input = Input({.shape = shape.drop_front(),
                     .dtype = read.find("dtype")->as_string(),
                     .name = name,
                     .batch_size = shape[0]});
      const Config* stored = config->find("dtype");
      if (stored && stored->is_string() && wide_dtype(stored->as_string()) != stored->as_string())
        as_spec(input)->node->file_dtype = stored->as_string();
    });
    return input;
  }

  // Sequential: Keras omits the InputLayer if the shape is elsewhere in the file.
  LayerRef read_sequential(const Config& config, const std::string& path) {
    const size_t problems = problems_.size();
    std::vector<Sequential::Item> items;
    for (const Config& object : layers_in(config)) {
      if (is_input(object))
        items.emplace_back(read_input(object, path));
      else
        items.emplace_back(read_layer(object, path));
    }
    if (problems_.size() > problems) return {};
    const Config* shape = config.find("build_input_shape");
    if (shape && shape->is_list() && !items[0].input.defined()) {
      const Shape batch_shape = shape_from(*shape);
      items.insert(items.begin(), Input({.shape = batch_shape.drop_front()}));
    }
    LayerRef network = make_sequential(items, text_at(config, "name"), std::source_location{});
    if (const Config* dtype = config.find("dtype"); dtype && !dtype->is_null())
      network->set_dtype_policy(
          read_args<PolicyArgs>(Config::map({{"dtype", *dtype}}), path).dtype);
    set_trainable(*network, config);
    return network;
  }

  struct PolicyArgs {
    DTypePolicy dtype;
  };
  template <class V>
  friend void visit(PolicyArgs& a, V& v) {
    v("dtype", a.dtype);
  }

  static void set_trainable(Layer& network, const Config& config) {
    const Config* trainable = config.find("trainable");
    if (trainable && trainable->is_bool() && !trainable->as_bool()) network.set_trainable(false);
  }

  // A layer of a functional model during construction.
  struct Member {
    LayerRef layer;
    std::vector<Config> waiting;               // calls not made yet
    std::vector<std::vector<Tensor>> outputs;  // of each call, in file order
  };
  using Members = std::vector<std::pair<std::string, Member>>;

  LayerRef read_functional(const Config& config, const std::string& path) {
    const size_t problems = problems_.size();
    Members members;
    std::set<std::string> names;
    for (const Config& object : layers_in(config)) {
      const std::string name = text_at(object, "name");
      note(path, [&] {
        if (!names.insert(name).second)
          throw InvalidArgument(fmt::format("two layers are named \"{}\".", name));
      });
      members.emplace_back(name, read_member(object, path));
    }
    if (problems_.size() > problems) return {};
    connect(members);
    return assemble(config, members);
  }

  Member read_member(const Config& object, const std::string& path) {
    Member member;
    if (is_input(object)) {
      member.outputs.push_back({read_input(object, path)});
      return member;
    }
    member.layer = read_layer(object, path);
    note(path + "/" + text_at(object, "name"), [&] {
      const auto& nodes = needed(object, "inbound_nodes").as_list();
      member.waiting.assign(nodes.begin(), nodes.end());
      if (member.layer.ptr())
        for (const Config& node : nodes) check_call(node, *member.layer);
    });
    return member;
  }

  static Member& member_named(Members& members, const std::string& name) {
    const auto found = std::ranges::find(members, name, &Members::value_type::first);
    if (found == members.end())
      throw InvalidArgument(fmt::format("the model has no layer \"{}\".", name));
    return found->second;
  }

  static Tensor tensor_of(Members& members, const TensorOrigin& origin) {
    const Member& member = member_named(members, origin.layer);
    if (origin.node >= member.outputs.size()) return {};
    const auto& outputs = member.outputs[origin.node];
    if (origin.tensor >= outputs.size())
      throw InvalidArgument(fmt::format("layer \"{}\" has {} outputs, not {}.", origin.layer,
                                        outputs.size(), origin.tensor + 1));
    return outputs[origin.tensor];
  }

  // Makes each call as soon as its inputs exist: a shared layer may come early in the list.
  static void connect(Members& members) {
    const auto find = [&](const TensorOrigin& origin) { return tensor_of(members, origin); };
    for (bool waiting = true, moved = true; waiting; moved = false) {
      waiting = false;
      for (auto& [name, member] : members) {
        size_t made = 0;
        for (; made < member.waiting.size(); ++made)
          if (!make_call(member, member.waiting[made], find)) break;
        member.waiting.erase(member.waiting.begin(), member.waiting.begin() + made);
        moved = moved || made > 0;
        waiting = waiting || !member.waiting.empty();
      }
      if (waiting && !moved)
        throw InvalidArgument("the calls of the layers form a cycle, or depend on missing calls.");
    }
  }

  static bool make_call(Member& member, const Config& node,
                        const std::function<Tensor(const TensorOrigin&)>& find) {
    const auto form = read_call_arguments(node, find);
    if (!form) return false;
    member.outputs.push_back(describe_form(member.layer, *form));
    return true;
  }

  // The tensors of input_layers or output_layers, flattened, and their structure.
  struct Ends {
    std::vector<Tensor> tensors;
    Config structure;
  };
  static Ends read_ends(const Config& config, Members& members) {
    Ends ends;
    ends.structure = arrange(config, members, ends.tensors);
    return ends;
  }
  static Config arrange(const Config& config, Members& members, std::vector<Tensor>& out) {
    if (config.is_map()) {
      Config map = config;
      std::map<std::string, Config> sorted(config.as_map().begin(), config.as_map().end());
      for (const auto& [key, value] : sorted) map[key] = arrange(value, members, out);
      return map;
    }
    const auto& list = config.as_list();
    if (list.size() == 3 && list[0].is_string()) {
      TensorOrigin origin = origin_from(config);
      const Member& member = member_named(members, origin.layer);
      const bool from_one =
          member.layer.ptr() && member.layer->class_name() == "Functional" && origin.node > 0;
      origin.node -= from_one;
      const Tensor tensor = tensor_of(members, origin);
      if (!tensor.defined())
        throw InvalidArgument(fmt::format("{} does not name a tensor.", config.to_string()));
      out.push_back(tensor);
      return static_cast<int64_t>(out.size()) - 1;
    }
    Config::List arranged;
    for (const Config& item : list) arranged.push_back(arrange(item, members, out));
    return arranged;
  }

  static LayerRef assemble(const Config& config, Members& members) {
    Ends inputs = read_ends(needed(config, "input_layers"), members);
    Ends outputs = read_ends(needed(config, "output_layers"), members);
    auto network = make_layer<FunctionalNetwork>("Functional", std::move(inputs.tensors),
                                                 std::move(outputs.tensors),
                                                 text_at(config, "name"), std::source_location{});
    network->set_structure({inputs.structure, outputs.structure});
    set_trainable(*network, config);
    return network;
  }

  std::vector<ModelProblems::Problem> problems_;
};

std::string list_of(const std::vector<ModelProblems::Problem>& problems) {
  std::string text = problems.size() == 1
                         ? "the model has an unsupported part:"
                         : fmt::format("the model has {} unsupported parts:", problems.size());
  for (const auto& [path, what] : problems) text += fmt::format("\n  {}: {}", path, what);
  return text;
}

}  // namespace

ModelProblems::ModelProblems(std::vector<Problem> found)
    : Unsupported(list_of(found)), problems(std::move(found)) {}

std::string short_text(const Error& error) {
  constexpr size_t longest_hint = 200;
  const std::string text = error.what();
  if (error.hint().size() <= longest_hint || !text.ends_with(error.hint())) return text;
  std::string rest = text.substr(0, text.size() - error.hint().size());
  return rest.ends_with(" Hint: ") ? rest.substr(0, rest.size() - 7) : rest;
}

LayerRef deserialize_layer(const Config& object) { return NetworkReader().read(object); }

}  // namespace stoker::nn
