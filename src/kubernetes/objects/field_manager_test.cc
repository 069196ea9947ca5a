#include "kubernetes/objects/field_manager.h"

#include <gtest/gtest.h>

namespace ebb::kubernetes {
namespace {

JsonNode Node(const char* json) { return *ParseJson(json, "test"); }

TEST(FieldManager, IsTheLastOneThatWroteTheField) {
  const JsonNode job = Node(R"({"metadata": {"managedFields": [
    {"manager": "kubectl", "operation": "Update", "time": "2026-05-01T10:00:00Z",
     "fieldsV1": {"f:spec": {"f:suspend": {}, "f:template": {}}}},
    {"manager": "argocd-controller", "operation": "Apply", "time": "2026-05-01T12:00:00Z",
     "fieldsV1": {"f:spec": {"f:suspend": {}}}},
    {"manager": "kube-controller-manager", "operation": "Update", "time": "2026-05-01T13:00:00Z",
     "fieldsV1": {"f:status": {"f:active": {}}}}]}})");
  EXPECT_EQ(ManagerOfField(job, "/spec/suspend"), "argocd-controller");
  EXPECT_EQ(ManagerOfField(job, "/spec/template"), "kubectl");
  EXPECT_EQ(ManagerOfField(job, "/spec/runPolicy/suspend"), "");
}

TEST(FieldManager, OddObjectsTellNothing) {
  for (const char* odd : {"{}", R"({"metadata": {"managedFields": 3}})",
                          R"({"metadata": {"managedFields": [null, 1, {"fieldsV1": []}]}})"})
    EXPECT_EQ(ManagerOfField(Node(odd), "/spec/suspend"), "") << odd;
}

}  // namespace
}  // namespace ebb::kubernetes
