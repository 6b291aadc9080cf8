#pragma once
#include <optional>
#include <string>
#include <type_traits>

#include "stoker/dataset.h"
#include "stoker/tensor.h"

namespace stoker::distribution {

// The arguments of keras.distribution.initialize(). Each that is not given is taken from Keras's
// environment variable, else from those of the launcher, which must not contradict it.
struct InitializeArgs {
  std::string job_addresses = {};  // "10.0.0.1:1234,10.0.0.2:2345"; the first is that of process 0
  std::optional<int> num_processes = {}, process_id = {};
};

// Joins the processes that a launcher (mpirun, srun, stoker launch) started this program with, as
// keras.distribution.initialize() does. fit, evaluate and predict do it, too; a program that prints
// or loads data before them calls it first. Throws InvalidArgument or DeviceError. Without a
// launcher or arguments it does nothing.
void initialize(const InitializeArgs& args = {});

// Terminates all of them, after a message with this process's rank and step. Does not return.
[[noreturn]] void abort(int status, const std::string& message);

// Waits until all processes have called it: afterwards each can read what process 0 has written.
void barrier();

int process_id();     // 0 for the one that prints and writes files
int num_processes();  // 1 without a launcher

// A global batch, of which this process has some rows.
struct DistributedBatch {
  Element element;  // this process's rows
  int64_t rows;     // of the whole batch
};

// A dataset of global batches, each divided among the processes.
class DistributedDataset {
 public:
  explicit DistributedDataset(Dataset batches) : batches_(std::move(batches)) {}

  class Iterator {
   public:
    explicit Iterator(Dataset::Iterator at) : at_(std::move(at)) {}
    DistributedBatch operator*() const;
    Iterator& operator++() { return ++at_, *this; }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    Dataset::Iterator at_;
  };
  Iterator begin() const { return Iterator(batches_.begin()); }
  Iterator end() const { return Iterator(batches_.end()); }

 private:
  Dataset batches_;
};

enum class ReduceOp { SUM, MEAN };

// Data parallelism for user-defined loops with tf.distribute's API; each process is a replica. fit,
// evaluate and train_on_batch do not need it: they divide their batches automatically.
//
// Inside run, losses are means over the global batch, and apply_gradients sums the gradients that
// each process computed for its rows. Variables begin with the values of process 0 where the step
// is a stoker::function.
class DataParallel {
 public:
  DataParallel() { initialize(); }
  struct Scope {};
  // Does nothing: every process creates all variables. Exists so that programs written for
  // tf.distribute need no change.
  Scope scope() const { return {}; }
  int num_replicas_in_sync() const { return num_processes(); }
  DistributedDataset experimental_distribute_dataset(const Dataset& batches) const {
    return DistributedDataset(batches);
  }

  // Calls step(x, y), or as many tensors as it takes, for the rows of this process: the arrays of
  // the batch. A step that takes none gets the element.
  template <class Step>
  auto run(const Step& step, const DistributedBatch& batch) const {
    const RunScope scope(batch, ++runs_);
    constexpr size_t count = tensors_of<Step>();
    return noted(batch,
                 [&] { return call(step, batch.element, std::make_index_sequence<count>()); });
  }

  // Reduces a value over all processes; all of them get the result. `axis`, such as that of the
  // rows: of each process's value, which is reduced along it, too; MEAN is then that of all rows.
  // What run returned for a batch that every process computed completely counts once.
  Array reduce(ReduceOp op, const Tensor& value, std::optional<int64_t> axis = {}) const;

 private:
  class RunScope {
   public:
    RunScope(const DistributedBatch& batch, int64_t step);  // the step's number is for messages
    ~RunScope();
    RunScope(const RunScope&) = delete;
    RunScope& operator=(const RunScope&) = delete;

   private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
  };

  // How many a step takes; 0: it takes an Element.
  template <class Step>
  static constexpr size_t tensors_of() {
    if constexpr (requires { Step::tensors(); })
      return Step::tensors();
    else if constexpr (std::is_invocable_v<const Step&, const Tensor&, const Tensor&>)
      return 2;
    else if constexpr (std::is_invocable_v<const Step&, const Tensor&, const Tensor&,
                                           const Tensor&>)
      return 3;
    else
      return std::is_invocable_v<const Step&, const Element&> ? 0 : 1;
  }
  template <class Step, size_t... I>
  static auto call(const Step& step, const Element& rows, std::index_sequence<I...>) {
    if constexpr (sizeof...(I) == 0) {
      return step(rows);
    } else {
      detail::check_taken(rows, sizeof...(I));
      return step(Tensor(rows.arrays()[I])...);
    }
  }

  template <class Call>
  auto noted(const DistributedBatch& batch, const Call& call) const {
    if constexpr (std::is_same_v<std::invoke_result_t<const Call&>, Tensor>)
      return note(batch, call());
    else
      return call();
  }
  Tensor note(const DistributedBatch& batch, const Tensor& result) const;

  mutable int64_t runs_ = 0;
  mutable Tensor whole_;  // the latest result, if all processes have it for the whole batch
};
using MirroredStrategy = DataParallel;
using MultiWorkerMirroredStrategy = DataParallel;

}  // namespace stoker::distribution
