#include "kubernetes/objects/gated_kind.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

// Pods that are being ended count, because they hold their devices until they are gone.
bool JobRuns(const JsonNode& job) {
  return NumberAt(job, "/status/active").value_or(0) > 0 ||
         NumberAt(job, "/status/terminating").value_or(0) > 0;
}

bool RayJobRuns(const JsonNode& job) {
  const std::string status = TextAt(job, "/status/jobDeploymentStatus");
  return !status.empty() && status != "Suspended" && status != "New";
}

std::optional<ObjectPhase> RayJobEnd(const JsonNode& job) {
  const std::string deployment = TextAt(job, "/status/jobDeploymentStatus");
  const std::string status = TextAt(job, "/status/jobStatus");
  if (deployment == "Failed" || status == "FAILED" || status == "STOPPED")
    return ObjectPhase::kFailed;
  if (deployment == "Complete" || status == "SUCCEEDED") return ObjectPhase::kSucceeded;
  return std::nullopt;
}

bool RayClusterRuns(const JsonNode& cluster) {
  const std::string state = TextAt(cluster, "/status/state");
  return !state.empty() && state != "suspended";
}

// A cluster serves until somebody deletes it, so it has no end of its own.
std::optional<ObjectPhase> Never(const JsonNode&) { return std::nullopt; }

// Counts the active entries of a list, or members of an object.
std::int64_t ActiveIn(const JsonNode& object, std::string_view pointer) {
  std::int64_t sum = 0;
  if (const JsonNode* found = object.At(pointer)) {
    for (const JsonNode& entry : found->items) sum += NumberAt(entry, "/active").value_or(0);
    for (const JsonMember& member : found->members)
      sum += NumberAt(member.value, "/active").value_or(0);
  }
  return sum;
}

bool JobSetRuns(const JsonNode& set) { return ActiveIn(set, "/status/replicatedJobsStatus") > 0; }

bool TrainJobRuns(const JsonNode& job) { return ActiveIn(job, "/status/jobsStatus") > 0; }

bool KubeflowRuns(const JsonNode& job) { return ActiveIn(job, "/status/replicaStatuses") > 0; }

constexpr std::string_view kJobSetLabel = "jobset.sigs.k8s.io/jobset-name";
constexpr std::string_view kRayLabel = "ray.io/cluster";

GatedKind Kubeflow(std::string_view kind, std::string_view plural) {
  return {kind,          "kubeflow.org", "v1",          plural,  "/spec/runPolicy/suspend",
          {"Succeeded"}, {"Failed"},     &KubeflowRuns, nullptr, "training.kubeflow.org/job-name"};
}

std::vector<GatedKind> MakeKinds() {
  return {
      {"Job",
       "batch",
       "v1",
       "jobs",
       "/spec/suspend",
       {"Complete"},
       {"Failed"},
       &JobRuns,
       nullptr,
       "batch.kubernetes.io/job-name"},
      {"RayJob",
       "ray.io",
       "v1",
       "rayjobs",
       "/spec/suspend",
       {},
       {},
       &RayJobRuns,
       &RayJobEnd,
       kRayLabel,
       "/status/rayClusterName"},
      {"RayCluster",
       "ray.io",
       "v1",
       "rayclusters",
       "/spec/suspend",
       {},
       {},
       &RayClusterRuns,
       &Never,
       kRayLabel},
      {"JobSet",
       "jobset.x-k8s.io",
       "v1alpha2",
       "jobsets",
       "/spec/suspend",
       {"Completed"},
       {"Failed"},
       &JobSetRuns,
       nullptr,
       kJobSetLabel},
      {"TrainJob",
       "trainer.kubeflow.org",
       "v1alpha1",
       "trainjobs",
       "/spec/suspend",
       {"Complete"},
       {"Failed"},
       &TrainJobRuns,
       nullptr,
       kJobSetLabel},
      Kubeflow("PyTorchJob", "pytorchjobs"),
      Kubeflow("TFJob", "tfjobs"),
      Kubeflow("MPIJob", "mpijobs"),
      Kubeflow("XGBoostJob", "xgboostjobs"),
      Kubeflow("PaddleJob", "paddlejobs"),
      Kubeflow("JAXJob", "jaxjobs"),
  };
}

// A kind without a group belongs to the core API.
std::string RootOf(const GatedKind& kind) {
  return (kind.group.empty() ? "/api/" : "/apis/") + kind.ApiVersion();
}

}  // namespace

std::string GatedKind::ApiVersion() const {
  return (group.empty() ? "" : std::string(group) + "/") + std::string(version);
}

std::string GatedKind::ListPath() const { return RootOf(*this) + "/" + std::string(plural); }

std::string GatedKind::ObjectPath(const std::string& name_space, const std::string& name) const {
  return RootOf(*this) + "/namespaces/" + name_space + "/" + std::string(plural) + "/" + name;
}

std::string GatedKind::SelectPath(const std::string& name_space, const std::string& name) const {
  return RootOf(*this) + "/namespaces/" + name_space + "/" + std::string(plural) +
         "?fieldSelector=metadata.name=" + name;
}

std::span<const GatedKind> GatedKinds() {
  static const std::vector<GatedKind> kinds = MakeKinds();
  return kinds;
}

const GatedKind& PodGangKind() {
  static const GatedKind kind{"Pod", "", "v1", "pods", "", {}, {}, nullptr, nullptr, ""};
  return kind;
}

// KubeRay's rules (ValidateRayJobSpec).
std::string WhyNotSuspendable(const GatedKind& kind, const JsonNode& object) {
  if (kind.kind != "RayJob") return "";
  if (!IsTrueAt(object, "/spec/shutdownAfterJobFinishes"))
    return "KubeRay suspends a RayJob only with shutdownAfterJobFinishes: true, so it does not "
           "wait";
  const JsonNode* selector = object.At("/spec/clusterSelector");
  if (selector && !selector->members.empty())
    return "KubeRay does not suspend a RayJob with a clusterSelector, so it does not wait";
  return "";
}

ObjectPhase PhaseOf(const GatedKind& kind, const JsonNode& object) {
  const auto holds = [&](std::string_view type) { return HasCondition(object, type); };
  if (std::ranges::any_of(kind.failed, holds)) return ObjectPhase::kFailed;
  if (std::ranges::any_of(kind.succeeded, holds)) return ObjectPhase::kSucceeded;
  const auto told = kind.phase ? kind.phase(object) : std::nullopt;
  if (told) return *told;
  if (!IsTrueAt(object, kind.suspend)) return ObjectPhase::kReleased;
  return kind.runs(object) ? ObjectPhase::kStopping : ObjectPhase::kSuspended;
}

std::string MergePatch(const GatedKind& kind, std::optional<bool> suspend,
                       const std::map<std::string, std::string>& annotations,
                       const std::string& version) {
  using Json = nlohmann::json;
  Json patch = Json::object();
  if (!version.empty()) patch["metadata"]["resourceVersion"] = version;
  if (suspend) patch[Json::json_pointer(std::string(kind.suspend))] = *suspend;
  for (const auto& [key, text] : annotations)
    patch["metadata"]["annotations"][key] = text.empty() ? Json() : Json(text);
  return patch.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ebb::kubernetes
