#include "nn/losses/loss_of.h"
#include "nn/training/inputs/target_kind.h"
#include "stoker/losses/binary_crossentropy.h"
#include "stoker/losses/categorical_crossentropy.h"
#include "stoker/losses/sparse_categorical_crossentropy.h"

namespace stoker::losses {
namespace {

// "crossentropy": the shapes decide which one.
class ChosenByShapes : public Loss {
 public:
  ChosenByShapes() : Loss("crossentropy") {}
  std::string class_name() const override { return "crossentropy"; }
  Tensor call(const Tensor& y_true, const Tensor& y_pred) const override {
    switch (nn::target_kind(y_true.shape(), y_pred.shape())) {
      case nn::TargetKind::binary:
        return BinaryCrossentropy()->call(y_true, y_pred);
      case nn::TargetKind::sparse:
        return SparseCategoricalCrossentropy()->call(y_true, y_pred);
      default:
        return CategoricalCrossentropy()->call(y_true, y_pred);
    }
  }
};

const nn::Registrar<LossRef> registered{
    "crossentropy",
    [](const Config&) { return LossRef(std::make_shared<ChosenByShapes>()); },
    {"ce"}};

}  // namespace
}  // namespace stoker::losses
