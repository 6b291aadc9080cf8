#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "io/crc32c.h"
#include "io/records/example.h"
#include "io/records/tfrecord_reader.h"
#include "io/records/tfrecord_writer.h"
#include "stoker/example.h"
#include "stoker/record_datasets.h"

// The rate at which one core reads records: `build/bench/records [FOLDER]`; the folder needs 150 MB
// of free space.
namespace {

using namespace stoker;

// The best of five rounds in CPU time, as the machine may be busy.
template <class F>
double seconds(F f) {
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const std::clock_t begin = std::clock();
    f();
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return best;
}

void bench_checksum(size_t size) {
  const size_t rounds = (size_t{1} << 28) / size;
  const std::vector<std::byte> bytes(size, std::byte{7});
  uint32_t crc = 0;
  const auto rate = [&](auto* checksum, size_t times) {
    const double time = seconds([&] {
      for (size_t i = 0; i < times; ++i) crc ^= checksum(bytes, static_cast<uint32_t>(i));
    });
    return static_cast<double>(times * size) / time / 1e9;
  };
  fmt::print("crc32c of {:>7} bytes: {:5.2f} GB/s by instruction, {:5.2f} by table ({:08x})\n",
             size, rate(crc32c, rounds), rate(crc32c_by_table, rounds / 16), crc);
}

uint64_t write_records(const std::string& path, const std::string& record) {
  TFRecordWriter writer(path);
  for (uint64_t i = 0; i < 1'000'000; ++i) writer.write(record);
  writer.close();
  return writer.records();
}

template <class F>
void bench_records(const char* what, const std::string& path, uint64_t records, F f) {
  const double time = seconds([&] {
    TFRecordReader reader(path);
    f(reader);
  });
  fmt::print("{}: {:.2f} million records/s\n", what, static_cast<double>(records) / time / 1e6);
}

void bench_dataset(const char* what, const Dataset& batches, uint64_t records) {
  const double time = seconds([&] {
    for (const Element& batch : batches) (void)batch;
  });
  fmt::print("{}: {:.2f} million records/s\n", what, static_cast<double>(records) / time / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string folder = argc > 1 ? argv[1] : std::filesystem::temp_directory_path().string();
  const std::string path = folder + "/stoker_bench_records.tfrecord";
  for (size_t size : {8, 100, 4096, 1 << 20}) bench_checksum(size);

  uint64_t records = write_records(path, std::string(100, 'x'));
  uint64_t bytes = 0;
  bench_records("TFRecord of 100 bytes, read", path, records, [&](TFRecordReader& reader) {
    for (std::string_view record; reader.next(record);) bytes += record.size();
  });
  bench_records("TFRecord of 100 bytes, skipped", path, records,
                [&](TFRecordReader& reader) { bytes += reader.skip(records); });
  const Dataset dataset = TFRecordDataset(path);
  bench_dataset("TFRecordDataset, batches of 256", dataset.batch(256), records);
  bench_dataset("TFRecordDataset, shuffled, batches of 256", dataset.shuffle(10000).batch(256),
                records);

  records = write_records(path, serialize_example({{"label", std::vector<int64_t>{3}},
                                                   {"x", std::vector<float>(18, 0.5f)}}));
  const ExampleParser parser({FixedLenFeature{"label", FeatureType::int64},
                              FixedLenFeature{"x", FeatureType::float32, {18}}});
  std::vector<FeatureValues> values;
  bench_records("tf.train.Example of a label and 18 floats, parsed", path, records,
                [&](TFRecordReader& reader) {
                  for (std::string_view record; reader.next(record);) parser.parse(record, values);
                });
  const ExampleFeatures features(parser.specs());
  const auto parsed = [features](const Array& batch) { return parse_example(batch, features); };
  bench_dataset("TFRecordDataset, batches of 256, parse_example", dataset.batch(256).map(parsed),
                records);
  std::filesystem::remove(path);
  return bytes == 0;
}
