#include "data/open/source_kind.h"
#include "stoker/csv_dataset.h"

namespace stoker::data {
namespace {

OpenedDataset open_csv(const std::string& path, const OpenDatasetArgs& args) {
  constexpr int64_t rows_at_once = 1024;  // if single samples are requested
  const Dataset batches =
      make_csv_dataset(path, args.batch_size.value_or(rows_at_once),
                       {.field_delim = has_ending(path, {".tsv", ".tsv.gz"}) ? '\t' : ',',
                        .num_epochs = 1,
                        .shuffle = args.shuffle,
                        .shuffle_seed = args.seed});
  return {{}, with_target(args.batch_size ? batches : batches.unbatch(), path, args)};
}

const RegisterKind csv({"CSV", "*.csv, *.tsv, also with .gz",
                        [](const std::string& path) {
                          return has_ending(path, {".csv", ".tsv", ".csv.gz", ".tsv.gz"});
                        },
                        open_csv});

}  // namespace
}  // namespace stoker::data
