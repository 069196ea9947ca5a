#include "signals/traces/entsoe_areas.h"

#include <gtest/gtest.h>

#include <set>

namespace ebb::signals {
namespace {

int ValueOf(char c) {
  if (c == '-') return 36;
  return c >= 'A' ? c - 'A' + 10 : c - '0';
}

// The check character of an EIC, by its reference manual: weights 16 to 2, modulo 37.
char CheckOf(std::string_view code) {
  int sum = 0;
  for (int i = 0; i < 15; ++i) sum += ValueOf(code[static_cast<std::size_t>(i)]) * (16 - i);
  return "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-"[36 - (sum - 1) % 37];
}

TEST(EntsoeAreas, EveryCodeHasItsCheckCharacter) {
  std::set<std::string> zones;
  for (const std::string& zone : ZonesWithAreas()) {
    EXPECT_TRUE(zones.insert(zone).second) << zone;
    const EntsoeArea* area = AreaOfZone(zone);
    ASSERT_TRUE(area);
    for (const std::string_view code : {area->balance, area->prices}) {
      if (code.empty()) continue;
      ASSERT_EQ(code.size(), 16U) << zone;
      EXPECT_EQ(code[15], CheckOf(code)) << zone;
    }
  }
  EXPECT_EQ(AreaOfZone("US-CAL-CISO"), nullptr);
}

}  // namespace
}  // namespace ebb::signals
