#include "kubernetes/objects/object_width.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/jobs/widths.h"
#include "kubernetes/api/json_reading.h"
#include "kubernetes/objects/gated_object.h"
#include "kubernetes/objects/namespace_policy.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
using ::testing::Contains;
using ::testing::HasSubstr;

const GatedKind& KindOf(std::string_view name) {
  for (const GatedKind& kind : GatedKinds())
    if (kind.kind == name) return kind;
  std::abort();
}

GatedObject Read(std::string_view kind, const Json& json, const ObjectDefaults& defaults = {}) {
  return *ReadObject(KindOf(kind), *ParseJson(json.dump(), "test"), defaults);
}

Json Container(const Json& limits, const Json& requests) {
  return {{"name", "m"}, {"resources", {{"limits", limits}, {"requests", requests}}}};
}

Json Pods(const Json& container) { return {{"spec", {{"containers", Json::array({container})}}}}; }

Json Gpus(int gpus) { return {{"nvidia.com/gpu", std::to_string(gpus)}}; }

Json Object(const Json& spec, const char* speedup) {
  Json annotations{{"ebb/checkpointable", "true"}, {"ebb/wait", "true"}};
  if (*speedup) annotations["ebb/speedup"] = speedup;
  return {{"metadata",
           {{"name", "a"},
            {"namespace", "n"},
            {"uid", "u"},
            {"creationTimestamp", "2026-05-01T12:00:00Z"},
            {"annotations", annotations}}},
          {"spec", spec}};
}

Json IndexedJob(int pods, int gpus, const char* speedup) {
  return Object({{"suspend", true},
                 {"completionMode", "Indexed"},
                 {"parallelism", pods},
                 {"completions", pods},
                 {"template", Pods(Container(Gpus(gpus), {{"cpu", "4"}}))}},
                speedup);
}

Json OnePod(int gpus, const char* speedup) {
  Json requests = Gpus(gpus);
  requests["cpu"] = "4";
  return Object({{"suspend", true},
                 {"parallelism", 1},
                 {"completions", 1},
                 {"template", Pods(Container(Gpus(gpus), requests))}},
                speedup);
}

// A head without GPUs, and one group of workers.
Json RayJob(int replicas, int gpus, int hosts, const char* speedup) {
  const Json group{{"replicas", replicas},
                   {"minReplicas", replicas},
                   {"maxReplicas", replicas},
                   {"numOfHosts", hosts},
                   {"template", Pods(Container(Gpus(gpus), {{"cpu", "4"}}))}};
  return Object({{"suspend", true},
                 {"shutdownAfterJobFinishes", true},
                 {"rayClusterSpec",
                  {{"headGroupSpec", {{"template", Pods(Container({}, {{"cpu", "2"}}))}}},
                   {"workerGroupSpecs", Json::array({group})}}}},
                speedup);
}

// The object as the API server would have it after the patch.
Json Patched(const Json& object, const GatedObject& read, int devices) {
  return object.patch(
      Json::parse(WidthPatch(*read.kind, read.width, devices, {{"ebb/attempt", "1"}}, "")));
}

void ExpectSame(const PodRequests& one, const PodRequests& other) {
  EXPECT_EQ(one.pods, other.pods);
  EXPECT_EQ(one.gpus, other.gpus);
  EXPECT_EQ(one.cores, other.cores);
  ASSERT_EQ(one.shapes.size(), other.shapes.size());
  for (std::size_t i = 0; i < one.shapes.size(); ++i) {
    EXPECT_EQ(one.shapes[i].pods, other.shapes[i].pods);
    EXPECT_EQ(one.shapes[i].gpus, other.shapes[i].gpus);
  }
}

