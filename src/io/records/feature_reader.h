#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "io/records/example.h"
#include "io/records/protobuf_reader.h"

// The common part of ExampleParser and SequenceExampleParser.
namespace stoker::features {

inline constexpr const char* type_names[] = {"bytes", "float32", "int64"};

const std::string& key_of(const FeatureSpec& spec);
size_t type_of(const FeatureSpec& spec);
size_t count(const FeatureValues& values);
void clear(FeatureValues& values, size_t type);  // empty, of the type
[[noreturn]] void fail(std::string_view key, const std::string& what, std::string hint = {});

// The bytes of a length-delimited field.
std::string_view bytes_of(const protobuf::Field& field);
// Reads a Feature: a list of bytes (field 1), floats (2) or integers (3), appended to `out`. False:
// it has no list.
bool read_feature(std::string_view feature, const char* origin, std::string_view key,
                  FeatureValues& out);

struct Entry {
  std::string_view key, value;
};
// An entry of a map: key is field 1, value field 2, in any order.
Entry read_entry(std::string_view entry, const char* origin);

// Runs f; adds this place to an error without one.
template <class F>
void at_byte(size_t offset, F&& f) {
  try {
    f();
  } catch (Error& error) {
    if (error.where().empty()) error.add_where(fmt::format("byte {} of the message", offset));
    throw;
  }
}

}  // namespace stoker::features
