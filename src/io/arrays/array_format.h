#pragma once
#include <source_location>
#include <string>
#include <vector>

#include "io/blob.h"
#include "stoker/array.h"

namespace stoker {

// A format that load_array() reads. Each registers itself in the file of its parser.
struct ArrayFormat {
  const char* name;   // "npy"; also the folder of its seed files in fuzz/corpus/
  const char* files;  // accepted files: "*.csv, *.tsv"
  bool (*takes)(const Blob& file);
  Array (*parse)(const Blob& file);
  // false: recognised by the file's name, after all formats recognised by content
  bool by_content = true;
  std::source_location place = {};  // where it is registered
};
struct RegisterArrayFormat {
  // Throws Internal for a second format of the name, with both places.
  explicit RegisterArrayFormat(ArrayFormat format,
                               std::source_location place = std::source_location::current());
};

// In the order in which they are tried: formats recognised by content first, then alphabetically.
const std::vector<ArrayFormat>& array_formats();
// Throws InvalidArgument if no format recognises the file.
Array parse_array(const Blob& file);

}  // namespace stoker
