#include "stoker/metrics/sparse_top_k_categorical_accuracy.h"

#include "nn/losses/labels.h"
#include "nn/metrics/mean_metric.h"
#include "nn/metrics/top_k.h"

namespace stoker::metrics {

template <class V>
void visit(SparseTopKCategoricalAccuracyArgs& a, V& v) {
  v("name", a.name);
  v.accept_and_ignore("dtype");
  v("k", a.k);
  v("from_sorted_ids", a.from_sorted_ids);
}

static const nn::RegisterMetric<SparseTopKCategoricalAccuracyArgs> registered{
    "SparseTopKCategoricalAccuracy", SparseTopKCategoricalAccuracy};

std::shared_ptr<Metric> SparseTopKCategoricalAccuracy(
    const SparseTopKCategoricalAccuracyArgs& args) {
  return std::make_shared<nn::MeanOf>(
      "SparseTopKCategoricalAccuracy", args.name,
      [args](const Tensor& y_true, const Tensor& y_pred) {
        const Tensor labels =
            nn::labels_for("sparse_top_k_categorical_accuracy", y_true, y_pred.shape());
        return args.from_sorted_ids ? nn::sorted_id_hits(labels, y_pred, args.k)
                                    : nn::top_k_hits(labels, y_pred, args.k);
      },
      nn::write_args(args));
}

}  // namespace stoker::metrics
