#include "kubernetes/admission/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/base64.h"
#include "base/random.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

constexpr const char* kUid = "705ab4f5-6393-11e8-b7cc-42010a800002";

// The review that an API server sends for a new object, with the fields that it adds.
Json ReviewOf(const std::string& kind, const std::string& api_version, Json object) {
  const auto slash = api_version.find('/');
  const std::string group = slash == std::string::npos ? "" : api_version.substr(0, slash);
  const std::string version =
      slash == std::string::npos ? api_version : api_version.substr(slash + 1);
  object["apiVersion"] = api_version;
  object["kind"] = kind;
  const Json which{{"group", group}, {"version", version}, {"kind", kind}};
  return {{"apiVersion", "admission.k8s.io/v1"},
          {"kind", "AdmissionReview"},
          {"request",
           {{"uid", kUid},
            {"kind", which},
            {"requestKind", which},
            {"name", "a"},
            {"namespace", "n"},
            {"operation", "CREATE"},
            {"userInfo", {{"username", "jane"}, {"groups", Json::array({"system:authenticated"})}}},
            {"object", std::move(object)},
            {"oldObject", nullptr},
            {"dryRun", false},
            {"options", {{"kind", "CreateOptions"}, {"apiVersion", "meta.k8s.io/v1"}}}}}};
}

Json Response(const Json& review, bool in_chosen_namespace = false) {
  const AdmissionAnswer answer = Review(review.dump(), in_chosen_namespace, {});
  EXPECT_EQ(answer.status, 200);
  const Json body = Json::parse(answer.body);
  EXPECT_EQ(body["apiVersion"], "admission.k8s.io/v1");
  EXPECT_EQ(body["kind"], "AdmissionReview");
  EXPECT_EQ(body["response"]["uid"], kUid);
  EXPECT_EQ(body["response"]["allowed"], true);
  EXPECT_EQ(body["response"].contains("patch"), body["response"].contains("patchType"));
  return body["response"];
}

// Applies the patch of the answer to the object, as the API server does.
Json Admitted(const Json& review, bool in_chosen_namespace = false) {
  const Json response = Response(review, in_chosen_namespace);
  const Json& object = review["request"]["object"];
  if (!response.contains("patch")) return object;
  EXPECT_EQ(response["patchType"], "JSONPatch");
  return object.patch(Json::parse(*FromBase64(response["patch"].get<std::string>())));
}

Json Template(const char* scheduler = nullptr) {
  Json spec{{"containers", Json::array({{{"name", "main"}, {"image", "none"}}})}};
  if (scheduler) spec["schedulerName"] = scheduler;
  return {{"metadata", {{"labels", {{"app", "x"}}}}}, {"spec", spec}};
}

Json ThatWaits(Json spec) {
  return {{"metadata", {{"name", "a"}, {"namespace", "n"}, {"labels", {{"ebb/wait", "true"}}}}},
          {"spec", std::move(spec)}};
}

// An object of each kind as people write it, with the places of its suspend field and of a pod
// template.
struct Sample {
  std::string kind, version;
  Json spec;
  std::string suspend, pod_template;
};

