#include "data/sources/string_files.h"
#include "io/records/tfrecord_reader.h"
#include "stoker/record_datasets.h"

namespace stoker {

Dataset TFRecordDataset(const FileNames& files, const TFRecordArgs& args,
                        const Dataset::From& from) {
  data::check_files(files.names, "TFRecordDataset");
  TFRecordReader(files.names[0], args.compression_type);  // an unknown type is refused here
  const auto some = [from, type = args.compression_type](const std::vector<std::string>& names) {
    return Dataset(std::make_shared<data::StringFiles<TFRecordReader>>(
        "TFRecordDataset", names,
        [type](const std::string& path) { return TFRecordReader(path, type); }, from));
  };
  return data::read_files(files.names, {.num_parallel_reads = args.num_parallel_reads}, some, from);
}

}  // namespace stoker
