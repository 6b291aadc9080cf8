#include "stoker/metrics/mean_squared_logarithmic_error.h"

#include "nn/metrics/mean_metric.h"
#include "stoker/losses/mean_squared_logarithmic_error.h"

namespace stoker::metrics {

template <class V>
void visit(MeanSquaredLogarithmicErrorArgs& a, V& v) {
  nn::visit_metric(a, v);
}

static const nn::RegisterMetric<MeanSquaredLogarithmicErrorArgs> registered{
    "MeanSquaredLogarithmicError", MeanSquaredLogarithmicError, {"msle", "MSLE"}};

std::shared_ptr<Metric> MeanSquaredLogarithmicError(const MeanSquaredLogarithmicErrorArgs& args) {
  return nn::mean_of("MeanSquaredLogarithmicError", args,
                     nn::values_of(losses::MeanSquaredLogarithmicError()));
}

}  // namespace stoker::metrics
