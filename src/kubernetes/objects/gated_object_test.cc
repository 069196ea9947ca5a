#include "kubernetes/objects/gated_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kubernetes/api/json_reading.h"
#include "kubernetes/nodes/capacity.h"
#include "testing/builders.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const GatedKind& KindOf(std::string_view name) {
  for (const GatedKind& kind : GatedKinds())
    if (kind.kind == name) return kind;
  std::abort();
}

JsonNode Node(const Json& json) { return *ParseJson(json.dump(), "test"); }

GatedObject Read(std::string_view kind, const Json& json) {
  return *ReadObject(KindOf(kind), Node(json), {});
}

Json Object(const Json& spec, const Json& status = Json::object(),
            const Json& annotations = Json::object()) {
  return {{"metadata",
           {{"name", "a"},
            {"namespace", "n"},
            {"uid", "u"},
            {"creationTimestamp", "2026-05-01T12:00:00Z"},
            {"annotations", annotations}}},
          {"spec", spec},
          {"status", status}};
}

Json Pod(const char* gpus, const char* cores) {
  Json resources{{"requests", {{"cpu", cores}}}};
  if (*gpus) resources["limits"] = {{"nvidia.com/gpu", gpus}};
  return {{"containers", Json::array({{{"name", "m"}, {"resources", resources}}})}};
}

Json Conditions(const char* type) {
  return {{"conditions", Json::array({{{"type", type}, {"status", "True"}}})}};
}

TEST(GatedObject, QuantitiesAreReadAsKubernetesWritesThem) {
  const auto quantity = [](const Json& json) { return QuantityOf(Node(json)); };
  EXPECT_EQ(quantity("2"), 2);
  EXPECT_EQ(quantity("500m"), 0.5);
  EXPECT_EQ(quantity("1Gi"), 1073741824);
  EXPECT_EQ(quantity("1e3"), 1000);
  EXPECT_EQ(quantity("1E"), 1e18);
  EXPECT_EQ(quantity(3), 3);
  EXPECT_FALSE(quantity("much"));
  EXPECT_FALSE(quantity("2 cores"));
}

TEST(GatedObject, PhasesOfAJob) {
  const auto phase = [](bool suspend, const Json& status) {
    return Read("Job", Object({{"suspend", suspend}}, status)).phase;
  };
  EXPECT_EQ(phase(true, Json::object()), ObjectPhase::kSuspended);
  EXPECT_EQ(phase(true, {{"active", 1}}), ObjectPhase::kStopping);
  EXPECT_EQ(phase(true, {{"active", 0}, {"terminating", 2}}), ObjectPhase::kStopping)
      << "pods that end hold their devices";
  EXPECT_EQ(phase(false, {{"active", 1}}), ObjectPhase::kReleased);
  EXPECT_EQ(phase(false, Conditions("Complete")), ObjectPhase::kSucceeded);
  EXPECT_EQ(phase(true, Conditions("Failed")), ObjectPhase::kFailed);
}

TEST(GatedObject, PhasesOfOtherKinds) {
  const auto ray = [](bool suspend, const Json& status) {
    return Read("RayJob", Object({{"suspend", suspend}}, status)).phase;
  };
  EXPECT_EQ(ray(true, Json::object()), ObjectPhase::kSuspended);
  EXPECT_EQ(ray(true, {{"jobDeploymentStatus", "Suspending"}}), ObjectPhase::kStopping);
  EXPECT_EQ(ray(true, {{"jobDeploymentStatus", "Suspended"}}), ObjectPhase::kSuspended);
  EXPECT_EQ(ray(false, {{"jobDeploymentStatus", "Running"}}), ObjectPhase::kReleased);
  EXPECT_EQ(ray(false, {{"jobDeploymentStatus", "Complete"}, {"jobStatus", "SUCCEEDED"}}),
            ObjectPhase::kSucceeded);
  EXPECT_EQ(ray(false, {{"jobDeploymentStatus", "Complete"}, {"jobStatus", "FAILED"}}),
            ObjectPhase::kFailed);
  const Json active{{"replicatedJobsStatus", Json::array({{{"name", "w"}, {"active", 1}}})}};
  EXPECT_EQ(Read("JobSet", Object({{"suspend", true}}, active)).phase, ObjectPhase::kStopping);
  const Json policy{{"runPolicy", {{"suspend", true}}}};
  EXPECT_EQ(Read("PyTorchJob", Object(policy)).phase, ObjectPhase::kSuspended);
  EXPECT_EQ(Read("PyTorchJob", Object(Json::object())).phase, ObjectPhase::kReleased);
}

