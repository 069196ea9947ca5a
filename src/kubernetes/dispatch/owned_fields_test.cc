#include "kubernetes/dispatch/owned_fields.h"

#include <gtest/gtest.h>

#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

JsonNode Parsed(const std::string& text) { return *ParseJson(text, "test"); }

// As Kueue 0.18.4 leaves a Workload that has quota, shortened.
constexpr const char* kWorkload = R"({
  "metadata": {"managedFields": [
    {"manager": "kueue-admission", "operation": "Apply", "subresource": "status",
     "apiVersion": "kueue.x-k8s.io/v1beta2", "fieldsV1": {"f:status": {
       "f:admission": {"f:clusterQueue": {}, "f:podSetAssignments": {
         "k:{\"name\":\"main\"}": {".": {}, "f:count": {}, "f:name": {}}}},
       "f:conditions": {"k:{\"type\":\"QuotaReserved\"}": {".": {}, "f:status": {}, "f:type": {}}},
       "f:gone": {}}}},
    {"manager": "ebb-controller", "operation": "Apply", "subresource": "status",
     "apiVersion": "kueue.x-k8s.io/v1beta2", "fieldsV1": {"f:status": {
       "f:admissionChecks": {"k:{\"name\":\"clean-power\"}": {}}}}}]},
  "status": {
    "admission": {"clusterQueue": "all", "note": "of another",
                  "podSetAssignments": [{"name": "main", "count": 2, "extra": 1}, {"name": "b"}]},
    "admissionChecks": [{"name": "clean-power", "state": "Ready"}],
    "conditions": [{"type": "Finished", "status": "False"},
                   {"type": "QuotaReserved", "status": "True", "message": "of another"}]}})";

TEST(OwnedFieldsTest, OnlyWhatTheManagerHasAppliedIsRepeated) {
  const auto owned = OwnedStatus(Parsed(kWorkload), "kueue-admission");
  ASSERT_TRUE(owned);
  EXPECT_EQ(owned->api_version, "kueue.x-k8s.io/v1beta2");
  const JsonNode& status = owned->status;
  ASSERT_EQ(status.members.size(), 2u) << "neither a field of another, nor one that is gone";
  EXPECT_EQ(TextAt(status, "/admission/clusterQueue"), "all");
  EXPECT_FALSE(status.At("/admission/note"));
  ASSERT_EQ(status.At("/admission/podSetAssignments")->items.size(), 1u);
  EXPECT_EQ(NumberAt(status, "/admission/podSetAssignments/0/count"), 2);
  EXPECT_FALSE(status.At("/admission/podSetAssignments/0/extra"));
  ASSERT_EQ(status.At("/conditions")->items.size(), 1u);
  EXPECT_EQ(TextAt(status, "/conditions/0/status"), "True");
  EXPECT_FALSE(status.At("/conditions/0/message"));
}

TEST(OwnedFieldsTest, AManagerThatHasAppliedNothingOwnsNothing) {
  EXPECT_FALSE(OwnedStatus(Parsed(kWorkload), "kueue"));
  EXPECT_FALSE(OwnedStatus(Parsed(R"({"status": {}})"), "kueue-admission"));
  const JsonNode updated = Parsed(R"({"metadata": {"managedFields": [
      {"manager": "kueue-admission", "operation": "Update", "subresource": "status",
       "fieldsV1": {"f:status": {"f:a": {}}}}]}, "status": {"a": 1}})");
  EXPECT_FALSE(OwnedStatus(updated, "kueue-admission"));
}

TEST(OwnedFieldsTest, SetsAndPlacesInListsAreRead) {
  const JsonNode part = PartOf(Parsed(R"({"set": ["a", "b"], "list": [1, 2], "whole": {"x": 1}})"),
                               Parsed(R"({"f:set": {"v:\"b\"": {}}, "f:list": {"i:1": {}},
                                          "f:whole": {}})"));
  ASSERT_EQ(part.At("/set")->items.size(), 1u);
  EXPECT_EQ(TextAt(part, "/set/0"), "b");
  EXPECT_EQ(NumberAt(part, "/list/0"), 2);
  EXPECT_EQ(NumberAt(part, "/whole/x"), 1);
}

// Kueue refuses other orders of the parts of an admission.
TEST(OwnedFieldsTest, ListsKeepTheirOrder) {
  const JsonNode part = PartOf(
      Parsed(R"({"list": [{"name": "workers"}, {"name": "head"}]})"),
      Parsed(R"({"f:list": {"k:{\"name\":\"head\"}": {}, "k:{\"name\":\"workers\"}": {}}})"));
  EXPECT_EQ(TextAt(part, "/list/0/name"), "workers");
  EXPECT_EQ(TextAt(part, "/list/1/name"), "head");
}

TEST(OwnedFieldsTest, WhatIsOnlyKnownToExistIsEmpty) {
  const JsonNode part =
      PartOf(Parsed(R"({"map": {"theirs": 1}})"), Parsed(R"({"f:map": {".": {}}})"));
  ASSERT_TRUE(part.At("/map"));
  EXPECT_TRUE(part.At("/map")->members.empty());
}

}  // namespace
}  // namespace ebb::kubernetes
