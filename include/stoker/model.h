#pragma once
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "stoker/account.h"
#include "stoker/callback.h"
#include "stoker/dataset.h"
#include "stoker/interrupt.h"
#include "stoker/layer.h"
#include "stoker/loss.h"
#include "stoker/memory.h"
#include "stoker/metric.h"
#include "stoker/optimizer.h"
#include "stoker/profile_steps.h"

namespace stoker {

struct RunRecord;  // run_record.h

// One array or several, in the order of the model's inputs or outputs.
class Arrays : public std::vector<Array> {
 public:
  Arrays() = default;
  Arrays(const Array& array) : std::vector<Array>{array} {}                     // NOLINT
  Arrays(std::initializer_list<Array> arrays) : std::vector<Array>(arrays) {}   // NOLINT
  Arrays(std::vector<Array> arrays) : std::vector<Array>(std::move(arrays)) {}  // NOLINT
};

// One loss, or one per output; LossRef() for an output without.
class Losses : public std::vector<LossRef> {
 public:
  Losses() = default;
  Losses(const char* name) : std::vector<LossRef>{LossRef(name)} {}                 // NOLINT
  Losses(const LossRef& loss) : std::vector<LossRef>{loss} {}                       // NOLINT
  Losses(std::initializer_list<LossRef> losses) : std::vector<LossRef>(losses) {}   // NOLINT
  Losses(std::vector<LossRef> losses) : std::vector<LossRef>(std::move(losses)) {}  // NOLINT
};

// Metrics, or one of them without braces.
class Metrics : public std::vector<MetricRef> {
 public:
  Metrics() = default;
  template <class M>
  requires std::convertible_to<const M&, MetricRef> Metrics(const M& metric)  // NOLINT
      : std::vector<MetricRef>{MetricRef(metric)} {}
  Metrics(std::initializer_list<MetricRef> metrics) : std::vector<MetricRef>(metrics) {}   // NOLINT
  Metrics(std::vector<MetricRef> metrics) : std::vector<MetricRef>(std::move(metrics)) {}  // NOLINT
};

// Callbacks, or one of them without braces.
class Callbacks : public std::vector<CallbackRef> {
 public:
  Callbacks() = default;
  template <class C>
  requires std::convertible_to<const C&, CallbackRef> Callbacks(const C& callback)  // NOLINT
      : std::vector<CallbackRef>{CallbackRef(callback)} {}
  Callbacks(std::initializer_list<CallbackRef> all) : std::vector<CallbackRef>(all) {}   // NOLINT
  Callbacks(std::vector<CallbackRef> all) : std::vector<CallbackRef>(std::move(all)) {}  // NOLINT
};

struct CompileArgs {
  OptimizerRef optimizer = "rmsprop";
  Losses loss = {};
  std::vector<double> loss_weights = {};
  Metrics metrics = {};           // with several outputs: one for each
  Metrics weighted_metrics = {};  // which sample weights apply to
  // With several outputs: a list for each …
  std::vector<Metrics> output_metrics = {}, output_weighted_metrics = {};
  // … or what some of them have, by name.
  std::map<std::string, LossRef> loss_by_output = {};
  std::map<std::string, double> loss_weights_by_output = {};
  std::map<std::string, Metrics> metrics_by_output = {}, weighted_metrics_by_output = {};
  bool auto_scale_loss = true;  // a "mixed_float16" model gets a LossScaleOptimizer
};

// Samples and targets, `.validation_data = {x, y}`, or a dataset of batches.
struct ValidationData {
  Arrays x, y, sample_weight;
  std::optional<Dataset> dataset;