std::vector<Sample> Samples() {
  const Json pods = Template(kGardenerScheduler);
  const Json cluster{{"headGroupSpec", {{"rayStartParams", Json::object()}, {"template", pods}}},
                     {"workerGroupSpecs",
                      Json::array({{{"groupName", "gpus"}, {"replicas", 1}, {"template", pods}}})}};
  std::vector<Sample> samples{
      {"Job", "batch/v1", {{"template", pods}}, "/spec/suspend", "/spec/template"},
      {"RayJob",
       "ray.io/v1",
       {{"entrypoint", "python a.py"},
        {"shutdownAfterJobFinishes", true},
        {"rayClusterSpec", cluster},
        {"submitterPodTemplate", pods}},
       "/spec/suspend",
       "/spec/rayClusterSpec/workerGroupSpecs/0/template"},
      {"RayCluster", "ray.io/v1", cluster, "/spec/suspend", "/spec/headGroupSpec/template"},
      {"JobSet",
       "jobset.x-k8s.io/v1alpha2",
       {{"replicatedJobs",
         Json::array({{{"name", "w"}, {"template", {{"spec", {{"template", pods}}}}}}})}},
       "/spec/suspend",
       "/spec/replicatedJobs/0/template/spec/template"},
      {"TrainJob",
       "trainer.kubeflow.org/v1alpha1",
       {{"runtimeRef", {{"name", "torch"}}}, {"trainer", {{"numNodes", 2}}}, {"x", pods}},
       "/spec/suspend",
       "/spec/x"}};
  for (const auto& [kind, replicas] : {std::pair{"PyTorchJob", "pytorchReplicaSpecs"},
                                       {"TFJob", "tfReplicaSpecs"},
                                       {"MPIJob", "mpiReplicaSpecs"},
                                       {"XGBoostJob", "xgbReplicaSpecs"},
                                       {"PaddleJob", "paddleReplicaSpecs"},
                                       {"JAXJob", "jaxReplicaSpecs"}})
    samples.push_back({kind,
                       "kubeflow.org/v1",
                       {{replicas, {{"Worker", {{"replicas", 2}, {"template", pods}}}}}},
                       "/spec/runPolicy/suspend",
                       std::string("/spec/") + replicas + "/Worker/template"});
  return samples;
}

TEST(Admission, WhoeverMistypesAKeyIsToldThoughTheObjectIsNotToWait) {
  Json job = ThatWaits({{"template", Template()}});
  job["metadata"]["annotations"] = {{"ebb/durations", "2h"}};
  EXPECT_EQ(Response(ReviewOf("Job", "batch/v1", job))["warnings"],
            Json::array({"Ebb: ebb/durations: Ebb knows no such annotation (did you mean "
                         "\"ebb/duration\"?)"}));
  job["metadata"]["labels"] = {{"ebb/wiat", "true"}};
  const Json response = Response(ReviewOf("Job", "batch/v1", job));
  EXPECT_FALSE(response.contains("patch"));
  EXPECT_EQ(response["warnings"].size(), 2U);
  job["metadata"]["annotations"] = {{"ebb/wait", "false"}};
  EXPECT_FALSE(Response(ReviewOf("Job", "batch/v1", job)).contains("warnings"));
}

TEST(Admission, ThereIsASampleOfEachKind) {
  ASSERT_EQ(Samples().size(), GatedKinds().size());
  for (const GatedKind& kind : GatedKinds())
    EXPECT_TRUE(std::ranges::any_of(Samples(), [&](const Sample& sample) {
      return sample.kind == kind.kind && sample.version == kind.ApiVersion() &&
             sample.suspend == kind.suspend;
    })) << kind.kind;
}

TEST(Admission, EachKindIsCreatedSuspended) {
  for (const Sample& sample : Samples()) {
    const Json before = ThatWaits(sample.spec);
    const Json review = ReviewOf(sample.kind, sample.version, before);
    Json expected = review["request"]["object"];
    expected[Json::json_pointer(sample.suspend)] = true;
    // All templates, wherever they are.
    std::string text = expected.dump();
    for (auto at = text.find(kGardenerScheduler); at != std::string::npos;
         at = text.find(kGardenerScheduler))
      text.replace(at, std::string(kGardenerScheduler).size(), "default-scheduler");
    EXPECT_EQ(Admitted(review), Json::parse(text)) << sample.kind;
    EXPECT_EQ(Admitted(review)[Json::json_pointer(sample.pod_template + "/spec/schedulerName")],
              "default-scheduler");
  }
}

TEST(Admission, AnExplicitFalseIsOverruledAndTrueStays) {
  Json job = ThatWaits({{"suspend", false}, {"template", Template()}});
  EXPECT_EQ(Admitted(ReviewOf("Job", "batch/v1", job))["spec"]["suspend"], true);
  job["spec"]["suspend"] = true;
  EXPECT_FALSE(Response(ReviewOf("Job", "batch/v1", job)).contains("patch"));
}