// From each width to each: the patched object asks for exactly the planned devices, the requests
// that were expected are those that it has, and its own width is known all along.
void ExpectFollows(std::string_view kind, const Json& object, int own,
                   const std::vector<int>& widths) {
  const GatedObject first = Read(kind, object);
  ASSERT_EQ(first.job.devices, own);
  ASSERT_EQ(first.job.speedup.size(), widths.size()) << first.keeps_width;
  for (const int from : widths) {
    const Json before = from == own ? object : Patched(object, first, from);
    const GatedObject read = Read(kind, before);
    EXPECT_EQ(read.width.now, from);
    EXPECT_EQ(read.job.devices, own);
    EXPECT_EQ(read.job.speedup, first.job.speedup);
    for (const int to : widths) {
      if (to == from) continue;
      SCOPED_TRACE(std::to_string(from) + " -> " + std::to_string(to));
      ASSERT_TRUE(read.width.CanBe(to));
      const Json after = Patched(before, read, to);
      const GatedObject now = Read(kind, after);
      EXPECT_EQ(now.width.now, to);
      EXPECT_EQ(now.job.devices, own);
      EXPECT_EQ(now.attempt, 1);
      EXPECT_FALSE(after["spec"]["suspend"].get<bool>());
      ExpectSame(RequestsAt(read.requests, read.width, to), now.requests);
    }
  }
}

TEST(ObjectWidth, AnIndexedJobChangesItsParallelismAndItsCompletions) {
  const Json job = IndexedJob(2, 2, "2=0.6,4=1,6=1.4,8=1.7");
  ExpectFollows("Job", job, 4, {2, 4, 6, 8});
  const Json wide = Patched(job, Read("Job", job), 8);
  EXPECT_EQ(wide["spec"]["parallelism"], 4);
  EXPECT_EQ(wide["spec"]["completions"], 4);
  EXPECT_EQ(wide["spec"]["template"], job["spec"]["template"]);
  EXPECT_EQ(wide["metadata"]["annotations"]["ebb/devices"], "8");
  EXPECT_EQ(wide["metadata"]["annotations"]["ebb/own-devices"], "4");
}

TEST(ObjectWidth, AnIndexedJobWithoutGpusCountsCores) {
  Json job = IndexedJob(1, 0, "4=1,8=1.9");
  job["spec"]["template"] = Pods(Container(Json::object(), {{"cpu", "4"}}));
  ExpectFollows("Job", job, 4, {4, 8});
}

TEST(ObjectWidth, AJobOfOnePodChangesItsGpusInLimitsAndRequests) {
  const Json job = OnePod(2, "1=0.6,2=1,4=1.7");
  ExpectFollows("Job", job, 2, {1, 2, 4});
  const Json wide = Patched(job, Read("Job", job), 4);
  const Json& resources = wide["spec"]["template"]["spec"]["containers"][0]["resources"];
  EXPECT_EQ(resources["limits"], Gpus(4));
  EXPECT_EQ(resources["requests"], (Json{{"cpu", "4"}, {"nvidia.com/gpu", "4"}}));
}

TEST(ObjectWidth, ARayJobChangesTheReplicasOfItsWorkers) {
  ExpectFollows("RayJob", RayJob(2, 1, 1, "1=0.6,2=1,4=1.8"), 2, {1, 2, 4});
  const Json hosts = RayJob(1, 2, 2, "4=1,8=1.8");
  ExpectFollows("RayJob", hosts, 4, {4, 8});
  const Json wide = Patched(hosts, Read("RayJob", hosts), 8);
  const Json& group = wide["spec"]["rayClusterSpec"]["workerGroupSpecs"][0];
  EXPECT_EQ(group["replicas"], 2);
  EXPECT_EQ(group["minReplicas"], 1) << "it is low enough";
  EXPECT_EQ(group["maxReplicas"], 2);
}

TEST(ObjectWidth, GpusOfTheHeadStay) {
  Json job = RayJob(2, 2, 1, "3=0.6,5=1,9=1.8");
  job["spec"]["rayClusterSpec"]["headGroupSpec"]["template"] =
      Pods(Container(Gpus(1), {{"cpu", "2"}}));
  ExpectFollows("RayJob", job, 5, {3, 5, 9});
}

// The template of the Pods tells programs their width if its author wants that.
TEST(ObjectWidth, TheTemplateSaysTheDevicesWhereItIsToSaySo) {
  Json job = IndexedJob(2, 1, "2=1,4=1.8");
  job["spec"]["template"]["metadata"]["annotations"]["ebb/devices"] = "2";
  EXPECT_EQ(Patched(job, Read("Job", job), 4)["spec"]["template"]["metadata"]["annotations"],
            (Json{{"ebb/devices", "4"}}));
  ObjectDefaults old;
  old.why_requests_stay = [] { return "it is old"; };
  const GatedObject there = Read("Job", job, old);
  EXPECT_EQ(there.job.speedup.size(), 2u) << "its number of Pods can be changed nevertheless";
  EXPECT_EQ(Patched(job, there, 4)["spec"]["template"], job["spec"]["template"]);
}

