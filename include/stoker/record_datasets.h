#pragma once
#include <initializer_list>
#include <string>
#include <vector>

#include "stoker/dataset.h"

// Datasets of files that hold many records.
namespace stoker {

// One name, or several: their records follow one another, file after file.
struct FileNames {
  FileNames(const char* name) : names{name} {}                        // NOLINT
  FileNames(std::string name) : names{std::move(name)} {}             // NOLINT
  FileNames(std::vector<std::string> all) : names(std::move(all)) {}  // NOLINT
  FileNames(std::initializer_list<std::string> all) : names(all) {}   // NOLINT
  std::vector<std::string> names;
};

struct TextLineArgs {
  // More than 1: so many files at a time, each read ahead by a thread, take turns line by line.
  int64_t num_parallel_reads = 1;
};
// The lines of text files, also of gzipped ones, without the \n or \r\n that ends them.
Dataset TextLineDataset(const FileNames& files, const TextLineArgs& args = {},
                        const Dataset::From& from = Dataset::From::current());

struct TFRecordArgs {
  std::string compression_type = {};  // "GZIP", "ZLIB"
  int64_t num_parallel_reads = 1;     // as of text lines
};
// The records of TFRecord files, as strings. Their checksums are proven.
Dataset TFRecordDataset(const FileNames& files, const TFRecordArgs& args = {},
                        const Dataset::From& from = Dataset::From::current());

struct WebDatasetArgs {
  std::vector<std::string> extensions = {};  // which parts, in this order; empty: all
  bool decode = true;  // jpg, jpeg, png: uint8 pixels; npy: an array; cls: int64; others: bytes
  int64_t num_parallel_reads = 1;
};
// Samples in tar archives: files next to each other whose names differ only in the extension.
// Elements are tables of their parts by extension, behind the sample's name, "__key__". A name of a
// file may have braces, as in "shards-{000..099}.tar" or "{train,more}.tar".
Dataset webdataset(const FileNames& files, const WebDatasetArgs& args = {},
                   const Dataset::From& from = Dataset::From::current());

}  // namespace stoker
