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

// One loss, or one per output; LossRef() for an output without a loss.
class Losses : public std::vector<LossRef> {
 public:
  Losses() = default;
  Losses(const char* name) : std::vector<LossRef>{LossRef(name)} {}                 // NOLINT
  Losses(const LossRef& loss) : std::vector<LossRef>{loss} {}                       // NOLINT
  Losses(std::initializer_list<LossRef> losses) : std::vector<LossRef>(losses) {}   // NOLINT
  Losses(std::vector<LossRef> losses) : std::vector<LossRef>(std::move(losses)) {}  // NOLINT
};

// Metrics; a single one needs no braces.
class Metrics : public std::vector<MetricRef> {
 public:
  Metrics() = default;
  template <class M>
  requires std::convertible_to<const M&, MetricRef> Metrics(const M& metric)  // NOLINT
      : std::vector<MetricRef>{MetricRef(metric)} {}
  Metrics(std::initializer_list<MetricRef> metrics) : std::vector<MetricRef>(metrics) {}   // NOLINT
  Metrics(std::vector<MetricRef> metrics) : std::vector<MetricRef>(std::move(metrics)) {}  // NOLINT
};

// Callbacks; a single one needs no braces.
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
  Metrics weighted_metrics = {};  // to which sample weights apply
  // With several outputs: a list for each …
  std::vector<Metrics> output_metrics = {}, output_weighted_metrics = {};
  // … or by output name, for some of them.
  std::map<std::string, LossRef> loss_by_output = {};
  std::map<std::string, double> loss_weights_by_output = {};
  std::map<std::string, Metrics> metrics_by_output = {}, weighted_metrics_by_output = {};
  bool auto_scale_loss = true;  // a "mixed_float16" model gets a LossScaleOptimizer
};

// `.validation_data = {x, y}`, or a dataset of batches.
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
  int64_t batch_size = 32;  // AUTO: chosen by the memory forecast; see docs/gpu.md
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
  ProfileSteps profile = {};                                      // steps to profile; see record()
  std::source_location called = std::source_location::current();  // for messages
};

struct MemoryArgs {
  int64_t batch_size = 32;  // or AUTO, what fit would choose
  bool shuffle = true;
  Recompute recompute = false;
  // As in fit, which keeps both parts of the data in memory; for memory(x, y).
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

// The inputs of one step, as tensors. Weights are undefined if there are none.
struct StepData {
  std::vector<Tensor> x, y, sample_weight;
};

// A step's reported values by name, as returned by Keras's train_step.
using StepLogs = std::vector<std::pair<std::string, Tensor>>;

// A network with everything needed to train it. Any layer can be the network.
class Model {
 public:
  struct FunctionalArgs {
    std::vector<Tensor> inputs, outputs;
    std::string name = {};
  };
  explicit Model(const FunctionalArgs& args);
  explicit Model(LayerRef network);
  // For a user-defined model that trains several networks: its parts by name; train_step defines
  // the training.
  struct Part {
    std::string name;
    LayerRef network;
  };
  explicit Model(const std::vector<Part>& parts, const std::string& name = {});
  virtual ~Model();
  Model(Model&&) noexcept;
  Model& operator=(Model&&) noexcept;

