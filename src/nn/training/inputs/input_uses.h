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
  int64_t rows = 0;      // of the smallest Embedding that reads them as row numbers; 0: none does
  std::string layer;     // its name
  bool strings = false;  // a layer reads them as strings
};

// Learns the uses of a step's inputs, or of a layer's, while it is traced: layers report them as
// they are called.
class InputUses {
 public:
  InputUses(const std::vector<Tensor>& inputs, std::vector<InputUse>& uses);
  ~InputUses();
  InputUses(const InputUses&) = delete;
  InputUses& operator=(const InputUses&) = delete;

  // Outside a step, and for tensors that are computed from inputs, these do nothing.
  static void report_ids(const Tensor& ids, int64_t rows, const std::string& layer);
  static void report_strings(const Tensor& strings);

  // Where the inputs are strings: are these still the same ones, only moved?
  bool are_strings(const Tensor& tensor) const { return !uses_of_strings(tensor).empty(); }
  // Does each input reach a layer that reads strings, or one of the outputs as it is?
  bool all_read_as_strings(const std::vector<Tensor>& outputs) const;

 private:
  InputUse* use_of_ids(const Tensor& tensor) const;
  std::vector<InputUse*> uses_of_strings(const Tensor& tensor) const;
  InputUse* input_with(const Tensor& value) const;

  const std::vector<Tensor>& inputs_;
  std::vector<InputUse>& uses_;
  InputUses* outer_;
};

// Throws InvalidArgument for strings where the model wants numbers, and for ids that an Embedding
// has no row for; says which sample and value. Uses are known once the step was traced; the data
// has not been used then.
void check_inputs(Model& model, const Columns& columns);

}  // namespace stoker::nn
