#include "kubernetes/policies/chosen_namespaces.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
using Change = ChosenNamespaces::Change;

class ChosenNamespacesTest : public ::testing::Test {
 protected:
  Change Take(const Json& labels, const Json& annotations = Json::object()) {
    const Json name_space{
        {"metadata",
         {{"name", "team"}, {"uid", "1"}, {"labels", labels}, {"annotations", annotations}}}};
    return namespaces_.Take(*ParseJson(name_space.dump(), "namespace"));
  }

  std::vector<std::string> said_;
  ChosenNamespaces namespaces_{[this](const std::string& text) { said_.push_back(text); }};
};

TEST_F(ChosenNamespacesTest, ALabelOrAnAnnotationChoosesAndItsEndIsAChange) {
  EXPECT_EQ(Take(Json::object()), Change::kNone);
  EXPECT_EQ(Take({{"ebb/wait", "true"}}), Change::kChosen);
  EXPECT_EQ(Take({{"ebb/wait", "true"}}), Change::kNone) << "nothing new";
  EXPECT_TRUE(namespaces_.Contains("team"));
  EXPECT_EQ(Take({{"ebb/wait", "false"}}), Change::kLeft);
  EXPECT_FALSE(namespaces_.Contains("team"));
  EXPECT_EQ(Take(Json::object(), {{"ebb/wait", "true"}}), Change::kChosen);
  namespaces_.Drop("1");
  EXPECT_FALSE(namespaces_.Contains("team"));
  EXPECT_EQ(namespaces_.remembered(), 0u);
}

TEST_F(ChosenNamespacesTest, AMistypedKeyIsSaidOnceUntilItsNamespaceIsGone) {
  Take({{"ebb/wiat", "true"}});
  Take({{"ebb/wiat", "true"}});
  ASSERT_EQ(said_.size(), 1u);
  EXPECT_TRUE(said_.front().starts_with("namespace team: ebb/wiat")) << said_.front();
  EXPECT_EQ(namespaces_.remembered(), 1u);
  namespaces_.Drop("1");
  EXPECT_EQ(namespaces_.remembered(), 0u);
  Take({{"ebb/wiat", "true"}});
  EXPECT_EQ(said_.size(), 2u);
}

}  // namespace
}  // namespace ebb::kubernetes