  ValidationData() = default;                                   // none
  ValidationData(const Dataset& batches) : dataset(batches) {}  // NOLINT
  ValidationData(Arrays samples, Arrays targets, Arrays weights = {})
      : x(std::move(samples)), y(std::move(targets)), sample_weight(std::move(weights)) {}
  explicit operator bool() const { return !x.empty() || !y.empty() || dataset; }
};

struct FitArgs {
  int64_t batch_size = 32;  // AUTO: chosen from the memory forecast; docs/gpu.md has the rule
  int64_t epochs = 1, initial_epoch = 0;
  int verbose = 1;  // 0 silent, 1 progress line, 2 one line per epoch, 3 live view on a terminal
  Callbacks callbacks = {};
  double validation_split = 0;
  ValidationData validation_data = {};
  bool shuffle = true;
  std::map<int64_t, double> class_weight = {};
  Arrays sample_weight = {};
  int64_t steps_per_epoch = 0, validation_steps = 0, validation_batch_size = 0;  // 0: from the data
  int64_t validation_freq = 1;
  Recompute recompute = false;
  ProfileSteps profile = {};  // steps whose calls are timed; record() has the result
  std::source_location called = std::source_location::current();  // for messages
};

struct MemoryArgs {
  int64_t batch_size = 32;  // or AUTO, what fit would choose
  bool shuffle = true;
  Recompute recompute = false;
  // As fit gets them, which keeps the data of both beside its step; for memory(x, y).
  double validation_split = 0;
  ValidationData validation_data = {};
  int64_t validation_batch_size = 0;  // 0: batch_size
};

struct EvaluateArgs {
  int64_t batch_size = 32;
  int verbose = 1;
  Arrays sample_weight = {};
  int64_t steps = 0;
  Callbacks callbacks = {};
};

struct PredictArgs {
  int64_t batch_size = 32;
  int verbose = 0;
  int64_t steps = 0;
  Callbacks callbacks = {};
};

struct BatchArgs {
  Arrays sample_weight = {};
  std::map<int64_t, double> class_weight = {};
};

// What one step is given, as tensors. Weights are undefined where there are none.
struct StepData {
  std::vector<Tensor> x, y, sample_weight;
};

// What a step reports, by name, as Keras's train_step returns it.
using StepLogs = std::vector<std::pair<std::string, Tensor>>;

// A network with what it takes to train it. Any layer can be the network.
class Model {
 public:
  struct FunctionalArgs {
    std::vector<Tensor> inputs, outputs;
    std::string name = {};
  };
  explicit Model(const FunctionalArgs& args);
  explicit Model(LayerRef network);
  // For a model of one's own that trains several networks: they are its parts, by name, and
  // train_step says what happens to them.
  struct Part {
    std::string name;
    LayerRef network;
  };
  explicit Model(const std::vector<Part>& parts, const std::string& name = {});
  virtual ~Model();
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  void compile(const CompileArgs& args = {});
  Config get_compile_config() const;  // in Keras's form; an empty table before compile
  // needs_loss: as in LoadModelArgs.
  void compile_from_config(const Config& config, bool needs_loss = true);
  History fit(const Arrays& x, const Arrays& y, const FitArgs& args = {});
  Logs evaluate(const Arrays& x, const Arrays& y, const EvaluateArgs& args = {});
  Array predict(const Arrays& x, const PredictArgs& args = {});  // of a model with one output
  std::vector<Array> predict_all(const Arrays& x, const PredictArgs& args = {});
  // The same over a dataset of batches, whose elements are x, (x, y) or (x, y, sample_weight). Of
  // the arguments, batch_size, shuffle and validation_batch_size do not count: the dataset says
  // them.
  History fit(const Dataset& batches, const FitArgs& args = {});
  Logs evaluate(const Dataset& batches, const EvaluateArgs& args = {});
  Array predict(const Dataset& batches, const PredictArgs& args = {});
  std::vector<Array> predict_all(const Dataset& batches, const PredictArgs& args = {});
  Logs train_on_batch(const Arrays& x, const Arrays& y, const BatchArgs& args = {});
  Logs test_on_batch(const Arrays& x, const Arrays& y, const BatchArgs& args = {});
  Array predict_on_batch(const Arrays& x);
  std::string summary() const;
  // What fit would take of the device. Takes nothing itself: it traces and plans the step for the
  // model's inputs and loss, or for these arrays.
  MemoryForecast memory(const MemoryArgs& args = {});
  MemoryForecast memory(const Arrays& x, const Arrays& y, const MemoryArgs& args = {});

  Tensor operator()(const Tensor& x, const CallArgs& args = {}) const { return network()(x, args); }
  Tensor operator()(const std::vector<Tensor>& xs, const CallArgs& args = {}) const {
    return network()(xs, args);
  }
  operator LayerRef() const { return network(); }  // NOLINT: a model is a layer of a larger one

