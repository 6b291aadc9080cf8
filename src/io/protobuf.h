#pragma once
#include <cstdint>
#include <string>
#include <string_view>

// The few field types of protocol buffers that are needed; a message is the concatenation of its
// fields.
namespace stoker::protobuf {

std::string varint(uint64_t value);
std::string field(int number, uint64_t value);
std::string field(int number, std::string_view bytes);  // also for a message
std::string double_field(int number, double value);

}  // namespace stoker::protobuf
