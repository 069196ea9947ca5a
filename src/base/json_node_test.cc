#include "base/json_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb {
namespace {

using ::testing::HasSubstr;

TEST(JsonNode, GivesWhatIsThereByNameAndByPointer) {
  const auto root = ParseJson(
      R"({"data":[{"value":1.5,"from":"2026-05-06T12:00Z","is/so":true,"of~it":"x"},null]})", "x");
  ASSERT_TRUE(root);
  const JsonNode& row = *root->At("/data/0");
  EXPECT_EQ(row.Find("value")->AsNumber(), 1.5);
  EXPECT_EQ(row.TimeOf("from"), *ParseTime("2026-05-06T12:00Z"));
  EXPECT_TRUE(row.IsTrue("is/so"));
  EXPECT_TRUE(root->At("/data/0/is~1so")->boolean);
  EXPECT_EQ(root->At("/data/0/of~0it")->AsText(), "x");
  EXPECT_TRUE(root->At("/data/1")->is_null());
  EXPECT_EQ(root->At(""), &*root);
}

TEST(JsonNode, GivesNothingForWhatIsNotThereOrOfAnotherType) {
  const auto root = ParseJson(R"({"list":[1],"text":"soon","number":3})", "x");
  ASSERT_TRUE(root);
  for (const char* pointer : {"/none", "/list/1", "/list/-1", "/list/x", "/text/0", "text", "/"})
    EXPECT_EQ(root->At(pointer), nullptr) << pointer;
  EXPECT_EQ(root->TextOf("number"), "");
  EXPECT_FALSE(root->Find("number")->AsText());
  EXPECT_FALSE(root->Find("text")->AsNumber());
  EXPECT_FALSE(root->TimeOf("text"));
  EXPECT_FALSE(root->IsTrue("number"));
  EXPECT_EQ(root->Find("number")->Find("number"), nullptr);
}

TEST(JsonNode, RefusesWhatIsNoJsonAndWhatIsTooDeep) {
  const auto page = ParseJson("<html>\n", "https://x/y");
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().where, "https://x/y");
  EXPECT_THAT(page.error().what, HasSubstr("not JSON; it begins: <html> "));
  EXPECT_TRUE(ParseJson(std::string(32, '[') + std::string(32, ']'), "x"));
  EXPECT_FALSE(ParseJson(std::string(100'000, '[') + std::string(100'000, ']'), "x"));
}

}  // namespace
}  // namespace ebb
