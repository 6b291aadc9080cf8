#pragma once
#include <cstdint>
#include <string>
#include <string_view>

// The few kinds of field that are needed of protocol buffers; a message is its fields, joined.
namespace stoker::protobuf {

std::string varint(uint64_t value);
std::string field(int number, uint64_t value);
std::string field(int number, std::string_view bytes);  // also a message
std::string double_field(int number, double value);

}  // namespace stoker::protobuf
