#pragma once
#include <string>
#include <vector>

#include "stoker/tensor.h"

namespace stoker {
class Model;
}

namespace stoker::nn {

struct Columns;

// How a model uses the values of one of its inputs.
struct InputUse {
  int64_t rows = 0;      // of the smallest Embedding that uses them as indices; 0: none
  std::string layer;     // name of that Embedding
  bool strings = false;  // a layer reads them as strings
};

// Records how the inputs of a step or a layer are used while it is traced: layers report it when
// they are called.
class InputUses {
 public:
  InputUses(const std::vector<Tensor>& inputs, std::vector<InputUse>& uses);
  ~InputUses();
  InputUses(const InputUses&) = delete;
  InputUses& operator=(const InputUses&) = delete;

  // Without effect outside a step, and for tensors computed from inputs.
  static void report_ids(const Tensor& ids, int64_t rows, const std::string& layer);
  static void report_strings(const Tensor& strings);

  // Are these still the input strings, only moved?
  bool are_strings(const Tensor& tensor) const { return !uses_of_strings(tensor).empty(); }
  // Does each input reach a layer that reads strings, or an output unchanged?
  bool all_read_as_strings(const std::vector<Tensor>& outputs) const;

 private:
  InputUse* use_of_ids(const Tensor& tensor) const;
  std::vector<InputUse*> uses_of_strings(const Tensor& tensor) const;
  InputUse* input_with(const Tensor& value) const;

  const std::vector<Tensor>& inputs_;
  std::vector<InputUse>& uses_;
  InputUses* outer_;
};

// Throws InvalidArgument for strings where the model expects numbers. Uses are known after the step
// was traced, before the data is used.
void check_inputs(Model& model, const Columns& columns);

}  // namespace stoker::nn
