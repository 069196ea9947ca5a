#include "kubernetes/dispatch/nomination.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kubernetes/dispatch/clusters_for_test.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
using Kind = NominationStep::Kind;
using Names = std::vector<std::string>;
using std::chrono::minutes;

JsonNode Node(const Json& json) { return *ParseJson(json.dump(), "test"); }

class NominationTest : public ::testing::Test {
 protected:
  NominationTest() {
    Take("norway");
    Take("poland");
  }
  static DispatchOptions Options() {
    DispatchOptions options;
    options.name = "ebb/clean-power";
    return options;
  }
  void Take(const std::string& name, bool active = true) {
    dispatcher_.TakeCluster(Node(WorkerClusterObject(name, {{"zone", "NO"}}, active)));
  }
  NominationStep Next(const Nominee& nominee) {
    return NextStep(
        dispatcher_, nominee, [this] { return another_; }, now_);
  }

  Dispatcher dispatcher_{Options()};
  std::optional<std::string> another_ = "poland";
  Duration now_{minutes{100}};
};

TEST_F(NominationTest, TheChosenClusterIsNominatedOnce) {
  const NominationStep step = Next({"norway", {}});
  EXPECT_EQ(step.kind, Kind::kNominate);
  EXPECT_EQ(step.clusters, Names{"norway"});
  EXPECT_EQ(Next({"norway", {"norway"}, now_}).kind, Kind::kNothing);
  EXPECT_EQ(Next({"", {}}).kind, Kind::kNothing) << "nothing is chosen";
}

// Kueue names the cluster of the first part of an object for its other parts.
TEST_F(NominationTest, NamesThatAreThereAreNeverReplaced) {
  EXPECT_EQ(Next({"norway", {"poland"}, now_}).kind, Kind::kNothing);
}

TEST_F(NominationTest, AClusterThatDoesNotAdmitInTimeIsLate) {
  const Duration since = now_ - minutes{5};
  EXPECT_EQ(Next({"norway", {"norway"}, since + Duration{1}, true}).kind, Kind::kNothing);
  const NominationStep back = Next({"norway", {"norway"}, since, true});
  EXPECT_EQ(back.kind, Kind::kTakeBack);
  EXPECT_EQ(back.late, "norway");
  EXPECT_EQ(back.why, "the cluster norway has not admitted it within 5m");
  const NominationStep wider = Next({"norway", {"norway"}, since, false});
  EXPECT_EQ(wider.kind, Kind::kNominate);
  EXPECT_EQ(wider.clusters, (Names{"norway", "poland"})) << "the first one may still admit it";
  EXPECT_EQ(wider.late, "norway");
}

// A lost worker may have admitted the workload before, and run it.
TEST_F(NominationTest, AClusterThatIsLostHasTheSameTime) {
  Take("norway", false);
  EXPECT_EQ(Next({"norway", {"norway"}, now_, true}).kind, Kind::kNothing);
  const NominationStep back = Next({"norway", {"norway"}, now_ - minutes{5}, true});
  EXPECT_EQ(back.kind, Kind::kTakeBack);
  EXPECT_EQ(back.why, "the manager does not reach the cluster norway");
  dispatcher_.DropCluster("uid-of-norway");
  EXPECT_EQ(Next({"norway", {"norway"}, now_, true}).why,
            "the cluster norway is not there any more");
}

TEST_F(NominationTest, WithoutAFurtherClusterTheNamesStay) {
  another_.reset();
  EXPECT_EQ(Next({"norway", {"norway"}, now_ - minutes{9}, false}).kind, Kind::kNothing);
  another_ = "poland";
  EXPECT_EQ(Next({"norway", Names(20, "norway"), now_ - minutes{9}, false}).kind, Kind::kNothing)
      << "the API server takes no more";
}

TEST_F(NominationTest, TheRequestRepeatsWhatKueueOwnsAndIsBoundToTheVersion) {
  const Json fields{{"f:status",
                     {{"f:admission", {{"f:clusterQueue", Json::object()}}},
                      {"f:nominatedClusterNames", Json::object()}}}};
  Json workload{{"metadata",
                 {{"name", "job-x"},
                  {"namespace", "default"},
                  {"uid", "u"},
                  {"resourceVersion", "7"},
                  {"managedFields",
                   {{{"manager", kKueueAdmission},
                     {"operation", "Apply"},
                     {"subresource", "status"},
                     {"apiVersion", "kueue.x-k8s.io/v1beta2"},
                     {"fieldsV1", fields}}}}}},
                {"status",
                 {{"admission", {{"clusterQueue", "all"}}},
                  {"nominatedClusterNames", {"norway"}},
                  {"conditions", Json::array()}}}};
  GatedKind workloads{};
  workloads.kind = "Workload";
  workloads.group = "kueue.x-k8s.io";
  workloads.version = "v1beta2";
  const auto body = NominationBody(workloads, Node(workload), {"norway", "poland"});
  ASSERT_TRUE(body);
  const Json sent = Json::parse(*body);
  EXPECT_EQ(
      sent["metadata"],
      (Json{{"name", "job-x"}, {"namespace", "default"}, {"uid", "u"}, {"resourceVersion", "7"}}));
  EXPECT_EQ(sent["status"], (Json{{"admission", {{"clusterQueue", "all"}}},
                                  {"nominatedClusterNames", {"norway", "poland"}}}));
  workload["metadata"]["managedFields"][0]["apiVersion"] = "kueue.x-k8s.io/v1beta1";
  EXPECT_FALSE(NominationBody(workloads, Node(workload), {"norway"}))
      << "values of another version are not repeated in this one";
}

}  // namespace
}  // namespace ebb::kubernetes
