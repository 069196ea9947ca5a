#include "kubernetes/devices/device_claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kubernetes/cluster_world_for_test.h"

namespace ebb::kubernetes {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kSlices = "/apis/resource.k8s.io/v1/resourceslices";
constexpr const char* kClasses = "/apis/resource.k8s.io/v1/deviceclasses";
constexpr const char* kTemplates = "/apis/resource.k8s.io/v1/resourceclaimtemplates";
constexpr const char* kClaims = "/apis/resource.k8s.io/v1/resourceclaims";
constexpr const char* kDriver = "gpu.nvidia.com";

JsonNode Read(const Json& json) { return *ParseJson(json.dump(), "test"); }

Json Device(const std::string& name, const std::string& product = "NVIDIA H100",
            const std::string& type = "gpu") {
  return {{"name", name},
          {"attributes",
           {{"productName", {{"string", product}}},
            {"type", {{"string", type}}},
            {"uuid", {{"string", "GPU-" + name}}}}}};
}

Json Slice(const std::string& node, std::vector<Json> devices, int generation = 1, int of = 1) {
  return {{"metadata", {{"name", "slice-" + node}, {"uid", "slice-" + node}}},
          {"spec",
           {{"driver", kDriver},
            {"nodeName", node},
            {"pool", {{"name", node}, {"generation", generation}, {"resourceSliceCount", of}}},
            {"devices", devices}}}};
}

Json Selectors(const std::string& expression) {
  return Json::array({{{"cel", {{"expression", expression}}}}});
}

Json Class(const std::string& name, const std::string& expression) {
  return {{"metadata", {{"name", name}, {"uid", "class-" + name}}},
          {"spec", {{"selectors", Selectors(expression)}}}};
}

Json GpuClass() {
  return Class("gpu",
               "device.driver == 'gpu.nvidia.com' && "
               "device.attributes['gpu.nvidia.com'].type == 'gpu'");
}

Json Asks(const Json& request) { return {{"devices", {{"requests", Json::array({request})}}}}; }

Json Exactly(int count, const std::string& expression = "") {
  Json exactly{{"deviceClassName", "gpu"}, {"count", count}, {"allocationMode", "ExactCount"}};
  if (!expression.empty()) exactly["selectors"] = Selectors(expression);
  return {{"name", "gpus"}, {"exactly", exactly}};
}

Json Template(const std::string& name, const Json& request) {
  return {{"metadata", {{"name", name}, {"namespace", "default"}, {"uid", "template-" + name}}},
          {"spec", {{"spec", Asks(request)}}}};
}

Json Allocated(const std::string& name, const std::string& node, std::vector<std::string> devices,
               const std::string& pod) {
  Json results = Json::array();
  for (const std::string& device : devices)
    results.push_back({{"driver", kDriver}, {"pool", node}, {"device", device}});
  return {{"metadata",
           {{"name", name},
            {"namespace", "default"},
            {"uid", "claim-" + name},
            {"annotations", {{"resource.kubernetes.io/pod-claim-name", "gpus"}}}}},
          {"spec", Asks(Exactly(1))},
          {"status",
           {{"allocation", {{"devices", {{"results", results}}}}},
            {"reservedFor", Json::array({{{"resource", "pods"}, {"name", pod}, {"uid", pod}}})}}}};
}

class DeviceClaimsTest : public ::testing::Test {
 protected:
  DeviceClaimsTest() {
    claims_.SetServed(true);
    claims_.SetComplete(true);
    claims_.TakeClass(Read(GpuClass()));
    slices_.TakeSlice(Read(Slice("one", {Device("a"), Device("b")})));
    slices_.TakeSlice(Read(Slice("two", {Device("a", "NVIDIA A100")})));
  }
  ClaimNeeds Needs(const Json& request) {
    claims_.TakeTemplate(Read(Template("t", request)));
    return claims_.NeedsOf("default", {"t", true});
  }
  using Counts = std::map<std::string, int>;
  DeviceSlices slices_;
  DeviceClaims claims_{slices_};
};

TEST_F(DeviceClaimsTest, DevicesAreCountedByNodeAndModel) {
  EXPECT_EQ(claims_.GpusOn("one"), (Counts{{"NVIDIA-H100", 2}}));
  EXPECT_EQ(claims_.GpusOn("two"), (Counts{{"NVIDIA-A100", 1}}));
  claims_.SetComplete(false);
  EXPECT_THAT(claims_.GpusOn("one"), IsEmpty()) << "some may be held by claims not told yet";
  claims_.SetComplete(true);
  slices_.DropSlice("slice-one");
  EXPECT_THAT(claims_.GpusOn("one"), IsEmpty());
}

TEST_F(DeviceClaimsTest, OnlyTheNewestGenerationOfAPoolCountsOnceItIsWhole) {
  Json second = Slice("one", {Device("c")}, 2, 2);
  second["metadata"]["uid"] = "second";
  slices_.TakeSlice(Read(second));
  EXPECT_THAT(claims_.GpusOn("one"), IsEmpty()) << "one of two slices is there";
  second["metadata"]["uid"] = "third";
  second["spec"]["devices"] = Json::array({Device("d"), Device("e")});
  slices_.TakeSlice(Read(second));
  EXPECT_EQ(claims_.GpusOn("one"), (Counts{{"NVIDIA-H100", 3}}));
}

TEST_F(DeviceClaimsTest, WhatDrawsOnTheSameCountersIsOneDevice) {
  Json whole = Device("gpu-0"), part = Device("gpu-0-mig", "NVIDIA H100", "mig");
  whole["consumesCounters"] = part["consumesCounters"] = Json::array({{{"counterSet", "gpu-0"}}});
  slices_.TakeSlice(Read(Slice("three", {part, whole})));
  EXPECT_EQ(claims_.GpusOn("three"), (Counts{{"NVIDIA-H100", 1}}));
  claims_.TakeClaim(Read(Allocated("x", "three", {"gpu-0-mig"}, "pod")));
  claims_.TakeClaim(Read(Allocated("y", "three", {"gpu-0"}, "pod")));
  EXPECT_EQ(claims_.HeldNow().size(), 1u);
}

TEST_F(DeviceClaimsTest, TaintedDevicesAndOtherDriversAreNoGpus) {
  Json tainted = Device("a");
  tainted["taints"] = Json::array({{{"key", "broken"}, {"effect", "NoSchedule"}}});
  slices_.TakeSlice(Read(Slice("three", {tainted})));
  EXPECT_THAT(claims_.GpusOn("three"), IsEmpty());
  Json network = Slice("four", {Device("nic")});
  network["spec"]["driver"] = "network.example.com";
  slices_.TakeSlice(Read(network));
  EXPECT_THAT(claims_.GpusOn("four"), IsEmpty());
  claims_.TakeClass(Read(Class("nic", "device.driver == 'network.example.com'")));
  Json request = Exactly(1);
  request["exactly"]["deviceClassName"] = "nic";
  EXPECT_EQ(Needs(request).gpus, 0);
}

TEST_F(DeviceClaimsTest, ATemplateSaysHowManyOfWhichModels) {
  const ClaimNeeds any = Needs(Exactly(2));
  EXPECT_EQ(any.gpus, 2);
  EXPECT_THAT(any.models, ElementsAre("NVIDIA-A100", "NVIDIA-H100"));
  EXPECT_THAT(
      Needs(Exactly(1, "device.attributes['gpu.nvidia.com'].productName == 'NVIDIA A100'")).models,
      ElementsAre("NVIDIA-A100"));
  Json all = Exactly(1);
  all["exactly"]["allocationMode"] = "All";
  EXPECT_EQ(Needs(all).gpus, 2) << "as many as a node has";
  const Json first{{"name", "gpus"},
                   {"firstAvailable", Json::array({{{"deviceClassName", "gpu"}, {"count", 1}},
                                                   {{"deviceClassName", "gpu"}, {"count", 4}}})}};
  EXPECT_EQ(Needs(first).gpus, 4) << "never less than it takes";
}

TEST_F(DeviceClaimsTest, WhatIsNotKnownOrCannotBeToldIsSaid) {
  EXPECT_EQ(claims_.NeedsOf("default", {"nowhere", true}).lacks,
            "its ResourceClaimTemplate \"nowhere\" is not known");
  Json request = Exactly(1);
  request["exactly"]["deviceClassName"] = "other";
  EXPECT_EQ(Needs(request).lacks, "its DeviceClass \"other\" is not known");
  const ClaimNeeds odd =
      Needs(Exactly(1, "device.attributes['gpu.nvidia.com'].uuid.matches('GPU-a')"));
  EXPECT_EQ(odd.gpus, 1);
  EXPECT_EQ(odd.models.size(), 2u);
  ASSERT_EQ(odd.problems.size(), 1u);
  EXPECT_TRUE(odd.problems[0].starts_with("its claim: Ebb cannot tell")) << odd.problems[0];
}

// Lists tell what is new before what is gone.
TEST_F(DeviceClaimsTest, AClaimThatIsMadeAgainIsKnownBeforeTheLastIsGone) {
  Json claim{{"metadata", {{"name", "shared"}, {"namespace", "default"}, {"uid", "first"}}},
             {"spec", Asks(Exactly(1))}};
  claims_.TakeClaim(Read(claim));
  EXPECT_EQ(claims_.NeedsOf("default", {"shared", false}).gpus, 1);
  claim["metadata"]["uid"] = "second";
  claim["spec"] = Asks(Exactly(2));
  claims_.TakeClaim(Read(claim));
  claims_.Drop("first");
  const ClaimNeeds needs = claims_.NeedsOf("default", {"shared", false});
  EXPECT_EQ(needs.gpus, 2);
  EXPECT_EQ(needs.lacks, "");
}

TEST_F(DeviceClaimsTest, DevicesThatAreAwayAreExpectedBack) {
  EXPECT_EQ(Needs(Exactly(2)).models.size(), 2u);
  claims_.TakeChanges();
  slices_.DropSlice("slice-one");
  slices_.DropSlice("slice-two");
  EXPECT_TRUE(claims_.TakeChanges().all);
  const ClaimNeeds needs = claims_.NeedsOf("default", {"t", true});
  EXPECT_EQ(needs.gpus, 2);
  EXPECT_EQ(needs.models.size(), 2u);
}

TEST_F(DeviceClaimsTest, ChangesConcernThoseThatHaveTheClaim) {
  claims_.TakeChanges();
  EXPECT_TRUE(claims_.TakeChanges().empty());
  claims_.TakeTemplate(Read(Template("t", Exactly(1))));
  const ClaimChanges changes = claims_.TakeChanges();
  PodRequests requests;
  AddPod(Read({{"containers", Json::array()},
               {"resourceClaims",
                Json::array({{{"name", "gpus"}, {"resourceClaimTemplateName", "t"}}})}}),
         2, requests);
  EXPECT_TRUE(changes.Concern("default", requests));
  EXPECT_FALSE(changes.Concern("elsewhere", requests));
  EXPECT_FALSE(changes.Concern("default", {}));
  ClaimNeeds claims;
  for (int i = 0; i < 2; ++i)
    CountClaims([&](const PodClaim& claim) { return claims_.NeedsOf("default", claim); }, requests,
                claims);
  EXPECT_EQ(requests.gpus, 2) << "counted once, of two pods";
}

// A controller beside an API server that serves the group.
class PublishedDevicesTest : public ClusterTest {
 protected:
  PublishedDevicesTest() {
    server().SetAnswer("/apis/resource.k8s.io",
                       {{"kind", "APIGroup"}, {"versions", {{{"version", "v1"}}}}});
    server().Create("/api/v1/nodes", NodeObject("one", 64, 0));
    server().Create(kClasses, GpuClass());
    server().Create(kSlices, Slice("one", {Device("a"), Device("b"), Device("c"), Device("d")}));
    server().Create(kTemplates, Template("pair", Exactly(2)));
    world_.Begin();
  }
  void CreateJob(const std::string& name, const std::string& claim_template) {
    Json object = JobObject(name);
    object["spec"]["template"]["spec"]["resourceClaims"] =
        Json::array({{{"name", "gpus"}, {"resourceClaimTemplateName", claim_template}}});
    server().Create(kJobs, object);
  }
  int Pool() {
    const core::Cluster cluster = executor().cluster();
    const auto pool = std::ranges::find(cluster.pools, "NVIDIA-H100", &core::DevicePool::model);
    return static_cast<int>(pool - cluster.pools.begin());
  }
  int H100s() { return executor().cluster().pools.at(static_cast<std::size_t>(Pool())).count; }
  bool HasFree(int count) {
    return world_.Until([&] { return H100s() == count; });
  }
};

TEST_F(PublishedDevicesTest, ClaimsOfATemplateCountAndWhatOthersHaveIsTakenAway) {
  EXPECT_EQ(H100s(), 4);
  CreateJob("train", "pair");
  const core::Job job = world_.Submitted();
  EXPECT_EQ(job.devices, 2);
  EXPECT_EQ(job.models, std::vector<std::string>{"NVIDIA-H100"});
  server().Create(kClaims, Allocated("theirs", "one", {"a"}, "somebody"));
  EXPECT_TRUE(HasFree(3));
  ASSERT_TRUE(executor().Execute(engine::StartJob{job.id, 1, Pool()}));
  EXPECT_TRUE(world_.Until([&] { return !world_.IsSuspended("train"); }));
  Json pod = server().CreatePod("train-1", "train");
  server().Patch("/api/v1/pods", "train-1",
                 {{"spec",
                   {{"resourceClaims",
                     Json::array({{{"name", "gpus"}, {"resourceClaimTemplateName", "pair"}}})}}}});
  server().Create(kClaims, Allocated("ours", "one", {"b", "c"}, pod["metadata"]["uid"]));
  world_.GoOnFor(Duration{200});
  EXPECT_TRUE(HasFree(3)) << "what the job holds is the engine's to count";
  server().Delete(kClaims, "theirs");
  EXPECT_TRUE(HasFree(4));
}

TEST_F(PublishedDevicesTest, AnObjectWaitsForItsTemplateAndSaysSo) {
  CreateJob("early", "later");
  const auto reason = [&] {
    return server().Get(kJobs, "early")["metadata"]["annotations"].value("ebb/reason", "");
  };
  EXPECT_TRUE(world_.Until(
      [&] { return reason() == "waiting: its ResourceClaimTemplate \"later\" is not known"; }));
  server().Create(kTemplates, Template("later", Exactly(3)));
  EXPECT_EQ(world_.Submitted().devices, 3);
}

TEST_F(PublishedDevicesTest, ASliceThatGoesTakesItsDevicesAway) {
  CreateJob("train", "pair");
  const core::JobId job = world_.Submitted().id;
  server().Delete(kSlices, "slice-one");
  EXPECT_TRUE(HasFree(0));
  world_.GoOnFor(Duration{100});
  EXPECT_FALSE(executor().reconciler().has_events()) << "it waits for them as before";
  const Status started = executor().Execute(engine::StartJob{job, 1, Pool()});
  ASSERT_FALSE(started);
  EXPECT_TRUE(started.error().what.starts_with("no node has the 2 GPUs"));
}

// Kubernetes 1.32 and 1.33 serve the group without v1.
TEST_F(ClusterTest, WhereTheVersionIsNotServedClaimsHoldNothingBack) {
  server().SetAnswer("/apis/resource.k8s.io",
                     {{"kind", "APIGroup"}, {"versions", {{{"version", "v1beta1"}}}}});
  world_.Begin();
  Json object = JobObject("train");
  object["spec"]["template"]["spec"]["resourceClaims"] =
      Json::array({{{"name", "gpus"}, {"resourceClaimTemplateName", "pair"}}});
  server().Create(kJobs, object);
  EXPECT_EQ(world_.Submitted().name, "default/train");
  EXPECT_TRUE(world_.said_.empty()) << world_.said_.front();
}

TEST_F(ClusterTest, WhereNoDevicesArePublishedNothingIsSaidAndNothingAskedAgain) {
  world_.GoOnFor(Duration{300});
  EXPECT_TRUE(world_.said_.empty()) << world_.said_.front();
}

}  // namespace
}  // namespace ebb::kubernetes
