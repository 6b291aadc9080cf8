#include "differential/keras_page.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "test_places.h"

namespace stoker::differential {
namespace {

// STOKER_WRITE_PAGE=1 writes the page instead.
TEST(KerasPage, IsWhatTheRegistrySays) {
  const std::string path = STOKER_SOURCE_DIR "/docs/keras.md";
  const std::string wanted = keras_page();
  if (std::getenv("STOKER_WRITE_PAGE")) std::ofstream(path) << wanted;
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_TRUE(text.str() == wanted)
      << "docs/keras.md is out of date: run STOKER_WRITE_PAGE=1 differential_tests "
         "--gtest_filter='KerasPage*'";
}

}  // namespace
}  // namespace stoker::differential
