#include <gtest/gtest.h>

#include <array>

#include "io/archives/zip.h"
#include "io/blob.h"
#include "stoker/io.h"
#include "stoker/model.h"
#include "test_places.h"

namespace stoker {
namespace {

std::string config_of(const std::string& name) {
  const std::string folder = std::string(STOKER_SOURCE_DIR) + "/fuzz/corpus/keras/";
  return std::string(ZipReader(read_file(folder + name)).read("config.json").text());
}

// Replaces one value of a JSON text by another, mostly keeping it valid JSON.
class ValueSwapper {
 public:
  std::string swap(std::string text) {
    const std::vector<size_t> values = begins(text);
    for (size_t rounds = 1 + below(3); rounds > 0; --rounds) {
      const size_t begin = values[below(values.size())];
      if (begin >= text.size()) continue;
      text.replace(begin, end_of(text, begin) - begin, others[below(others.size())]);
    }
    return text;
  }

 private:
  static std::vector<size_t> begins(const std::string& text) {
    std::vector<size_t> all;
    for (size_t at = 0; (at = text.find(": ", at)) != text.npos; at += 2) all.push_back(at + 2);
    return all;
  }

  static size_t end_of(const std::string& text, size_t at) {
    size_t depth = 0;
    for (bool quoted = false; at < text.size(); ++at) {
      const char c = text[at];
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if ((c == ',' || c == '}' || c == ']') && depth == 0) break;
      if (c == '[' || c == '{') ++depth;
      if (c == ']' || c == '}') --depth;
    }
    return at;
  }

  size_t below(size_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state_ >> 33) % n;
  }

  static constexpr std::array others = {"9223372036854775807",
                                        "-1",
                                        "null",
                                        "true",
                                        "[]",
                                        "{}",
                                        "\"\"",
                                        "1e308",
                                        "0",
                                        "NaN",
                                        "-Infinity",
                                        "\"x\"",
                                        "0.5",
                                        "3",
                                        "[1, 2, 3]",
                                        "[null, 1]",
                                        "\"Lambda\"",
                                        "2147483648"};
  uint64_t state_ = 11;
};

class HostileConfig : public ::testing::TestWithParam<const char*> {};

TEST_P(HostileConfig, IsLoadedOrRefusedWithAnError) {
  const std::string sound = config_of(GetParam());
  ASSERT_NO_THROW(Model::from_config(parse_json(sound)));
  ValueSwapper swapper;
  int refused = 0;
  for (int run = 0; run < 1000; ++run) {
    const std::string text = swapper.swap(sound);
    try {
      Model::from_config(parse_json(text));
    } catch (const Error&) {
      ++refused;
    } catch (const std::exception& error) {
      FAIL() << error.what() << " for " << text;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 1000);
}

INSTANTIATE_TEST_SUITE_P(Models, HostileConfig,
                         ::testing::Values("sequential.keras", "image.keras", "functional.keras",
                                           "audio.keras", "augmented.keras", "boxes.keras"));

}  // namespace
}  // namespace stoker
