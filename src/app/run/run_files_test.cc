#include "app/run/run_files.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "platform/file.h"
#include "testing/scratch_directory.h"

namespace ebb::app {
namespace {

// Runs and sweeps continue with the zone that they began with, whatever the settings say since.
TEST(RunFiles, StoredOptionsWithoutAZoneMeanTheFormerDefault) {
  ::setenv("EBB_ZONE", "DE", 1);
  const auto directory = ScratchDirectory("run-files");
  const auto zone_of = [&](const std::string& options) {
    EXPECT_TRUE(platform::WriteFileAtomically(directory / kOptionsFile, options));
    const auto read = ReadOptions(directory);
    EXPECT_TRUE(read) << read.error().Message();
    return read ? read->scheduler.signal.zone : "";
  };
  EXPECT_EQ(zone_of(R"({"signal": "profile"})"), "US-CAL-CISO");
  EXPECT_EQ(zone_of(R"({"signal": "profile", "zone": "FR"})"), "FR");
  EXPECT_EQ(zone_of(R"({"signal": "constant", "constant": "100"})"), "");
  ::unsetenv("EBB_ZONE");
}

}  // namespace
}  // namespace ebb::app
