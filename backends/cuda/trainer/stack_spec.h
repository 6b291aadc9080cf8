#pragma once
#include <cstdint>
#include <string>
#include <vector>

// The persistent trainer's problem: a stack of Dense layers, its loss and its optimizer.
namespace stoker::cuda::trainer {

struct DenseSpec {
  int64_t units = 0;
  std::string activation = "linear";
  bool use_bias = true;
  double dropout = 0;  // rate of a Dropout after the layer
  int64_t seed = 0;    // of that Dropout
};

struct StackSpec {
  int64_t batch = 0, inputs = 0;
  std::vector<DenseSpec> layers;
  std::string loss;       // sparse_categorical_crossentropy, categorical_crossentropy,
                          // binary_crossentropy (these three on logits), mean_squared_error
  double loss_scale = 0;  // a sample's share of the loss: 1 / batch for Keras's default reduction
  std::string optimizer = "adam";  // or sgd
  double beta_1 = 0.9, beta_2 = 0.999, epsilon = 1e-7;
  double momentum = 0;
  bool nesterov = false;
  std::string input_type = "float32";  // or uint8
  double input_scale = 1;              // factor for the input
  std::string label_type = "int64";    // int32, int64, uint8, float32
  bool gathered = true;                // rows are selected by an int64 array
  bool loss_metric = true, accuracy_metric = true;
  int64_t cluster = 16;
  int64_t bytes_of_block = 232448;  // maximum of shared memory per block
  bool checked = false;             // waits time out instead of hanging
};

}  // namespace stoker::cuda::trainer
