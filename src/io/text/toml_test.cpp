#include "io/test_files.h"
#include "stoker/io.h"

namespace stoker {
namespace {

TEST(Toml, ReadsARecipeInTheFilesOrder) {
  const Config config = parse_toml(R"(
title = "demo"
[model]
name = "mlp"
[[model.layers]]
units = 128
activation = "relu"
[[model.layers]]
rate = 0.5
[fit]
shuffle = true
batch_size = 32
[data]
shape = [28, 28.0]
inline = { b = 1, a = 2 }
[compile.optimizer]
name = "adam"
)");
  EXPECT_EQ(
      config.to_string(),
      R"({"title": "demo", "model": {"name": "mlp", "layers": [{"units": 128, "activation": )"
      R"("relu"}, {"rate": 0.5}]}, "fit": {"shuffle": true, "batch_size": 32}, "data": )"
      R"({"shape": [28, 28.0], "inline": {"b": 1, "a": 2}}, "compile": {"optimizer": {"name": "adam"}}})");
}

TEST(Toml, KeepsTheOrderOfDottedKeys) {
  EXPECT_EQ(parse_toml("z.b = 1\nz.a = 2\na = 3\n").to_string(),
            R"({"z": {"b": 1, "a": 2}, "a": 3})");
}

TEST(Toml, SaysWhereItIsWrong) {
  EXPECT_ERROR(parse_toml("a = 1\nb = \n", "r.toml"), "this is not TOML");
  EXPECT_ERROR(parse_toml("a = 1\nb = \n", "r.toml"), "At r.toml:2:");
  EXPECT_ERROR(parse_toml("a = 1\na = 2\n", "r.toml"), "At r.toml:2:");
  EXPECT_ERROR(parse_toml("a = 1\nb = 2026-01-01\n", "r.toml"),
               "dates and times are not supported. At r.toml:2:5");
  EXPECT_ERROR(parse_toml("a = \"\xff\"", "r.toml"), "r.toml:1:");
  EXPECT_ERROR(parse_toml("\xd2\x88 = 1", "r.toml"), "At r.toml:1:1");
  EXPECT_ERROR(parse_toml("[=]", "r.toml"), "At r.toml:1:2");
  EXPECT_ERROR(load_toml("/no/r.toml"), "cannot read \"/no/r.toml\"");
}

TEST(Toml, RefusesDeepNesting) {
  EXPECT_ERROR(parse_toml("a = " + std::string(100'000, '[')), "TOML");
  std::string key = "a";
  for (int i = 0; i < 80; ++i) key += ".a";
  EXPECT_ERROR(parse_toml(key + " = 1", "r.toml"), "nested deeper than 64 levels. At r.toml:1:");
  for (int i = 0; i < 100'000; ++i) key += ".\"a\"";
  EXPECT_ERROR(parse_toml(key + " = 1", "r.toml"), "more than 100 dotted parts in a row");
  EXPECT_TRUE(parse_toml("# " + std::string(1000, '.')).is_map());
}

}  // namespace
}  // namespace stoker