TEST(GatedObject, APatchGoesWhereTheKindHasItsField) {
  EXPECT_EQ(MergePatch(KindOf("RayJob"), true, {}), R"({"spec":{"suspend":true}})");
  EXPECT_EQ(MergePatch(KindOf("TFJob"), false, {{"ebb/attempt", "2"}, {"ebb/reason", ""}}),
            R"({"metadata":{"annotations":{"ebb/attempt":"2","ebb/reason":null}},)"
            R"("spec":{"runPolicy":{"suspend":false}}})");
}

TEST(GatedObject, WidthIsThatOfAllPodsTogether) {
  const Json job{{"parallelism", 3}, {"template", {{"spec", Pod("2", "4")}}}};
  EXPECT_EQ(Read("Job", Object(job)).job.devices, 6);
  const Json ray{{"rayClusterSpec",
                  {{"headGroupSpec", {{"template", {{"spec", Pod("", "2")}}}}},
                   {"workerGroupSpecs", Json::array({{{"replicas", 2},
                                                      {"minReplicas", 0},
                                                      {"maxReplicas", 9},
                                                      {"numOfHosts", 2},
                                                      {"template", {{"spec", Pod("1", "4")}}}}})}}},
                 {"submitterPodTemplate", {{"spec", Pod("1", "1")}}}};
  EXPECT_EQ(Read("RayJob", Object(ray)).job.devices, 4) << "head and submitter have none";
  const Json set{
      {"replicatedJobs",
       Json::array(
           {{{"replicas", 2},
             {"template",
              {{"spec", {{"parallelism", 2}, {"template", {{"spec", Pod("4", "1")}}}}}}}}})}};
  EXPECT_EQ(Read("JobSet", Object(set)).job.devices, 16);
  const Json cpu{{"parallelism", 3}, {"template", {{"spec", Pod("", "1500m")}}}};
  EXPECT_EQ(Read("Job", Object(cpu)).job.devices, 5) << "cores, rounded up";
}

TEST(GatedObject, AnnotationsOfOursAndOfComputeGardener) {
  const Json spec{
      {"template",
       {{"metadata",
         {{"annotations",
           {{"compute-gardener-scheduler.kubernetes.io/carbon-intensity-threshold", "175"},
            {"compute-gardener-scheduler.kubernetes.io/max-scheduling-delay", "48h"},
            {"compute-gardener-scheduler.kubernetes.io/estimated-runtime-hours", "1.5"}}}}},
        {"spec", Pod("1", "1")}}}};
  const GatedObject theirs = Read("Job", Object(spec));
  EXPECT_TRUE(theirs.chosen);
  EXPECT_EQ(theirs.job.threshold, Intensity{175});
  EXPECT_EQ(theirs.job.start_by, theirs.created + std::chrono::hours{48});
  EXPECT_EQ(theirs.job.duration, std::chrono::minutes{90});
  const GatedObject ours = Read("Job", Object(spec, Json::object(),
                                              {{"ebb/threshold", "90"},
                                               {"ebb/duration", "2h"},
                                               {"ebb/finish-by", "2026-05-02T00:00Z"},
                                               {"ebb/checkpointable", "true"},
                                               {"ebb/priority", "-3"},
                                               {"ebb/attempt", "4"}}));
  EXPECT_EQ(ours.job.threshold, Intensity{90}) << "ours go before theirs";
  EXPECT_EQ(ours.job.duration, std::chrono::hours{2});
  EXPECT_EQ(ours.job.finish_by, ours.created + std::chrono::hours{12});
  EXPECT_TRUE(ours.job.checkpointable);
  EXPECT_EQ(ours.job.priority, -3);
  EXPECT_EQ(ours.attempt, 4);
  EXPECT_TRUE(ours.problems.empty());
}

TEST(GatedObject, WhatCannotBeReadIsSaidAndTheRestHolds) {
  const GatedObject object =
      Read("Job", Object(Json::object(), Json::object(),
                         {{"ebb/threshold", "low"},
                          {"ebb/start-by", "soon"},
                          {"ebb/tier", "9"},
                          {"ebb/priority", "2"},
                          {"compute-gardener-scheduler.kubernetes.io/energy-budget-kwh", "1"}}));
  EXPECT_EQ(object.problems.size(), 4u);
  EXPECT_THAT(object.problems.front(), HasSubstr("ebb/tier: \"9\" is not a tier"));
  EXPECT_EQ(object.job.priority, 2);
  EXPECT_EQ(object.job.duration, std::chrono::hours{1});
}

