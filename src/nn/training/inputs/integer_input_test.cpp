#include "nn/test_models.h"
#include "stoker/io.h"
#include "stoker/layers/rescaling.h"

namespace stoker {
namespace {

using namespace test;

// Stoker computes in a wider dtype; files keep the original one.
TEST(IntegerInput, OfAnyWidthIsTakenAndWrittenAsItWas) {
  const Tensor x = Input({.shape = {2}, .dtype = DType::int32, .name = "x"});
  const Config described =
      Model({.inputs = {x}, .outputs = {layers::Rescaling({.scale = 0.5})(x)}}).get_config();
  for (const std::string name : {"int16", "uint16", "uint32", "uint64"}) {
    SCOPED_TRACE(name);
    std::string text = described.to_string();
    const std::string plain = "\"int32\"";
    for (size_t at = 0; (at = text.find(plain, at)) != text.npos;)
      text.replace(at, plain.size(), "\"" + name + "\"");
    Model model = Model::from_config(parse_json(text, name));
    EXPECT_EQ(model.get_config().to_string(), parse_json(text, name).to_string());
    const Array y = model.predict(Array::from<int32_t>({1, 40000}, {1, 2}));
    EXPECT_EQ(y.at(1), 20000);
  }
}

}  // namespace
}  // namespace stoker
