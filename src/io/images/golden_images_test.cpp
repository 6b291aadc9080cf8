#include <gtest/gtest.h>

#include "io/images/adjust.h"
#include "io/images/affine.h"
#include "io/images/codecs/decode.h"
#include "io/images/random_crop.h"
#include "io/images/resize.h"
#include "io/images/test_images.h"
#include "support/golden.h"

namespace stoker::images {
namespace {

// Results of TensorFlow and Keras: tools/goldens/group_images.py.
class GoldenImages : public ::testing::Test {
 protected:
  template <class F>
  void for_cases(std::initializer_list<std::string_view> classes, const F& compare) {
    int count = 0;
    for (const Config& c : group().cases()) {
      class_ = c.find("class_name")->as_string();
      if (std::find(classes.begin(), classes.end(), class_) == classes.end()) continue;
      SCOPED_TRACE(golden::id(c));
      config_ = c.find("config");
      compare(c);
      ++count;
    }
    EXPECT_GT(count, 0);
  }
  static const golden::Group& group() {
    static const golden::Group loaded = golden::load("images");
    return loaded;
  }
  static Array array(const Config& c, const char* field) { return group().array(c, field); }
  static Blob file(const Config& c) {
    return Blob::copy(std::as_bytes(array(c, "file").data<uint8_t>()), "golden");
  }
  int integer(const char* field) const { return static_cast<int>(config_->find(field)->as_int()); }
  float number(const char* field) const {
    return static_cast<float>(config_->find(field)->as_double());
  }
  std::string text(const char* field) const { return config_->find(field)->as_string(); }
  int64_t size(size_t axis) const { return config_->find("size")->as_list()[axis].as_int(); }
  double factor(size_t i) const { return config_->find("factors")->as_list()[i].as_double(); }

  std::string class_;
  const Config* config_ = nullptr;
};

TEST_F(GoldenImages, DecodedAsByTensorFlow) {
  for_cases({"decode"}, [&](const Config& c) {
    const Array want = array(c, "output");
    EXPECT_TRUE(within(decode_image(file(c), {.channels = integer("channels")}), want, 0));
    const ImageSize size = image_size(file(c));
    EXPECT_EQ(size.height, want.shape()[0]);
    EXPECT_EQ(size.width, want.shape()[1]);
    if (integer("channels") == 0) {
      EXPECT_EQ(size.channels, want.shape()[2]);
    }
  });
}

TEST_F(GoldenImages, RegionsAreDecodedAsTheWholeImage) {
  for_cases({"crop"}, [&](const Config& c) {
    const Config::List& boxes = c.find("boxes")->as_list();
    const std::vector<Array> outputs = group().list(c, "outputs");
    PixelMemory memory;
    for (size_t i = 0; i < boxes.size(); ++i) {
      const Config::List& b = boxes[i].as_list();
      const Box box{b[0].as_int(), b[1].as_int(), b[2].as_int(), b[3].as_int()};
      const Region region = decode_region(file(c), {.box = box}, memory);
      EXPECT_TRUE(within(copied(region.pixels), outputs[i], 0)) << "box " << i;
      EXPECT_EQ(region.box.top, 0);
      EXPECT_EQ(region.box.left, 0);
    }
  });
}

TEST_F(GoldenImages, ResizedAsByTensorFlow) {
  for_cases({"resize"}, [&](const Config& c) {
    const ResizeOptions options{.interpolation = parse_interpolation(text("interpolation")),
                                .antialias = config_->find("antialias")->as_bool()};
    const Array image = array(c, "image"), want = array(c, "output");
    // TensorFlow takes the cubic weights from a table of 1024 entries.
    const double most = text("interpolation") == "bicubic" ? 0.1 : 0.002;
    EXPECT_TRUE(within(resize(image, size(0), size(1), options), want, most));
    EXPECT_TRUE(
        within(resize(image.astype(DType::float32), size(0), size(1), options), want, most));
  });
}

TEST_F(GoldenImages, CroppedToAspectRatioAsByKeras) {
  for_cases({"crop_to_aspect_ratio"}, [&](const Config& c) {
    const Array image = array(c, "image");
    const Box box = centre_crop(image.shape()[0], image.shape()[1], static_cast<double>(size(0)),
                                static_cast<double>(size(1)));
    Array got(DType::float32, {size(0), size(1), 3});
    ResizeMemory memory;
    resize(pixels_of<uint8_t>(image), real(box), {}, {}, mutable_pixels_of<float>(got), memory);
    EXPECT_TRUE(within(got, array(c, "output"), 0.001));
  });
}

template <class T>
void adjust(const std::string& how, float by, Array& image) {
  const Pixels<T> pixels = mutable_pixels_of<T>(image);
  if (how == "brightness") adjust_brightness(pixels, by);
  if (how == "contrast") adjust_contrast(pixels, by);
  if (how == "saturation") adjust_saturation(pixels, by);
  if (how == "hue") adjust_hue(pixels, by);
}

TEST_F(GoldenImages, AdjustedAsByTensorFlow) {
  for_cases({"brightness", "contrast", "saturation", "hue"}, [&](const Config& c) {
    Array image = array(c, "image").clone();
    const bool bytes = image.dtype() == DType::uint8;
    if (bytes)
      adjust<uint8_t>(class_, number("argument"), image);
    else
      adjust<float>(class_, number("argument"), image);
    EXPECT_TRUE(within(image, array(c, "output"), bytes ? 1 : 1e-5));
  });
}

TEST_F(GoldenImages, MovedAsByKeras) {
  for_cases({"rotation", "zoom", "translation"}, [&](const Config& c) {
    const Array image = array(c, "image"), want = array(c, "output");
    const int64_t height = image.shape()[0], width = image.shape()[1];
    const Affine affine = class_ == "rotation" ? rotation(height, width, factor(0))
                          : class_ == "zoom"   ? zoom(height, width, factor(0), factor(1))
                                               : translation(height, width, factor(0), factor(1));
    const SamplingOptions options{.interpolation = parse_interpolation(text("interpolation")),
                                  .fill_mode = parse_fill_mode(text("fill_mode")),
                                  .fill_value = number("fill_value")};
    Array got(DType::float32, image.shape());
    transform(pixels_of<float>(image), affine, options, mutable_pixels_of<float>(got));
    EXPECT_TRUE(within(got, want, 0.01));
    const Array bytes = image.astype(DType::uint8);
    Array got_bytes(DType::uint8, image.shape());
    transform(pixels_of<uint8_t>(bytes), affine, options, mutable_pixels_of<uint8_t>(got_bytes));
    EXPECT_TRUE(within(got_bytes, want, 0.51));
  });
}

}  // namespace
}  // namespace stoker::images