  void compile(const CompileArgs& args = {});
  Config get_compile_config() const;  // in Keras's format; an empty map before compile
  // needs_loss: as in LoadModelArgs.
  void compile_from_config(const Config& config, bool needs_loss = true);
  History fit(const Arrays& x, const Arrays& y, const FitArgs& args = {});
  Logs evaluate(const Arrays& x, const Arrays& y, const EvaluateArgs& args = {});
  Array predict(const Arrays& x, const PredictArgs& args = {});  // for a model with one output
  std::vector<Array> predict_all(const Arrays& x, const PredictArgs& args = {});
  // The same over a dataset of batches, whose elements are x, (x, y) or (x, y, sample_weight). The
  // arguments batch_size, shuffle and validation_batch_size are ignored: the dataset determines
  // them.
  History fit(const Dataset& batches, const FitArgs& args = {});
  Logs evaluate(const Dataset& batches, const EvaluateArgs& args = {});
  Array predict(const Dataset& batches, const PredictArgs& args = {});
  std::vector<Array> predict_all(const Dataset& batches, const PredictArgs& args = {});
  Logs train_on_batch(const Arrays& x, const Arrays& y, const BatchArgs& args = {});
  Logs test_on_batch(const Arrays& x, const Arrays& y, const BatchArgs& args = {});
  Array predict_on_batch(const Arrays& x);
  std::string summary() const;
  // The device memory that fit would need. Allocates nothing: traces and plans the step for the
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
  // Symbolic inputs and outputs; empty if the input is not known yet.
  std::vector<Tensor> inputs() const, outputs() const;
  std::vector<std::string> input_names() const, output_names() const;
  LayerRef get_layer(const std::string& name) const;
  std::vector<Variable> weights() const { return network()->weights(); }
  std::vector<Variable> trainable_variables() const { return network()->trainable_variables(); }
  std::vector<Array> get_weights() const { return network()->get_weights(); }
  void set_weights(const std::vector<Array>& values) { network()->set_weights(values); }
  int64_t count_params() const { return network()->count_params(); }

  // The network's config in Keras's format, without weights, and a new network from it; also from
  // the whole object {class_name, config} of a model file. Throws one error for everything that is
  // not supported.
  Config get_config() const { return network()->get_config(); }
  static Model from_config(const Config& config);

  // A ".keras" archive: network, weights, compile settings and the optimizer's state.
  void save(const std::string& path) const;
  Config to_config() const;  // network and compile settings, as in the archive
  // The extension selects the format: ".weights.h5" (Keras's, with the optimizer's state), ".npz",
  // else safetensors. Also read: ".keras" and ".h5".
  void save_weights(const std::string& path) const;
  void load_weights(const std::string& path);

  Optimizer& optimizer() const;
  bool compiled() const;
  int64_t skipped_steps() const;  // since compile, because gradients overflowed
  void reset_metrics();           // train_on_batch and test_on_batch accumulate until this
  bool stop_training = false;     // a callback sets this to end after the current epoch
  std::string account() const;    // where the last fit's time went, in one line
  // Of the last fit, evaluate or predict, with verdict and advice; during a fit, of the fit so far.
  Account account_data() const;
  RunRecord record();  // the complete record of the last fit, or of the running one
  const PipelineStatistics& input_statistics() const;  // of the dataset used by the last fit
  int64_t planned_bytes() const;  // weights, optimizer, metrics and arenas of the compiled steps

  // Override for a user-defined step. Ops run here become part of the compiled step. fit reports
  // the returned values of the latest step or, if nothing is returned, the metrics' results.
  virtual StepLogs train_step(const StepData& data);
  virtual StepLogs test_step(const StepData& data);
  // What predict returns and the steps above compare with the targets; by default the network's
  // call.
  virtual std::vector<Tensor> call(const std::vector<Tensor>& inputs, const CallArgs& args);
  // Reset before every epoch and evaluation. By default those of compile.
  virtual std::vector<std::shared_ptr<Metric>> metrics() const;

 protected:
  Tensor compute_loss(const StepData& data, const std::vector<Tensor>& y_pred);
  void update_metrics(const StepData& data, const std::vector<Tensor>& y_pred, const Tensor& loss);

 public:
  // Internal.
  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// A stack of layers. `input` may be omitted: then the shape comes from the first layer's
// input_shape, or from the first call.
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

// A copy with new layers and new weights.
Model clone_model(const Model& model);
struct LoadModelArgs {
  bool compile = true;                       // as in the file
  Config compile_overrides = Config::map();  // {loss, optimizer, metrics …} that replace the file's
  // False: an unsupported loss, metric or optimizer is not an error. The model cannot be trained
  // with it, but saving writes it unchanged.
  bool needs_loss = true;
};
// Loads a file written by Model::save or Keras. Nothing named in the file is executed or opened;
// everything unsupported is listed in one error.
Model load_model(const std::string& path, const LoadModelArgs& args = {});

}  // namespace stoker
