#include "differential/kind.h"
#include "nn/layers/image/image_sampling.h"
#include "stoker/ops/shape_ops.h"

namespace stoker::differential {
namespace {

void run(const Family& family, const Config& record) {
  const Array rows = family.array(record, "rows");
  const int64_t images = rows.shape()[0];
  const auto column = [&](int64_t i) {
    return ops::reshape(ops::slice(rows, {0, i}, {images, 1}), {images, 1, 1});
  };
  const nn::Affine affine{column(0), column(1), column(2), column(3), column(4), column(5)};
  const Config& arguments = *record.find("arguments");
  const nn::Sampling sampling{arguments.find("interpolation")->as_string(),
                              arguments.find("fill_mode")->as_string(),
                              arguments.find("fill_value")->as_double()};
  const Tensor moved = nn::affine_transform(family.array(record, "images"), affine, sampling);
  EXPECT_TRUE(near(moved.array(), family.array(record, "output")));
}

std::vector<std::string> names() { return {"affine_transform"}; }
const RegisterKind registered{"affine", {names, run}};

}  // namespace
}  // namespace stoker::differential