TEST(ObjectWidth, SomebodyElsesChangeIsTheOwnWidthFromThenOn) {
  const Json job = IndexedJob(2, 1, "1=0.6,4=1.8");
  Json wide = Patched(job, Read("Job", job), 4);
  EXPECT_EQ(Read("Job", wide).job.devices, 2);
  wide["spec"]["parallelism"] = wide["spec"]["completions"] = 3;
  const GatedObject changed = Read("Job", wide);
  EXPECT_EQ(changed.job.devices, 3);
  EXPECT_EQ(changed.width.own, 3);
}

TEST(ObjectWidth, AnObjectThatCannotChangeKeepsItsWidthAndSaysWhy) {
  const auto why = [](std::string_view kind, const Json& object,
                      const ObjectDefaults& defaults = {}) {
    const GatedObject read = Read(kind, object, defaults);
    EXPECT_TRUE(read.job.speedup.empty());
    EXPECT_THAT(read.problems, Contains(HasSubstr("ebb/speedup: ")));
    return read.keeps_width;
  };
  ObjectDefaults old;
  old.why_requests_stay = [] { return "it is old"; };
  EXPECT_EQ(why("Job", OnePod(1, "2=1.9"), old), "it keeps its 1 device: it is old");
  Json job = IndexedJob(2, 1, "4=1.9");
  job["spec"]["completions"] = 8;
  EXPECT_THAT(why("Job", job), HasSubstr("completions are not the same number"));
  job["spec"].erase("completionMode");
  EXPECT_THAT(why("Job", job), HasSubstr("its Pods have no index"));
  Json ray = RayJob(2, 1, 1, "4=1.9");
  ray["spec"]["rayClusterSpec"]["enableInTreeAutoscaling"] = true;
  EXPECT_THAT(why("RayJob", ray), HasSubstr("autoscaler"));
  ray = RayJob(2, 1, 1, "8=1.9");
  Json& groups = ray["spec"]["rayClusterSpec"]["workerGroupSpecs"];
  groups.push_back(groups[0]);
  EXPECT_THAT(why("RayJob", ray), HasSubstr("several of its groups"));
  const Json set = Object(
      {{"suspend", true},
       {"replicatedJobs", Json::array({{{"replicas", 2}, {"template", IndexedJob(1, 1, "")}}})}},
      "4=1.9");
  EXPECT_THAT(why("JobSet", set), HasSubstr("only of Indexed Jobs"));
}

TEST(ObjectWidth, WidthsThatItsPodsCannotHaveAreLeftOut) {
  const GatedObject read = Read("Job", IndexedJob(2, 2, "3=0.9,8=1.9"));
  EXPECT_EQ(core::Describe(read.job.speedup), std::vector<std::string>{"8=1.9"});
  EXPECT_THAT(read.problems, Contains(HasSubstr("cannot have 3 devices")));
  const GatedObject wrong = Read("Job", IndexedJob(2, 2, "8=0.5"));
  EXPECT_TRUE(wrong.job.speedup.empty());
  EXPECT_THAT(wrong.problems, Contains(HasSubstr("not faster")));
  Json rigid = IndexedJob(2, 2, "8=1.9");
  rigid["metadata"]["annotations"].erase("ebb/checkpointable");
  EXPECT_THAT(Read("Job", rigid).problems, Contains(HasSubstr("without a checkpoint")));
}

TEST(ObjectWidth, ThePolicyOfItsNamespaceLimitsIt) {
  NamespacePolicy policy;
  policy.limits.gpus = 4;
  ObjectDefaults defaults;
  defaults.policy_of = [&](const std::string&) { return &policy; };
  const Json job = IndexedJob(2, 1, "4=1.8,8=3");
  const GatedObject read = Read("Job", job, defaults);
  EXPECT_EQ(core::Describe(read.job.speedup), std::vector<std::string>{"4=1.8"});
  EXPECT_TRUE(read.lacks.empty());
  policy.limits.gpus = 2;
  EXPECT_TRUE(Read("Job", Patched(job, read, 4), defaults).lacks.empty())
      << "by itself it asks for two";
}

}  // namespace
}  // namespace ebb::kubernetes
