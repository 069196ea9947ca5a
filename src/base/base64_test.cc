#include "base/base64.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ebb {
namespace {

// RFC 4648, section 10.
TEST(Base64, TheVectorsOfTheStandard) {
  for (const auto& [bytes, text] : {std::pair{"", ""},
                                    {"f", "Zg=="},
                                    {"fo", "Zm8="},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg=="},
                                    {"fooba", "Zm9vYmE="},
                                    {"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(ToBase64(bytes), text);
    EXPECT_EQ(FromBase64(text), bytes);
  }
  EXPECT_EQ(FromBase64("Zm9v\r\n YmFy\n"), "foobar");
  EXPECT_FALSE(FromBase64("Zm9v*"));
}

TEST(Base64, AnyBytesComeBack) {
  Random random(7);
  for (std::size_t size = 0; size < 100; ++size) {
    std::string bytes;
    while (bytes.size() < size) bytes += static_cast<char>(random.Next() & 0xff);
    EXPECT_EQ(FromBase64(ToBase64(bytes)), bytes);
  }
}

}  // namespace
}  // namespace ebb
