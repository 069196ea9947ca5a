#include "web/live/saved_page.h"

#include <gtest/gtest.h>

#include <regex>

namespace ebb::web {
namespace {

std::size_t Count(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(SavedPage, NeedsNothingFromOutside) {
  const std::string page = SavedPage({});
  EXPECT_FALSE(std::regex_search(page.substr(0, page.find("<style>")),
                                 std::regex("href=\"/|src=\"/|https?://")));
  EXPECT_EQ(Count(page, "<script src="), 0u);
  EXPECT_EQ(Count(page, "rel=\"stylesheet\""), 0u);
  EXPECT_GT(Count(page, "'sha256-"), 6u);
  EXPECT_EQ(Count(page, "id=\"sweeps-title\""), 1u) << "what is fetched later lies in it, too";
}

TEST(SavedPage, WhatTheServiceAnsweredStaysData) {
  const std::string evil = R"({"name":"</script><script>alert(1)</script><!--"})";
  const std::string page = SavedPage({{"/api/v1/jobs/1", evil}});
  EXPECT_EQ(Count(page, "alert(1)"), 1u);
  EXPECT_EQ(Count(page, "<script>alert"), 0u);
  EXPECT_EQ(Count(page, "</script>"), Count(SavedPage({}), "</script>"));
  EXPECT_NE(page.find(R"("/api/v1/jobs/1":{"name":"\u003c/script>)"), std::string::npos);
}

}  // namespace
}  // namespace ebb::web