  const LayerRef& network() const;
  const std::string& name() const { return network()->name(); }
  std::vector<LayerRef> layers() const;
  // What the model takes and gives; empty if its input is not known yet.
  std::vector<Tensor> inputs() const, outputs() const;
  std::vector<std::string> input_names() const, output_names() const;
  LayerRef get_layer(const std::string& name) const;
  std::vector<Variable> weights() const { return network()->weights(); }
  std::vector<Variable> trainable_variables() const { return network()->trainable_variables(); }
  std::vector<Array> get_weights() const { return network()->get_weights(); }
  void set_weights(const std::vector<Array>& values) { network()->set_weights(values); }
  int64_t count_params() const { return network()->count_params(); }

  // The network in Keras's words, without weights, and a new one from them; also from the whole
  // object {class_name, config} of a model file. Throws once for all that cannot be had.
  Config get_config() const { return network()->get_config(); }
  static Model from_config(const Config& config);

  // A ".keras" archive: network, weights, compile settings and the optimizer's state.
  void save(const std::string& path) const;
  Config to_config() const;  // network and compile settings, as the archive has them
  // By the name's end: ".weights.h5" (Keras's, with the optimizer's state), ".npz", or else
  // safetensors. Also read: ".keras" and ".h5".
  void save_weights(const std::string& path) const;
  void load_weights(const std::string& path);

  Optimizer& optimizer() const;
  bool compiled() const;
  int64_t skipped_steps() const;  // since compile, because gradients overflowed
  void reset_metrics();           // train_on_batch and test_on_batch accumulate until this
  bool stop_training = false;     // a callback sets this to end after the current epoch
  std::string account() const;    // where the last fit's time went, in one line
  // Of the last fit, evaluate or predict, with verdict and advice; of a fit that runs, so far.
  Account account_data() const;
  RunRecord record();  // all that is known of the last fit, or of the one that runs
  const PipelineStatistics& input_statistics() const;  // of the dataset that the last fit read
  int64_t planned_bytes() const;  // weights, optimizer, metrics and what the compiled steps work in

  // Override for a step of your own. Ops run here become part of the one compiled step. What is
  // returned is what fit reports, as of the latest step; if nothing is, the metrics' results.
  virtual StepLogs train_step(const StepData& data);
  virtual StepLogs test_step(const StepData& data);
  // What predict gives and the steps above compare with the targets; the network's call.
  virtual std::vector<Tensor> call(const std::vector<Tensor>& inputs, const CallArgs& args);
  // Reset before every epoch and evaluation. Those that compile asked for, unless overridden.
  virtual std::vector<std::shared_ptr<Metric>> metrics() const;

 protected:
  Tensor compute_loss(const StepData& data, const std::vector<Tensor>& y_pred);
  void update_metrics(const StepData& data, const std::vector<Tensor>& y_pred, const Tensor& loss);

 public:
  // For the code that runs a model; not part of its interface.
  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// A stack of layers. `input` may be left out: then it is known when the first layer has
// input_shape, or at the first call.
class Sequential : public Model {
 public:
  struct Item {
    template <class L>
    requires std::convertible_to<L, LayerRef> Item(const L& l) : layer(l) {}  // NOLINT
    Item(const Tensor& i) : input(i) {}                                       // NOLINT: Input(…)
    LayerRef layer;
    Tensor input;
  };
  explicit Sequential(const std::vector<Item>& items, const std::string& name = {},
                      std::source_location created = std::source_location::current());
};

// A model of new layers and new weights, made as the old one was.
Model clone_model(const Model& model);
struct LoadModelArgs {
  bool compile = true;                       // as the file says
  Config compile_overrides = Config::map();  // {loss, optimizer, metrics …} that replace the file's
  // False: a loss, metric or optimizer that is not known here is no error. The model cannot be
  // trained with it then, but saving writes it as it was.
  bool needs_loss = true;
};
// What Model::save or Keras wrote. Nothing that the file names is run or opened; everything in it
// that is not supported is named in one error.
Model load_model(const std::string& path, const LoadModelArgs& args = {});

}  // namespace stoker
