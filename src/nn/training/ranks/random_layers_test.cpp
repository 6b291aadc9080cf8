#include "distribution/slice.h"
#include "nn/test_models.h"
#include "stoker/io.h"

// Each rank draws what one process draws for its rows of a batch, also a rank with a single row.
namespace stoker {
namespace {

struct RandomLayer {
  const char *class_name, *config;  // JSON
  Shape sample;
};

std::ostream& operator<<(std::ostream& out, const RandomLayer& layer) {
  return out << layer.class_name;
}

class RandomLayers : public ::testing::TestWithParam<RandomLayer> {};

// A new layer whose seed and initial weights are always the same.
Array output(const RandomLayer& of, const Array& x) {
  set_random_seed(3);
  const LayerRef layer = make_layer_from_config(of.class_name, parse_json(of.config, "the test"));
  return layer(Tensor(x), {.training = true}).array();
}

TEST_P(RandomLayers, DrawForARowOfTheWholeBatch) {
  const RandomLayer& layer = GetParam();
  Array x = test::random_array(layer.sample.with_front(3));
  for (float& value : x.mutable_data<float>()) value = std::abs(value);
  const Array all = output(layer, x);
  EXPECT_GT(test::difference(all.rows(0, 1), output(layer, x.rows(1, 2))), 0) << "draws nothing";
  for (const distribution::Slice& rows : {distribution::Slice{3, 0, 1}, {3, 1, 1}, {3, 1, 2}}) {
    const distribution::SliceScope slice(rows);
    const int64_t end = rows.first + rows.here;
    const Array here = output(layer, x.rows(rows.first, end));
    EXPECT_LT(test::difference(here, all.rows(rows.first, end)), 1e-6) << rows.first;
  }
}

const Shape numbers{6}, sequence{4, 6}, image{8, 8, 3}, features{4, 4, 9}, volume{3, 4, 4, 9};

INSTANTIATE_TEST_SUITE_P(
    Ranks, RandomLayers,
    ::testing::Values(
        RandomLayer{"Dropout", R"({"rate": 0.5})", numbers},
        RandomLayer{"Dropout", R"({"rate": 0.5, "noise_shape": [null, 1, 6]})", sequence},
        RandomLayer{"Dropout", R"({"rate": 0.5, "noise_shape": [1, 4, 6]})", sequence},
        RandomLayer{"AlphaDropout", R"({"rate": 0.5, "noise_shape": [1, 4, 6]})", sequence},
        RandomLayer{"AlphaDropout", R"({"rate": 0.5})", numbers},
        RandomLayer{"GaussianDropout", R"({"rate": 0.5})", numbers},
        RandomLayer{"GaussianNoise", R"({"stddev": 0.5})", numbers},
        RandomLayer{"SpatialDropout1D", R"({"rate": 0.5})", sequence},
        RandomLayer{"SpatialDropout2D", R"({"rate": 0.5})", features},
        RandomLayer{"SpatialDropout3D", R"({"rate": 0.5})", volume},
        RandomLayer{"TimeDistributed",
                    R"({"layer": {"class_name": "Dropout", "config": {"rate": 0.5}}})", sequence},
        RandomLayer{"LSTM", R"({"units": 5, "dropout": 0.4, "recurrent_dropout": 0.4})", sequence},
        RandomLayer{"GRU", R"({"units": 5, "dropout": 0.4, "recurrent_dropout": 0.4})", sequence},
        RandomLayer{"SimpleRNN", R"({"units": 5, "dropout": 0.4})", sequence},
        RandomLayer{"Bidirectional",
                    R"({"layer": {"class_name": "GRU", "config": {"units": 5, "dropout": 0.4}}})",
                    sequence},
        RandomLayer{"ConvLSTM1D", R"({"filters": 2, "kernel_size": 2, "dropout": 0.4})",
                    Shape{3, 4, 2}},
        RandomLayer{"RandomFlip", "{}", image},
        RandomLayer{"RandomRotation", R"({"factor": 0.2})", image},
        RandomLayer{"RandomTranslation", R"({"height_factor": 0.3, "width_factor": 0.3})", image},
        RandomLayer{"RandomZoom", R"({"height_factor": 0.3})", image},
        RandomLayer{"RandomShear", R"({"x_factor": 0.3})", image},
        RandomLayer{"RandomCrop", R"({"height": 5, "width": 5})", image},
        RandomLayer{"RandomPerspective", R"({"factor": 0.8})", image},
        RandomLayer{"RandomElasticTransform", R"({"factor": 1.0, "value_range": [0, 1]})", image},
        RandomLayer{"RandomBrightness", R"({"factor": 0.5, "value_range": [0, 1]})", image},
        RandomLayer{"RandomContrast", R"({"factor": 0.5, "value_range": [0, 1]})", image},
        RandomLayer{"RandomHue", R"({"factor": 0.5, "value_range": [0, 1]})", image},
        RandomLayer{"RandomSaturation", R"({"factor": 0.5, "value_range": [0, 1]})", image},
        RandomLayer{"RandomSharpness", R"({"factor": 0.5, "value_range": [0, 1]})", image},
        RandomLayer{"RandomPosterization", R"({"factor": 4, "value_range": [0, 1]})", image},
        RandomLayer{"RandomColorDegeneration", R"({"factor": 0.5})", image},
        RandomLayer{"RandomColorJitter", R"({"brightness_factor": 0.5, "value_range": [0, 1]})",
                    image},
        RandomLayer{"RandomErasing", R"({"factor": 1.0, "scale": 0.3, "value_range": [0, 1]})",
                    image},
        RandomLayer{"RandomGaussianBlur",
                    R"({"kernel_size": 3, "sigma": [0.1, 1.0], "value_range": [0, 1]})", image},
        RandomLayer{"AugMix", R"({"value_range": [0, 1]})", image},
        RandomLayer{"RandAugment", R"({"value_range": [0, 1]})", image}));

}  // namespace
}  // namespace stoker
