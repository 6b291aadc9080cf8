#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "stoker/dataset.h"

// Datasets of files with many records.
namespace stoker {

// One file name, or several, whose records are concatenated.
struct FileNames {
  FileNames(const char* name) : names{name} {}                        // NOLINT
  FileNames(std::string name) : names{std::move(name)} {}             // NOLINT
  FileNames(std::vector<std::string> all) : names(std::move(all)) {}  // NOLINT
  FileNames(std::initializer_list<std::string> all) : names(all) {}   // NOLINT
  std::vector<std::string> names;
};

struct TextLineArgs {
  // More than 1: so many files are read ahead concurrently, one thread each, and interleaved line
  // by line.
  int64_t num_parallel_reads = 1;
};
// The lines of text files, also gzipped, without the terminating \n or \r\n.
Dataset TextLineDataset(const FileNames& files, const TextLineArgs& args = {},
                        const Dataset::From& from = Dataset::From::current());

struct TFRecordArgs {
  std::string compression_type = {};  // "GZIP", "ZLIB"
  int64_t num_parallel_reads = 1;     // as for text lines
};
// The records of TFRecord files, as strings. Their checksums are verified.
Dataset TFRecordDataset(const FileNames& files, const TFRecordArgs& args = {},
                        const Dataset::From& from = Dataset::From::current());

struct FixedLengthArgs {
  int64_t header_bytes = 0, footer_bytes = 0;  // of each file, not in a record
  std::string compression_type = {};           // "GZIP", "ZLIB"
  int64_t num_parallel_reads = 1;              // as for text lines
};
// Records of so many bytes each, as strings.
Dataset FixedLengthRecordDataset(const FileNames& files, int64_t record_bytes,
                                 const FixedLengthArgs& args = {},
                                 const Dataset::From& from = Dataset::From::current());

struct WebDatasetArgs {
  std::vector<std::string> extensions = {};  // the parts to read, in this order; empty: all
  bool decode = true;  // jpg, jpeg, png: uint8 pixels; npy: an array; cls: int64; others: bytes
  int64_t num_parallel_reads = 1;
};
// Samples in tar archives: consecutive files whose names differ only in the extension. Elements are
// dicts of the parts by extension, after the sample's name, "__key__". File names may contain
// braces, as in "shards-{000..099}.tar" or "{train,more}.tar".
Dataset webdataset(const FileNames& files, const WebDatasetArgs& args = {},
                   const Dataset::From& from = Dataset::From::current());

}  // namespace stoker
