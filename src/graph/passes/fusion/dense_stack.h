#pragma once
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace stoker::graph {

// The training step of a stack of Dense layers, recognised in its graph.
struct DenseStack {
  // A weight or bias with its optimizer states; no_value: there is none.
  struct Parameter {
    ValueId weight = no_value, m = no_value, v = no_value;
  };
  struct Layer {
    Parameter kernel, bias;
    std::string activation = "linear";
    double dropout = 0;
    int64_t seed = 0;
    ValueId calls = no_value;  // the counter of its Dropout
  };
  std::vector<Layer> layers;
  ValueId x = no_value, y = no_value, index = no_value;  // index: of the rows in x and y
  double input_scale = 1;
  std::string loss, optimizer;
  double loss_scale = 1;
  double beta_1 = 0, beta_2 = 0, epsilon = 0, momentum = 0;
  bool nesterov = false;
  ValueId learning_rate = no_value, iteration = no_value;
  ValueId loss_total = no_value, accuracy_total = no_value;
  std::vector<ValueId> counts;  // of samples, one for each total
};

// Nothing unless every node of the graph is accounted for.
std::optional<DenseStack> read_dense_stack(const Graph& graph);

}  // namespace stoker::graph