TEST(GatedObject, ANumberOutOfItsRangeIsSaidAndNotUsed) {
  const Json numbers = {
      {"ebb/priority", "999999999999999999999"},
      {"ebb/threshold", "1e9"},
      {"ebb/power", "1e300"},
      {"ebb/min-efficiency", "-1"},
      {"compute-gardener-scheduler.kubernetes.io/estimated-runtime-hours", "1e300"}};
  for (const auto& [key, value] : numbers.items()) {
    const GatedObject object = Read("Job", Object(Json::object(), Json::object(), {{key, value}}));
    EXPECT_THAT(object.problems, ElementsAre(HasSubstr(key + ": \"" + value.get<std::string>())));
    EXPECT_EQ(object.job.priority, 0);
    EXPECT_EQ(object.job.duration, std::chrono::hours{1});
  }
  const GatedObject fraction =
      Read("Job", Object(Json::object(), Json::object(), {{"ebb/priority", "2.5"}}));
  EXPECT_THAT(fraction.problems, ElementsAre(HasSubstr("a whole number from -1000000 to 1000000")));
}

TEST(GatedObject, WhoIsChosen) {
  const auto read = [](const Json& annotations, Json more = Json::object()) {
    Json object = Object(Json::object(), Json::object(), annotations);
    object["metadata"].update(more);
    return Read("Job", object);
  };
  EXPECT_FALSE(read(Json::object()).chosen) << "nothing is held back that nobody asked for";
  EXPECT_TRUE(read({{"ebb/wait", "true"}}).chosen);
  EXPECT_TRUE(read(Json::object(), {{"labels", {{"ebb/wait", "true"}}}}).chosen);
  EXPECT_TRUE(read({{"ebb/wait", "false"}}).declined);
  EXPECT_TRUE(
      read({{"ebb/wait", "true"}, {"compute-gardener-scheduler.kubernetes.io/skip", "true"}})
          .declined);
  const Json owned{{"ownerReferences", Json::array({{{"kind", "JobSet"}, {"name", "s"}}})}};
  EXPECT_TRUE(read({{"ebb/wait", "true"}}, owned).follows) << "its owner is held back";
  const Json cron{{"ownerReferences", Json::array({{{"kind", "CronJob"}, {"name", "s"}}})}};
  EXPECT_FALSE(read({{"ebb/wait", "true"}}, cron).follows);
}

TEST(GatedObject, WhatIsNoObjectIsNothing) {
  EXPECT_FALSE(ReadObject(KindOf("Job"), Node(Json::object()), {}));
  EXPECT_FALSE(ReadObject(KindOf("Job"), Node(Json::array()), {}));
  Json object = Object(7, "odd");
  object["spec"] = Json::array({1, 2});
  EXPECT_TRUE(ReadObject(KindOf("Job"), Node(object), {}));
}

Json NodeOf(const char* name, int gpus, bool ready = true) {
  return {
      {"metadata",
       {{"name", name}, {"uid", name}, {"labels", {{"nvidia.com/gpu.product", "A100"}}}}},
      {"status",
       {{"allocatable", {{"cpu", "8"}, {"nvidia.com/gpu", std::to_string(gpus)}}},
        {"conditions", Json::array({{{"type", "Ready"}, {"status", ready ? "True" : "False"}}})}}}};
}

TEST(GatedObject, APriceThatItAcceptsIsReadWherePricesAreKnown) {
  const Json json = Object(Json::object(), Json::object(),
                           {{"compute-gardener-scheduler.kubernetes.io/price-threshold", "0.25"}});
  const GatedObject unknown = Read("Job", json);
  EXPECT_FALSE(unknown.most_price);
  EXPECT_THAT(unknown.problems, ElementsAre(HasSubstr("price-threshold: this controller knows no "
                                                      "prices")));
  ObjectDefaults defaults;
  defaults.knows_prices = true;
  const auto known = ReadObject(KindOf("Job"), Node(json), defaults);
  EXPECT_EQ(known->most_price, 0.25);
  EXPECT_TRUE(known->problems.empty());
}

Json PodOn(const char* uid, const char* node, const char* job, const char* phase = "Running") {
  return {{"metadata",
           {{"name", uid},
            {"uid", uid},
            {"namespace", "n"},
            {"labels", {{"batch.kubernetes.io/job-name", job}}}}},
          {"spec", {{"nodeName", node}, {"containers", Pod("2", "1")["containers"]}}},
          {"status", {{"phase", phase}}}};
}

