#include "io/records/text_lines.h"

#include "data/sources/string_files.h"
#include "stoker/record_datasets.h"

namespace stoker {

Dataset TextLineDataset(const FileNames& files, const TextLineArgs& args,
                        const Dataset::From& from) {
  data::check_files(files.names, "TextLineDataset");
  const auto some = [from](const std::vector<std::string>& names) {
    return Dataset(std::make_shared<data::StringFiles<TextLineReader>>(
        "TextLineDataset", names, [](const std::string& path) { return TextLineReader(path); },
        from));
  };
  return data::read_files(files.names, {.num_parallel_reads = args.num_parallel_reads}, some, from);
}

}  // namespace stoker
