#pragma once
#include <source_location>
#include <string>
#include <vector>

#include "io/blob.h"
#include "stoker/array.h"

namespace stoker {

// A format that load_array() reads. Each registers itself in the file of its parser.
struct ArrayFormat {
  const char* name;   // "npy"; also the folder of its seeds in fuzz/corpus/
  const char* files;  // what it takes: "*.csv, *.tsv"
  bool (*takes)(const Blob& file);
  Array (*parse)(const Blob& file);
  bool by_content = true;           // else by the file's name; those are asked last
  std::source_location place = {};  // where it is registered
};
struct RegisterArrayFormat {
  // Throws Internal for a second format of the name, with both places.
  explicit RegisterArrayFormat(ArrayFormat format,
                               std::source_location place = std::source_location::current());
};

// In the order in which they are asked: those told by content first, by name among equals.
const std::vector<ArrayFormat>& array_formats();
// Throws InvalidArgument if no format takes the file.
Array parse_array(const Blob& file);

}  // namespace stoker
