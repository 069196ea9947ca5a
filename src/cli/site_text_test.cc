#include "cli/site_text.h"

#include <gtest/gtest.h>

namespace ebb::cli {
namespace {

const LocalTimes kTimes{std::nullopt, *ParseTime("2026-05-01T16:10:00Z")};

TEST(SiteText, GivesTheGramsOfAJobAtEachSiteWithItsMove) {
  const std::string text = SiteChoicesText(R"({"id":7,"site_choices":[
      {"site":"norway","start":"2026-05-01T16:10:00Z","end":"2026-05-01T18:10:00Z",
       "expected_g":12.3,"move_s":8.0,"move_kwh":0.06},
      {"site":"here","start":"2026-05-01T23:00:00Z","expected_g":1410},
      {"site":"spain","start":"2026-05-01T23:00:00Z","expected_g":9,"late":true},
      {"site":"france","why_not":"it may not run there"}]})",
                                           kTimes);
  EXPECT_NE(text.find("12.3 g"), std::string::npos) << text;
  EXPECT_NE(text.find("8.0s, 60.0 Wh"), std::string::npos) << text;
  EXPECT_NE(text.find("1.41 kg"), std::string::npos) << text;
  EXPECT_NE(text.find("23:00"), std::string::npos) << text;
  EXPECT_NE(text.find("too late for its deadline"), std::string::npos) << text;
  EXPECT_NE(text.find("it may not run there"), std::string::npos) << text;
  EXPECT_LT(text.find("norway"), text.find("here")) << "in the order of the answer";
}

TEST(SiteText, IsNothingForAServiceWithOneSite) {
  EXPECT_EQ(SiteChoicesText(R"({"id":7,"stage":"waiting"})", kTimes), "");
}

}  // namespace
}  // namespace ebb::cli
