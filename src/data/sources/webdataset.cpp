#include <fmt/format.h>

#include <charconv>

#include "data/sources/braces.h"
#include "data/sources/record_files.h"
#include "data/sources/web_part.h"
#include "io/arrays/npy.h"
#include "io/images/codecs/decode.h"
#include "io/records/webdataset_reader.h"
#include "stoker/record_datasets.h"

namespace stoker::data {
namespace {

Array class_number(std::string_view text, const std::string& name) {
  int64_t number = 0;
  const size_t size = text.find_last_not_of(" \r\n") + 1;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + size, number);
  if (failed != std::errc() || end != text.data() + size || size == 0)
    throw IoError(fmt::format("\"{}\" is not a class number: {:?}.", name, text.substr(0, 40)));
  return Array::scalar<int64_t>(number);
}

Array decoded(const WebSample::Part& part, const std::string& key) {
  return decoded_part(part.extension, part.bytes, key + "." + part.extension);
}

const WebSample::Part& part_named(const WebSample& sample, const std::string& extension) {
  if (const auto* part = sample.find(extension)) return *part;
  std::vector<std::string> there;
  for (const auto& part : sample.parts) there.push_back(part.extension);
  throw IoError(fmt::format("sample \"{}\" has no part \"{}\", only {}.", sample.key, extension,
                            fmt::join(there, ", ")));
}

Element element_of(const WebSample& sample, const WebDatasetArgs& args) {
  std::vector<std::pair<std::string, Element>> parts{{"__key__", Array::string(sample.key)}};
  const auto add = [&](const WebSample::Part& part) {
    parts.emplace_back(part.extension,
                       args.decode ? decoded(part, sample.key) : Array::string(part.bytes));
  };
  for (const std::string& extension : args.extensions) add(part_named(sample, extension));
  if (args.extensions.empty())
    for (const WebSample::Part& part : sample.parts) add(part);
  return Element::table(parts);
}

class WebFiles : public Stage {
 public:
  WebFiles(std::vector<std::string> files, WebDatasetArgs args, const std::source_location& created)
      : Stage("webdataset", created), files_(std::move(files)), args_(std::move(args)) {}
  int64_t cardinality() const override { return UNKNOWN_CARDINALITY; }
  std::vector<std::string> files_in_turn() const override { return files_; }

  std::unique_ptr<Cursor> open(const Opening&) const override {
    struct InTurn : Cursor {
      explicit InTurn(const WebFiles& of) : stage(of), samples(of, of.files_, opened) {}
      static WebDatasetReader opened(const std::string& path) {
        return WebDatasetReader(TarReader(path));
      }
      bool next(Element& element) override {
        return samples.making_one([&] {
          WebSample sample;
          if (!samples.next(sample)) return false;
          element = samples.with_last([&] { return element_of(sample, stage.args_); });
          return true;
        });
      }
      int64_t skip(int64_t count) override { return samples.skip(count); }
      void add_origins(std::vector<SampleOrigin>& to) const override { samples.add_origins(to); }
      const WebFiles& stage;
      RecordsOfFiles<WebDatasetReader, WebSample> samples;
    };
    return std::make_unique<InTurn>(*this);
  }

 private:
  std::vector<std::string> files_;
  WebDatasetArgs args_;
};

}  // namespace

// By the last part of the extension: "seg.png" is an image, too.
Array decoded_part(const std::string& extension, std::string_view bytes, const std::string& name) {
  const std::string kind = extension.substr(extension.rfind('.') + 1);
  const auto blob = [&] { return Blob::copy(std::as_bytes(std::span(bytes)), name); };
  if (kind == "jpg" || kind == "jpeg" || kind == "png") return images::decode_image(blob());
  if (kind == "npy") return parse_npy(blob());
  if (kind == "cls") return class_number(bytes, name);
  return Array::string(bytes);
}

}  // namespace stoker::data

namespace stoker {

Dataset webdataset(const FileNames& files, const WebDatasetArgs& args, const Dataset::From& from) {
  std::vector<std::string> names;
  for (const std::string& name : files.names)
    for (std::string& one : data::expand_braces(name)) names.push_back(std::move(one));
  data::check_files(names, "webdataset");
  return data::read_files(
      names, {.num_parallel_reads = args.num_parallel_reads},
      [=](const std::vector<std::string>& some) {
        return Dataset(std::make_shared<data::WebFiles>(some, args, from));
      },
      from);
}

}  // namespace stoker
