#include <algorithm>
#include <filesystem>

#include "../../fuzz/targets.h"
#include "io/test_files.h"
#include "test_places.h"

namespace stoker {
namespace {

// Deterministic mutations of the fuzzers' seeds, the same on every machine.
class Mutator {
 public:
  explicit Mutator(uint64_t seed) : state_(seed) {}

  std::string mutate(std::string text, const std::string& other) {
    for (size_t rounds = 1 + below(4); rounds > 0; --rounds) change(text, other);
    return text;
  }

 private:
  void change(std::string& text, const std::string& other) {
    const size_t at = below(text.size() + 1),
                 length = below(std::min<size_t>(text.size() - at, 16) + 1);
    switch (below(7)) {
      case 0:
        text.resize(at);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(at, length));
        break;
      case 3:
        text.insert(at, other.substr(std::min(at, other.size())));
        break;
      case 4:
        text.replace(at, length, std::string(length, "\0\x7f\x80\xff"[below(4)]));
        break;
      case 5:
        text.insert(at, tokens[below(std::size(tokens))]);
        break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
    }
  }

  size_t below(size_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state_ >> 33) % n;
  }

  static constexpr const char* tokens[] = {"9223372036854775807",
                                           "-1",
                                           "\"",
                                           "'",
                                           "[[",
                                           "{",
                                           "=",
                                           ",",
                                           "\n",
                                           "\r\n",
                                           "1e999",
                                           "nan",
                                           "../",
                                           "PK\x05\x06"};
  uint64_t state_;
};

std::vector<std::string> seeds_of(const std::string& format) {
  std::vector<std::string> paths, seeds;
  const std::string folder = std::string(STOKER_SOURCE_DIR) + "/fuzz/corpus/" + format;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) seeds.emplace_back(read_file(path).text());
  return seeds;
}

class FuzzSmoke : public ::testing::TestWithParam<fuzz::Format> {};

TEST_P(FuzzSmoke, OnlyOurErrorsEscape) {
  constexpr size_t runs = 4000;
  const std::vector<std::string> seeds = seeds_of(GetParam().name);
  ASSERT_FALSE(seeds.empty());
  Mutator mutator(7);
  for (size_t i = 0; i < runs; ++i) {
    const std::string text = mutator.mutate(seeds[i % seeds.size()], seeds[i * 7 % seeds.size()]);
    ASSERT_NO_THROW(
        fuzz::run(GetParam().target, reinterpret_cast<const uint8_t*>(text.data()), text.size()))
        << "run " << i;
  }
}

// A corpus without a readable seed would test only the first refusal.
TEST_P(FuzzSmoke, SomeSeedIsReadable) {
  const std::vector<std::string> seeds = seeds_of(GetParam().name);
  EXPECT_TRUE(std::any_of(seeds.begin(), seeds.end(), [](const std::string& seed) {
    return error_of([&] { GetParam().target(blob_of(seed)); }) == "no error";
  }));
}

INSTANTIATE_TEST_SUITE_P(Formats, FuzzSmoke, ::testing::ValuesIn(fuzz::all_formats()),
                         [](const auto& format) { return format.param.name; });

}  // namespace
}  // namespace stoker
