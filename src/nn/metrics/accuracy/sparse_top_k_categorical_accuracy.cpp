#include "stoker/metrics/sparse_top_k_categorical_accuracy.h"

#include "nn/losses/labels.h"
#include "nn/losses/loss_of.h"
#include "nn/metrics/accuracy/top_k.h"
#include "nn/metrics/mean_metric.h"

namespace stoker::metrics {

template <class V>
void visit(SparseTopKCategoricalAccuracyArgs& a, V& v) {
  nn::visit_metric(a, v);
  v("k", a.k);
  nn::visit_unless_default(v, "from_sorted_ids", a.from_sorted_ids, false);
}

static const nn::RegisterMetric<SparseTopKCategoricalAccuracyArgs> registered{
    "SparseTopKCategoricalAccuracy", SparseTopKCategoricalAccuracy};

std::shared_ptr<Metric> SparseTopKCategoricalAccuracy(
    const SparseTopKCategoricalAccuracyArgs& args) {
  return nn::mean_of(
      "SparseTopKCategoricalAccuracy", args, [args](const Tensor& y_true, const Tensor& y_pred) {
        const Tensor labels =
            nn::labels_for("sparse_top_k_categorical_accuracy", y_true, y_pred.shape());
        return args.from_sorted_ids ? nn::sorted_id_hits(labels, y_pred, args.k)
                                    : nn::top_k_hits(labels, y_pred, args.k);
      });
}

}  // namespace stoker::metrics