TEST(Admission, WhatIsMissingOnTheWayIsMade) {
  EXPECT_EQ(Admitted(ReviewOf("Job", "batch/v1",
                              {{"metadata", {{"annotations", {{"ebb/wait", "true"}}}}}}))["spec"],
            Json({{"suspend", true}}));
  Json torch = ThatWaits({{"runPolicy", nullptr}});
  EXPECT_EQ(Admitted(ReviewOf("PyTorchJob", "kubeflow.org/v1", torch))["spec"]["runPolicy"],
            Json({{"suspend", true}}));
  torch["spec"]["runPolicy"] = {{"cleanPodPolicy", "None"}};
  EXPECT_EQ(Admitted(ReviewOf("PyTorchJob", "kubeflow.org/v1", torch))["spec"]["runPolicy"],
            Json({{"cleanPodPolicy", "None"}, {"suspend", true}}));
}

TEST(Admission, NamesWithSlashesAndTildesAreEscaped) {
  const Json spec{{"tfReplicaSpecs", {{"a/b~c~1", {{"template", Template(kGardenerScheduler)}}}}},
                  {"runPolicy", {{"suspend", true}}}};
  const Json admitted = Admitted(ReviewOf("TFJob", "kubeflow.org/v1", ThatWaits(spec)));
  EXPECT_EQ(admitted["spec"]["tfReplicaSpecs"]["a/b~c~1"]["template"]["spec"]["schedulerName"],
            "default-scheduler");
}

TEST(Admission, WhoAsksToWait) {
  const auto suspended = [](Json metadata, bool in_chosen_namespace, Json pods = Template()) {
    const Json job{{"metadata", std::move(metadata)}, {"spec", {{"template", std::move(pods)}}}};
    return Admitted(ReviewOf("Job", "batch/v1", job), in_chosen_namespace)["spec"].contains(
        "suspend");
  };
  const std::string theirs(kGardenerPrefix);
  EXPECT_FALSE(suspended({{"name", "a"}}, false));
  EXPECT_TRUE(suspended({{"name", "a"}}, true));
  EXPECT_TRUE(suspended({{"generateName", "a-"}}, true));
  EXPECT_TRUE(suspended({{"labels", {{"ebb/wait", "true"}}}}, false));
  EXPECT_TRUE(suspended({{"annotations", {{"ebb/wait", "true"}}}}, false));
  EXPECT_TRUE(suspended({{"annotations", {{theirs + "max-scheduling-delay", "24h"}}}}, false));
  Json pods = Template();
  pods["metadata"]["annotations"] = {{theirs + "carbon-intensity-threshold", "200"}};
  EXPECT_TRUE(suspended({{"name", "a"}}, false, pods)) << "on the template";
  EXPECT_FALSE(suspended({{"labels", {{"ebb/wait", "false"}}}}, true));
  EXPECT_FALSE(suspended({{"annotations", {{theirs + "skip", "true"}}}}, true));
  EXPECT_FALSE(suspended({{"annotations", {{theirs + "carbon-enabled", "false"}}}}, true));
  EXPECT_FALSE(suspended({{"labels", {{"kueue.x-k8s.io/queue-name", "q"}}}}, true));
  EXPECT_FALSE(suspended(
      {{"ownerReferences", Json::array({{{"kind", "JobSet"}, {"name", "s"}, {"uid", "u"}}})}},
      true));
  EXPECT_TRUE(suspended(
      {{"ownerReferences", Json::array({{{"kind", "CronJob"}, {"name", "c"}, {"uid", "u"}}})}},
      true));
}

