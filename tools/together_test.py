"""Tests that files which define the same names are in different translation units."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cmake"))
import together  # noqa: E402

SOURCE = """#include "a.h"

#define LIMIT 3
namespace stoker {
using graph::emit;
namespace {

struct Pair {
  int first;
};
using Row = std::vector<int>;
[[maybe_unused]] constexpr int deepest = 64, widest = 3;
const std::map<int, int> table{{1, 2}};
const RegisterOp registered{{.name = "a"}};
std::vector<int> helper(const Pair& pair,
                        int more) {
  return {};
}
const char* text = R"(
int inside(int a) {
)";

}  // namespace

int shared(int a) { return a; }
TEST(Suite, Name) { EXPECT_TRUE(true); }

}  // namespace stoker
"""


def file(name, helper):
    return pathlib.Path(f"/root/src/{name}.cpp"), f"namespace {{\nint {helper}(int a) {{\n  return a;\n}}\n}}  // namespace\n"


class TogetherTest(unittest.TestCase):
    def test_finds_what_a_file_names_by_itself(self):
        self.assertEqual(together.names_of(together.without_raw_strings(SOURCE)),
                         {"LIMIT", "Pair", "Row", "deepest", "widest", "table", "helper", "text", "Suite_Name"})

    def test_keeps_names_alike_apart(self):
        files = [file(f"f{i}", f"helper{i % 3}") for i in range(9)]
        units, left = together.share_out(files, 20)
        self.assertEqual(sum(map(len, units)) + len(left), 9)
        helper = {path: text.split("(")[0] for path, text in files}
        for unit in units:
            self.assertEqual(len({helper[path] for path in unit}), len(unit))

    def test_keeps_a_name_from_those_who_call_another_of_that_name(self):
        path, text = file("caller", "unlike")
        files = [file("a", "product"), (path, text.replace("return a", "return product(a)"))]
        self.assertEqual(sorted(map(len, together.share_out(files, 5)[0])), [1, 1])

    def test_a_new_file_moves_no_other(self):
        files = [file(f"f{i}", f"helper{i}") for i in range(40)]
        before, _ = together.share_out(files, 20)
        after, _ = together.share_out(files + [file("z", "z")], 20)
        moved = sum(path not in now for was, now in zip(before, after) for path in was)
        self.assertEqual(moved, 0)


if __name__ == "__main__":
    unittest.main()