TEST(Capacity, IsWhatReadyNodesHaveLessWhatOthersHold) {
  Capacity capacity({"c", "DE", {}}, [](const PodOwner& owner) {
    return owner.labels.at("batch.kubernetes.io/job-name") == "ours";
  });
  capacity.TakeNode(Node(NodeOf("one", 8)));
  capacity.TakeNode(Node(NodeOf("two", 4)));
  capacity.TakeNode(Node(NodeOf("broken", 4, false)));
  const auto a100 = [&] { return capacity.cluster().pools.at(2).count; };
  EXPECT_EQ(capacity.cluster().pools.at(0).count, 16) << "cores";
  EXPECT_EQ(a100(), 12);
  capacity.TakePod(Node(PodOn("p1", "one", "theirs")));
  EXPECT_EQ(a100(), 10);
  capacity.TakePod(Node(PodOn("p2", "one", "ours")));
  EXPECT_EQ(a100(), 10) << "the engine counts these";
  capacity.TakePod(Node(PodOn("p1", "one", "theirs", "Succeeded")));
  EXPECT_EQ(a100(), 12);
  capacity.TakePod(Node(PodOn("p3", "two", "theirs")));
  EXPECT_EQ(a100(), 10);
  capacity.OwnersChanged("n", "batch.kubernetes.io/job-name=theirs");
  EXPECT_EQ(a100(), 10) << "counted anew";
  capacity.DropPod("p3");
  EXPECT_EQ(a100(), 12);
  capacity.DropNode("one");
  EXPECT_EQ(a100(), 4);
  PodRequests requests;
  EXPECT_THAT(capacity.ModelsFor(requests), ElementsAre("cpu"));
  requests.gpus = 1;
  EXPECT_THAT(capacity.ModelsFor(requests), ElementsAre("gpu", "A100"));
  requests.gpu_model = "A100";
  EXPECT_THAT(capacity.ModelsFor(requests), ElementsAre("A100"));
  requests.gpu_model = "H200";
  EXPECT_THAT(capacity.ModelsFor(requests), ElementsAre("H200")) << "it may come";
  capacity.DropNode("two");
  EXPECT_EQ(capacity.cluster().pools.size(), 3u) << "pools stay where they are";
}

// A device that a pod has claimed.
class OneClaim final : public PublishedDevices {
 public:
  int version() const override { return 1; }
  const std::map<std::string, int>& GpusOn(const std::string&) override { return gpus_; }
  std::vector<HeldDevice> HeldNow() override { return {{"one", "H100", &owner_}}; }

 private:
  std::map<std::string, int> gpus_{{"H100", 2}};
  PodOwner owner_{"n", {{"batch.kubernetes.io/job-name", "claims"}}};
};

// Thousands may be released in one decision.
TEST(Capacity, AReleaseOfWhatHasNoPodsAsksOfNoOthersWhoseTheyAre) {
  std::set<std::string> gated;
  int asked = 0;
  Capacity capacity({"c", "DE", {}}, [&](const PodOwner& owner) {
    ++asked;
    return gated.contains(owner.labels.at("batch.kubernetes.io/job-name"));
  });
  OneClaim claim;
  capacity.SetPublished(claim);
  capacity.TakeNode(Node(NodeOf("one", 8)));
  for (const char* pod : {"p1", "p2", "p3"}) capacity.TakePod(Node(PodOn(pod, "one", "theirs")));
  const auto count_of = [&](const std::string& model) {
    for (const core::DevicePool& pool : capacity.cluster().pools)
      if (pool.model == model) return pool.count;
    return -1;
  };
  EXPECT_EQ(count_of("H100"), 1);
  EXPECT_EQ(count_of("cpu"), 5);
  asked = 0;
  const auto release = [&](const std::string& job) {
    gated.insert(job);
    capacity.OwnersChanged("n", "batch.kubernetes.io/job-name=" + job);
  };
  release("new");
  EXPECT_EQ(count_of("H100"), 1);
  EXPECT_EQ(asked, 0);
  release("claims");
  EXPECT_EQ(count_of("H100"), 2) << "the engine counts it";
  release("theirs");
  EXPECT_EQ(count_of("cpu"), 8);
}

TEST(Capacity, NodesThatKeepPodsAwayAreForThoseThatTolerateIt) {
  Capacity capacity({"c", "DE", {}}, [](const PodOwner&) { return false; });
  Json tainted = NodeOf("tainted", 4);
  tainted["spec"]["taints"] =
      Json::array({{{"key", "team"}, {"value", "x"}, {"effect", "NoSchedule"}},
                   {{"key", "nvidia.com/gpu"}, {"effect", "NoSchedule"}},
                   {{"key", "slow"}, {"effect", "PreferNoSchedule"}}});
  capacity.TakeNode(Node(NodeOf("open", 2)));
  capacity.TakeNode(Node(tainted));
  std::map<std::string, int> counts;
  for (const core::DevicePool& pool : capacity.cluster().pools) counts[pool.model] = pool.count;
  EXPECT_EQ(counts["A100"], 2);
  EXPECT_EQ(counts["A100, tainted team"], 4);
  PodRequests requests;
  requests.gpus = 1;
  EXPECT_THAT(capacity.ModelsFor(requests), ElementsAre("gpu", "A100"));
  requests.tolerated = {"team"};
  EXPECT_EQ(capacity.ModelsFor(requests).size(), 3u);
  requests.tolerated = {""};
  EXPECT_EQ(capacity.ModelsFor(requests).size(), 3u);
}

}  // namespace
}  // namespace ebb::kubernetes
