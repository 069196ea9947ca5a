#include "platform/zip.h"

#include <gtest/gtest.h>

#include "base/base64.h"

namespace ebb::platform {
namespace {

// An archive made with Python's zipfile: a.txt of 200 bytes "a" deflated, b.txt "beta" stored, a
// folder c/.
constexpr const char* kArchive =
    "UEsDBBQAAAAIAAAAoVxY8JpZBgAAAMgAAAAFAAAAYS50eHRLTBweAABQSwMEFAAAAAAAAAChXGMEkY8EAAAABAAA"
    "AAUAAABiLnR4dGJldGFQSwMEFAAAAAAAAAChXAAAAAAAAAAAAAAAAAIAAABjL1BLAQIUAxQAAAAIAAAAoVxY8JpZ"
    "BgAAAMgAAAAFAAAAAAAAAAAAAACAAQAAAABhLnR4dFBLAQIUAxQAAAAAAAAAoVxjBJGPBAAAAAQAAAAFAAAAAAAA"
    "AAAAAACAASkAAABiLnR4dFBLAQIUAxQAAAAAAAAAoVwAAAAAAAAAAAAAAAACAAAAAAAAAAAAAACAAVAAAABjL1BL"
    "BQYAAAAAAwADAJYAAABwAAAAAAA=";

std::string Archive() { return *FromBase64(kArchive); }

TEST(Zip, DeflatedAndStoredFilesAreRead) {
  ASSERT_TRUE(IsZip(Archive()));
  const auto entries = Unzip(Archive(), "z.zip", 1 << 20);
  ASSERT_TRUE(entries) << entries.error().Message();
  ASSERT_EQ(entries->size(), 2U);
  EXPECT_EQ(entries->at(0).name, "a.txt");
  EXPECT_EQ(entries->at(0).data, std::string(200, 'a'));
  EXPECT_EQ(entries->at(1).data, "beta");
}

TEST(Zip, TheLimitHoldsForAllFilesTogether) {
  EXPECT_FALSE(Unzip(Archive(), "z.zip", 203));
  EXPECT_TRUE(Unzip(Archive(), "z.zip", 204));
}

// Each byte in turn is changed, and each beginning is tried alone: the archive is refused, or has
// the same files (names and dates have no checksum).
TEST(Zip, DamageIsRefusedOrHarmless) {
  const std::string good = Archive();
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string damaged = good;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    const auto entries = Unzip(damaged, "z.zip", 1 << 20);
    if (!entries) {
      EXPECT_EQ(entries.error().where, "z.zip");
      continue;
    }
    for (const ZipEntry& entry : *entries)
      EXPECT_TRUE(entry.data == std::string(200, 'a') || entry.data == "beta" || entry.data.empty())
          << i;
  }
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(Unzip(good.substr(0, size), "z.zip", 1 << 20)) << size;
}

}  // namespace
}  // namespace ebb::platform
