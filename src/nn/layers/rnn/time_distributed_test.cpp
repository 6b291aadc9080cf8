#include "distribution/slice.h"
#include "nn/test_models.h"
#include "stoker/layers/bidirectional.h"
#include "stoker/layers/dropout.h"

namespace stoker {
namespace {

LayerRef noisy() {
  return layers::TimeDistributed({.layer = layers::Dropout({.rate = 0.5, .seed = 3})});
}

// Each rank drops what one process drops of its rows, also a rank with a single one.
TEST(TimeDistributed, DrawsTheRandomNumbersOfTheRowsOfASlice) {
  const Array x = test::random_array({3, 4, 5});
  const Array all = noisy()(Tensor(x), {.training = true}).array();
  for (const distribution::Slice& rows : {distribution::Slice{3, 0, 1}, {3, 1, 1}, {3, 1, 2}}) {
    const distribution::SliceScope slice(rows);
    const int64_t end = rows.first + rows.here;
    const Array here = noisy()(Tensor(x.rows(rows.first, end)), {.training = true}).array();
    EXPECT_EQ(test::difference(here, all.rows(rows.first, end)), 0) << rows.first;
  }
}

}  // namespace
}  // namespace stoker
