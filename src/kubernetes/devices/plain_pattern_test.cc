#include "kubernetes/devices/plain_pattern.h"

#include <gtest/gtest.h>

namespace ebb::kubernetes {
namespace {

constexpr const char* kText = "NVIDIA A100-SXM4-40GB";

TEST(PlainPattern, WhatIsFound) {
  for (const char* pattern :
       {"A100", "^NVIDIA A100", "40GB$", "^NVIDIA.*40GB$", "A.00", "S.+4-", "", "^", "$",
        "(?i)sxm4", "H100|A100", "A100\\-SXM4", ".*", "^.*A100.*$", "(?i)h100|^nvidia"})
    EXPECT_EQ(IsFound(pattern, kText), true) << pattern;
}

TEST(PlainPattern, WhatIsNot) {
  for (const char* pattern : {"H100", "^A100", "A100$", "sxm4", "^NVIDIA$", "H100|H200", "A..00",
                              "40GB.+", "^$", "A100\\.SXM4"})
    EXPECT_EQ(IsFound(pattern, kText), false) << pattern;
  EXPECT_EQ(IsFound("^$", ""), true);
  EXPECT_EQ(IsFound("a", ""), false);
}

TEST(PlainPattern, OthersAreOfAnotherKind) {
  for (const char* pattern :
       {"(A100)", "[AH]100", "A{1}", "A*", "A+", "A?", "\\d", "a^b", "a$b", "\\", "(?i", "x|(y)"})
    EXPECT_EQ(IsFound(pattern, kText), std::nullopt) << pattern;
}

TEST(PlainPattern, NoPatternTakesLong) {
  std::string pattern;
  for (int i = 0; i < 1'000; ++i) pattern += ".*a";
  EXPECT_EQ(IsFound(pattern + "b", std::string(500, 'a')), false);
}

}  // namespace
}  // namespace ebb::kubernetes
