#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "io/archives/zip.h"
#include "io/arrays/array_format.h"
#include "io/arrays/npz.h"
#include "io/arrays/safetensors.h"
#include "io/hdf5/hdf5.h"
#include "io/images/codecs/jpeg.h"
#include "io/images/codecs/png.h"
#include "io/packed/packed_file.h"
#include "io/records/csv_records.h"
#include "io/records/example.h"
#include "io/records/text_lines.h"
#include "io/records/tfrecord_reader.h"
#include "io/records/webdataset_reader.h"
#include "io/text/csv.h"
#include "nn/callbacks/checkpoint_folder.h"
#include "nn/saving/archive.h"
#include "observe/explain.h"
#include "stoker/error.h"
#include "stoker/run_record.h"

namespace stoker::fuzz {

// Everything that a reader returns must be readable.
inline void touch(const Array& array) {
  if (array.size() == 0) return;
  array.at(0);
  array.at(array.size() - 1);
}
inline void touch(const NamedArrays& arrays) {
  for (const auto& [name, array] : arrays) touch(array);
}
inline void touch(const H5Group& group) {
  for (const auto& [name, dataset] : group.datasets)
    if (!dataset.value.is_text()) touch(dataset.value.numbers);
  for (const auto& [name, child] : group.groups) touch(child);
}

inline void npz(const Blob& file) { touch(parse_npz(file)); }
inline void csv(const Blob& file) {
  touch(parse_csv(file, {.allow_missing = true, .dtype = DType::float64}));
}
inline void safetensors(const Blob& file) { touch(parse_safetensors(file).tensors); }
inline void hdf5(const Blob& file) { touch(parse_hdf5(file)); }
// Records of a file that may be gzipped. Half of them are skipped.
inline BufferedInput input(const Blob& file) {
  return unpack_input(BufferedInput(file), Compression::automatic);
}
inline void tfrecord(const Blob& file) {
  TFRecordReader reader(input(file));
  for (std::string_view record; reader.next(record);) reader.skip(1);
}
inline void text_lines(const Blob& file) {
  TextLineReader lines(input(file));
  for (std::string_view line; lines.next(line);) lines.skip(1);
}
inline void csv_records(const Blob& file) {
  CsvRecords records(input(file), {.allow_missing = true});
  for (std::vector<CsvValue> row; records.next(row);) records.skip(1);
}
inline void packed(const Blob& file) {
  const PackedFile packed(file);
  for (int64_t i = 0; i < packed.size(); ++i) try {
      const Element element = packed.at(i);
      for (const Array& array : element.arrays()) touch(array);
    } catch (const Error&) {  // the next one may be valid
    }
}
inline void tar(const Blob& file) {
  WebDatasetReader reader{TarReader(input(file))};
  for (WebSample sample; reader.next(sample);) reader.skip(1);
}
inline void example(const Blob& file) {
  const std::vector<FeatureSpec> specs = {VarLenFeature{"b", FeatureType::bytes},
                                          VarLenFeature{"f", FeatureType::float32},
                                          VarLenFeature{"i", FeatureType::int64}};
  std::vector<FeatureValues> values;
  std::vector<SequenceValues> lists;
  ExampleParser(specs).parse(file.text(), values);
  SequenceExampleParser(specs, specs).parse(file.text(), values, lists);
}
// The whole image, and its middle at half the size.
template <class Decode, class DecodeRegion>
void image(const Blob& file, const images::ImageSize& size, const Decode& decode,
           const DecodeRegion& decode_region) {
  const images::DecodeOptions options{.max_pixels = 1 << 22};
  const int64_t height = (size.height + 1) / 2, width = (size.width + 1) / 2;
  images::PixelMemory memory;
  decode_region(file,
                {{size.height / 4, size.width / 4, height, width}, height / 2, width / 2, options},
                memory);
  touch(decode(file, options));
}
inline void jpeg(const Blob& file) {
  image(file, images::jpeg_size(file), images::decode_jpeg, images::decode_jpeg_region);
}
inline void png(const Blob& file) {
  image(file, images::png_size(file), images::decode_png, images::decode_png_region);
}
inline void zip(const Blob& file) {
  const ZipReader archive(file);
  for (const std::string& name : archive.names()) archive.read(name);
}
inline void json(const Blob& file) { parse_json(file.text()).to_string(); }
inline void toml(const Blob& file) { parse_toml(file.text()).to_string(); }
// A whole model, not run: its config must create layers, and its weights must fit.
inline void keras(const Blob& file) { nn::parse_model(file).to_config().to_string(); }
inline void keras_config(const Blob& file) {
  const Config config = parse_json(file.text());
  Model model = Model::from_config(config);
  if (const Config* settings = config.find("compile_config")) model.compile_from_config(*settings);
  model.to_config().to_string();
}
inline void checkpoint(const Blob& file) {
  touch(nn::checkpoint_of(parse_safetensors(file)).states);
}
inline void recording(const Blob& file) {
  observe::explain(observe::to_recording(parse_json(file.text()), "recording")).to_string();
}
// What is read must be convertible to a page, a trace and a comparison.
inline void run_record(const Blob& file) {
  const RunRecord run = run_from_config(parse_json(file.text()), "run.json");
  to_html(run);
  to_trace(run);
  compare_runs(run, run).to_string();
}
inline void weights_json(const Blob& file) { nn::shard_names(parse_json(file.text())); }

struct Format {
  std::string name;  // its folder in fuzz/corpus/
  std::function<void(const Blob&)> target;
};
// Formats of arrays are registered (io/arrays/array_format.h) and not in this list, unless they are
// read in another way here.
inline const Format listed_formats[] = {{"npz", npz},
                                        {"csv", csv},
                                        {"safetensors", safetensors},
                                        {"hdf5", hdf5},
                                        {"jpeg", jpeg},
                                        {"png", png},
                                        {"json", json},
                                        {"toml", toml},
                                        {"recording", recording},
                                        {"run_record", run_record},
                                        {"tfrecord", tfrecord},
                                        {"text_lines", text_lines},
                                        {"csv_records", csv_records},
                                        {"packed", packed},
                                        {"tar", tar},
                                        {"example", example},
                                        {"zip", zip},
                                        {"keras", keras},
                                        {"keras_config", keras_config},
                                        {"checkpoint", checkpoint},
                                        {"weights_json", weights_json}};

// A reader may refuse its input; any other exception, or a crash, is a bug.
template <class Read>
int run(Read target, const uint8_t* data, size_t size) {
  try {
    target(Blob::copy(std::as_bytes(std::span(data, size)), "fuzz"));
  } catch (const Error&) {
  }
  return 0;
}

inline std::vector<Format> all_formats() {
  std::vector<Format> all(std::begin(listed_formats), std::end(listed_formats));
  for (const ArrayFormat& format : array_formats())
    if (std::ranges::count(listed_formats, format.name, &Format::name) == 0)
      all.push_back({format.name, [&format](const Blob& file) { touch(format.parse(file)); }});
  return all;
}

}  // namespace stoker::fuzz