TEST(Admission, ARayJobThatKubeRayDoesNotSuspendIsNotSuspendedAndItsOwnerIsTold) {
  const Json good = Samples()[1].spec;
  const auto response = [&](const char* key, const Json& value, bool in_chosen_namespace) {
    Json ray = ThatWaits(good);
    if (in_chosen_namespace) ray["metadata"].erase("labels");
    ray["spec"][key] = value;
    const Json review = ReviewOf("RayJob", "ray.io/v1", ray);
    EXPECT_FALSE(Admitted(review, in_chosen_namespace)["spec"].contains("suspend")) << key;
    return Response(review, in_chosen_namespace).value("warnings", Json::array()).dump();
  };
  for (const bool in_chosen_namespace : {false, true}) {
    EXPECT_THAT(response("shutdownAfterJobFinishes", false, in_chosen_namespace),
                HasSubstr("only with shutdownAfterJobFinishes: true"));
    EXPECT_THAT(response("shutdownAfterJobFinishes", nullptr, in_chosen_namespace),
                HasSubstr("only with shutdownAfterJobFinishes: true"));
    EXPECT_THAT(response("clusterSelector", {{"ray.io/cluster", "a"}}, in_chosen_namespace),
                HasSubstr("clusterSelector"));
  }
  Json ray = ThatWaits(good);
  ray["metadata"].erase("labels");
  ray["spec"]["shutdownAfterJobFinishes"] = false;
  EXPECT_FALSE(Response(ReviewOf("RayJob", "ray.io/v1", ray)).contains("warnings"))
      << "nobody asked it to wait";
  ray = ThatWaits(good);
  ray["spec"]["shutdownAfterJobFinishes"] = false;
  ray["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] = "q";
  EXPECT_FALSE(Response(ReviewOf("RayJob", "ray.io/v1", ray), true).contains("warnings"))
      << "Kueue suspends it";
}

TEST(Admission, OnlyCreationsOfWholeObjectsAreChanged) {
  const Json job = ThatWaits({{"template", Template(kGardenerScheduler)}});
  for (const char* operation : {"UPDATE", "DELETE", "CONNECT", ""}) {
    Json review = ReviewOf("Job", "batch/v1", job);
    review["request"]["operation"] = operation;
    EXPECT_FALSE(Response(review, true).contains("patch")) << operation;
  }
  Json review = ReviewOf("Job", "batch/v1", job);
  review["request"]["subResource"] = "status";
  EXPECT_FALSE(Response(review, true).contains("patch"));
  EXPECT_FALSE(Response(ReviewOf("Deployment", "apps/v1", job), true).contains("patch"));
  EXPECT_FALSE(Response(ReviewOf("Job", "batch.volcano.sh/v1", job), true).contains("patch"));
}

TEST(Admission, ADryRunIsAnsweredAsTheRealRequest) {
  Json review = ReviewOf("Job", "batch/v1", ThatWaits({{"template", Template()}}));
  const Json real = Response(review);
  review["request"]["dryRun"] = true;
  EXPECT_EQ(Response(review), real);
}

TEST(Admission, AControllerThatOnlyWritesChangesNothing) {
  const Json review = ReviewOf("Job", "batch/v1", ThatWaits({{"template", Template()}}));
  const Json body = Json::parse(Review(review.dump(), true, {.dry_run = true}).body);
  EXPECT_EQ(body["response"], Json({{"uid", kUid}, {"allowed", true}}));
}

TEST(Admission, PodsWithTheLabelAreGated) {
  const auto gates = [](const Json& pod, bool in_chosen_namespace = false) {
    return Admitted(ReviewOf("Pod", "v1", pod), in_chosen_namespace)["spec"].value(
        "schedulingGates", Json::array());
  };
  const Json ours{{"name", kPodGate}};
  const Json spec = Template()["spec"];
  Json pod = ThatWaits(spec);
  EXPECT_EQ(gates(pod), Json::array({ours}));
  pod["spec"]["schedulingGates"] = nullptr;
  EXPECT_EQ(gates(pod), Json::array({ours}));
  pod["spec"]["schedulingGates"] = Json::array({{{"name", "b/c"}}});
  EXPECT_EQ(gates(pod), Json::array({{{"name", "b/c"}}, ours}));
  pod["spec"]["schedulingGates"] = Json::array({ours});
  EXPECT_EQ(gates(pod), Json::array({ours})) << "once";

  pod = ThatWaits(spec);
  pod["metadata"]["labels"] = {{"app", "x"}};
  EXPECT_EQ(gates(pod, true), Json::array()) << "not by the namespace's label";
  pod["metadata"]["annotations"] = {{"ebb/wait", "true"}};
  EXPECT_EQ(gates(pod), Json::array()) << "nor by an annotation";
  pod = ThatWaits(spec);
  pod["metadata"]["ownerReferences"] = Json::array({{{"kind", "Job"}, {"name", "j"}}});
  EXPECT_EQ(gates(pod), Json::array()) << "its Job waits";
  pod["metadata"]["ownerReferences"][0]["kind"] = "ReplicaSet";
  EXPECT_EQ(gates(pod), Json::array({ours}));
}

TEST(Admission, APodThatNamesItsNodeIsNotGatedAndItsOwnerIsTold) {
  Json pod = ThatWaits(Template()["spec"]);
  pod["spec"]["nodeName"] = "n1";
  const Json response = Response(ReviewOf("Pod", "v1", pod));
  EXPECT_FALSE(response.contains("patch"));
  EXPECT_THAT(response["warnings"][0].get<std::string>(), HasSubstr("names its node"));
}

TEST(Admission, PodsOfComputeGardenersSchedulerGetTheClusters) {
  Json pod{{"metadata", {{"name", "a"}}}, {"spec", Template(kGardenerScheduler)["spec"]}};
  EXPECT_EQ(Admitted(ReviewOf("Pod", "v1", pod))["spec"]["schedulerName"], "default-scheduler");
  pod["spec"]["schedulerName"] = "another";
  EXPECT_EQ(Admitted(ReviewOf("Pod", "v1", pod))["spec"]["schedulerName"], "another");
  pod["spec"]["schedulerName"] = kGardenerScheduler;
  pod["metadata"]["labels"] = {{"ebb/wait", "false"}};
  EXPECT_FALSE(Response(ReviewOf("Pod", "v1", pod)).contains("patch"));
}

TEST(Admission, WhatCannotBeMadeOutIsToldAndHoldsNothingUp) {
  Json job = ThatWaits({{"template", Template()}});
  job["metadata"]["annotations"] = {{"ebb/threshold", "low"}, {"ebb/start-by", "soon"}};
  const Json response = Response(ReviewOf("Job", "batch/v1", job));
  EXPECT_TRUE(response.contains("patch"));
  EXPECT_THAT(response["warnings"].dump(), HasSubstr("ebb/threshold"));
  EXPECT_THAT(response["warnings"].dump(), HasSubstr("ebb/start-by"));
  job["metadata"]["annotations"] = {{"ebb/threshold", std::string(1000, 'x')}};
  const Json warnings = Response(ReviewOf("Job", "batch/v1", job))["warnings"];
  EXPECT_FALSE(warnings.empty());
  for (const Json& warning : warnings) EXPECT_LE(warning.get<std::string>().size(), 256U);
}

TEST(Admission, AnObjectThatCannotBeReadIsAllowedWithAWarning) {
  for (const Json& object : {Json(), Json("text"), Json(7), Json::array(), ThatWaits("text"),
                             ThatWaits(Json::array({1}))}) {
    Json review = ReviewOf("Job", "batch/v1", Json::object());
    review["request"]["object"] = object;
    const Json response = Response(review, true);
    EXPECT_FALSE(response.contains("patch")) << object;
    EXPECT_EQ(response["warnings"].size(), 1U) << object;
  }
  const Json torch = ThatWaits({{"runPolicy", "text"}});
  const Json response = Response(ReviewOf("PyTorchJob", "kubeflow.org/v1", torch));
  EXPECT_FALSE(response.contains("patch"));
  EXPECT_THAT(response["warnings"][0].get<std::string>(), HasSubstr("cannot be suspended"));
}

TEST(Admission, WhatIsNoAdmissionReviewIsRefused) {
  const auto status = [](const std::string& body) { return Review(body, false, {}).status; };
  const Json good = ReviewOf("Job", "batch/v1", ThatWaits(Json::object()));
  EXPECT_EQ(status(good.dump()), 200);
  EXPECT_EQ(status(""), 400);
  EXPECT_EQ(status("not json"), 400);
  EXPECT_EQ(status("[]"), 400);
  EXPECT_EQ(status(good.dump().substr(0, 100)), 400);
  EXPECT_EQ(status(std::string(100'000, '[')), 400);
  for (const char* path : {"/kind", "/apiVersion", "/request", "/request/uid"}) {
    Json bad = good;
    bad[Json::json_pointer(path)] = 7;
    EXPECT_EQ(status(bad.dump()), 400) << path;
  }
  EXPECT_THAT(Json::parse(Review("x", false, {}).body)["error"]["what"].get<std::string>(),
              HasSubstr("AdmissionReview"));
}

// Replaces, removes and copies values anywhere.
void Damage(Json& json, Random& random) {
  Json* at = &json;
  while (at->is_structured() && !at->empty() && random.Below(6) != 0) {
    auto next = at->begin();
    std::advance(next, static_cast<std::ptrdiff_t>(random.Below(at->size())));
    at = &*next;
  }
  const std::vector<Json> values{nullptr,
                                 true,
                                 -1,
                                 1e300,
                                 "",
                                 "true",
                                 "\xff",
                                 "~1/~",
                                 Json::array(),
                                 Json::object(),
                                 Json::array({nullptr, Json::object({{"name", 3}})}),
                                 std::string(5000, 'a')};
  *at = values[random.Below(values.size())];
}

// Expects 200 with a patch that can be applied, or 400.
void ExpectSound(const std::string& body, bool in_chosen_namespace) {
  const AdmissionAnswer answer = Review(body, in_chosen_namespace, {});
  const Json parsed = Json::parse(answer.body);
  if (answer.status != 200) {
    EXPECT_EQ(answer.status, 400);
    return;
  }
  const Json& response = parsed["response"];
  EXPECT_EQ(response["allowed"], true);
  if (!response.contains("patch")) return;
  const Json patch = Json::parse(*FromBase64(response["patch"].get<std::string>()));
  EXPECT_NO_THROW(Json::parse(body)["request"]["object"].patch(patch)) << body;
}

TEST(Admission, DamagedRequestsAreAnsweredSoundly) {
  Random random(20261124);
  const auto samples = Samples();
  for (int i = 0; i < 20'000; ++i) {
    const Sample& sample = samples[random.Below(samples.size())];
    Json review = ReviewOf(sample.kind, sample.version, ThatWaits(sample.spec));
    if (random.Below(4) == 0)
      review = ReviewOf("Pod", "v1", ThatWaits(Template(kGardenerScheduler)["spec"]));
    for (auto left = random.Below(4); left > 0; --left) Damage(review["request"]["object"], random);
    for (auto left = random.Below(2); left > 0; --left) Damage(review, random);
    ExpectSound(review.dump(-1, ' ', false, Json::error_handler_t::replace), random.Below(2) == 0);
  }
}

TEST(Admission, RandomBytesAreAnsweredSoundly) {
  Random random(7);
  const std::string good = ReviewOf("RayJob", "ray.io/v1", ThatWaits(Samples()[1].spec)).dump();
  for (int i = 0; i < 5'000; ++i) {
    std::string body = random.Below(2) ? good : std::string(random.Below(300), ' ');
    for (auto left = random.Below(8) + 1; left > 0 && !body.empty(); --left)
      body[random.Below(body.size())] = static_cast<char>(random.Next() & 0xff);
    ExpectSound(body, true);
  }
}

}  // namespace
}  // namespace ebb::kubernetes
