#include "graph/passes/passes_testing.h"
#include "stoker/layers.h"
#include "stoker/model.h"

namespace stoker::graph {
namespace {

class RowUpdates : public Passes {
 protected:
  // The gradient of a gather from a table of so many rows.
  void add_gradient(int64_t rows) {
    indices = graph.add_input({DType::int64, {4}});
    values = input({4, 5});
    table = state("table", {rows, 5});
    gradient = node("scatter_add", {values, indices}, {{"rows", rows}});
  }
  std::string after_sgd() {
    const ValueId rate = input({});
    const ValueId next = node("subtract", {table, node("multiply", {gradient, rate})});
    graph.states[0].update = next;
    return after();
  }
  ValueId indices, values, table, gradient;
};

TEST_F(RowUpdates, StepByTheValuesInsteadOfAGradientOfZeros) {
  add_gradient(9);
  const std::string done = after_sgd();
  EXPECT_NE(done.find("subtract_rows("), std::string::npos) << done;
  EXPECT_EQ(done.find("scatter_add"), std::string::npos) << done;
}

TEST_F(RowUpdates, StepTheMomentsToo) {
  add_gradient(9);
  const ValueId m = state("m", {9, 5}), v = state("v", {9, 5}), step = input({});
  const auto made = nodes("adam_update", {table, m, v, gradient, step}, {{"beta_1", 0.9}});
  for (size_t i = 0; i < 3; ++i) graph.states[i].update = made[i];
  const std::string done = after();
  EXPECT_NE(done.find("adam_update_rows("), std::string::npos) << done;
  EXPECT_EQ(done.find("scatter_add"), std::string::npos) << done;
  EXPECT_EQ(after({"adam_update_rows"}).find("adam_update_rows("), std::string::npos);
}

TEST_F(RowUpdates, LeaveASmallTableToItsGradient) {
  add_gradient(4);
  EXPECT_EQ(after_sgd().find("subtract_rows("), std::string::npos) << "no zeros are saved";
}

TEST_F(RowUpdates, LeaveAGradientThatOthersRead) {
  add_gradient(9);
  graph.outputs = {gradient};
  EXPECT_EQ(after_sgd().find("subtract_rows("), std::string::npos);
}

// From the layer to the memory plan: the memory for gradients is far smaller than the table, even
// with a double buffer.
TEST(Embedding, TakesNoMemoryForAGradientOfZeros) {
  const int64_t rows = 50000, width = 16;
  for (const char* optimizer : {"sgd", "adam"}) {
    Sequential model({Input({.shape = {6}, .dtype = DType::int64}),
                      layers::Embedding({.input_dim = rows, .output_dim = width}),
                      layers::Flatten(), layers::Dense({.units = 1})});
    model.compile({.optimizer = optimizer, .loss = "mse"});
    const MemoryForecast forecast = model.memory({.batch_size = 8});
    EXPECT_LT(forecast.gradients + forecast.activations + forecast.workspace, 2 * rows * width)
        << optimizer;
  }
}

}  // namespace
}  // namespace stoker::graph
