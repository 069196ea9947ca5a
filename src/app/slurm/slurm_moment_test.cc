#include "app/slurm/slurm_moment.h"

#include <gtest/gtest.h>

namespace ebb::app {
namespace {

std::string Read(const std::string& text) {
  const auto zone = prices::ZoneClock::Find("Europe/Berlin");
  const auto moment =
      SlurmMomentOf("--begin", text, *ParseTime("2026-11-27T18:00Z"), *zone);  // 19:00 in Berlin
  return moment ? FormatTime(*moment) : moment.error().Message();
}

TEST(SlurmMoment, FormsOfSbatch) {
  EXPECT_EQ(Read("now"), "2026-11-27T18:00:00Z");
  EXPECT_EQ(Read("now+1hour"), "2026-11-27T19:00:00Z");
  EXPECT_EQ(Read("now + 2 days"), "2026-11-29T18:00:00Z");
  EXPECT_EQ(Read("now+90"), "2026-11-27T18:01:30Z");
  EXPECT_EQ(Read("20:00"), "2026-11-27T19:00:00Z");
  EXPECT_EQ(Read("18:30"), "2026-11-28T17:30:00Z") << "that has passed today";
  EXPECT_EQ(Read("20:00:30"), "2026-11-27T19:00:30Z");
  EXPECT_EQ(Read("8PM"), "2026-11-27T19:00:00Z");
  EXPECT_EQ(Read("noon"), "2026-11-28T11:00:00Z");
  EXPECT_EQ(Read("midnight"), "2026-11-27T23:00:00Z");
  EXPECT_EQ(Read("tomorrow"), "2026-11-27T23:00:00Z");
  EXPECT_EQ(Read("2026-11-28"), "2026-11-27T23:00:00Z");
  EXPECT_EQ(Read("2026-11-28T03:00"), "2026-11-28T02:00:00Z");
  EXPECT_EQ(Read("uts1796000000"), "2026-11-30T00:53:20Z");
}

TEST(SlurmMoment, OthersAreRefused) {
  for (const char* text : {"", "112826", "6h", "soon", "now+", "now+x", "25:00"})
    EXPECT_NE(Read(text).find("--begin: Ebb does not know the time"), std::string::npos)
        << text << ": " << Read(text);
}

}  // namespace
}  // namespace ebb::app
