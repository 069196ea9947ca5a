#include "kubernetes/admission/kueue_workload.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;

// The reason, on a Workload that Ebb has made inactive.
constexpr const char* kHeldKey = "ebb/held";

const JsonNode* ConditionOf(const JsonNode& object, std::string_view type) {
  const JsonNode* conditions = object.At("/status/conditions");
  if (!conditions) return nullptr;
  const auto found = std::ranges::find_if(conditions->items, [&](const JsonNode& condition) {
    return condition.TextOf("type") == type && condition.TextOf("status") == "True";
  });
  return found == conditions->items.end() ? nullptr : &*found;
}

// An evicted Workload keeps its quota and is marked as admitted until its pods have ended.
std::optional<ObjectPhase> WorkloadPhase(const JsonNode& workload) {
  if (const JsonNode* finished = ConditionOf(workload, "Finished")) {
    const std::string reason = finished->TextOf("reason");
    const bool succeeded = reason == "Succeeded" || reason == "JobFinished";
    return succeeded ? ObjectPhase::kSucceeded : ObjectPhase::kFailed;
  }
  if (!HasCondition(workload, "Admitted")) return ObjectPhase::kSuspended;
  return HasCondition(workload, "Evicted") ? ObjectPhase::kStopping : ObjectPhase::kReleased;
}

GatedKind KindOfVersion(std::string_view version) {
  GatedKind kind{};
  kind.kind = "Workload";
  kind.group = "kueue.x-k8s.io";
  kind.version = version;
  kind.plural = "workloads";
  kind.phase = &WorkloadPhase;
  return kind;
}

const JsonNode* OwnerOf(const JsonNode& json) {
  const JsonNode* owners = json.At("/metadata/ownerReferences");
  if (!owners) return nullptr;
  const auto found = std::ranges::find_if(owners->items, [](const JsonNode& owner) {
    return std::ranges::any_of(GatedKinds(), [&](const GatedKind& kind) {
      return owner.TextOf("kind") == kind.kind &&
             owner.TextOf("apiVersion").starts_with(std::string(kind.group) + "/");
    });
  });
  return found == owners->items.end() ? nullptr : &*found;
}

}  // namespace

const GatedKind* WorkloadKind(std::string_view version) {
  static const std::array kinds{KindOfVersion("v1beta2"), KindOfVersion("v1beta1")};
  const auto found = std::ranges::find(kinds, version, &GatedKind::version);
  return found == kinds.end() ? nullptr : &*found;
}

Workload ReadWorkload(const JsonNode& json) {
  Workload workload;
  workload.name = TextAt(json, "/metadata/name");
  workload.name_space = TextAt(json, "/metadata/namespace");
  workload.uid = TextAt(json, "/metadata/uid");
  workload.version = TextAt(json, "/metadata/resourceVersion");
  if (const JsonNode* owner = OwnerOf(json)) workload.owner = owner->TextOf("uid");
  workload.queue = workload.name_space + "/" + TextAt(json, "/spec/queueName");
  if (HasCondition(json, "QuotaReserved"))
    workload.cluster_queue = TextAt(json, "/status/admission/clusterQueue");
  workload.gated = HasAdmissionGate(TextsAt(json, "/metadata/annotations"));
  workload.admitted = HasCondition(json, "Admitted");
  workload.evicted = HasCondition(json, "Evicted");
  workload.finished = HasCondition(json, "Finished");
  const JsonNode* active = json.At("/spec/active");
  workload.active = !active || active->type != JsonNode::Type::kBool || active->boolean;
  workload.held = !workload.active && json.At("/metadata/annotations/ebb~1held") != nullptr;
  if (const JsonNode* checks = json.At("/status/admissionChecks"))
    for (const JsonNode& check : checks->items)
      workload.checks[check.TextOf("name")] = check.TextOf("state");
  if (const JsonNode* nominated = json.At("/status/nominatedClusterNames"))
    for (const JsonNode& name : nominated->items)
      workload.nominated.push_back(name.AsText().value_or(""));
  workload.cluster = TextAt(json, "/status/clusterName");
  workload.requests = RequestsOf(json);
  return workload;
}

std::optional<GatedObject> ObjectOf(const GatedKind& kind, const JsonNode& json,
                                    const GatedObject* owner, const ObjectDefaults& defaults) {
  using Annotations = std::map<std::string, std::string>;
  auto object = ReadObject(kind, json, defaults, owner ? owner->annotations : Annotations{});
  if (!object) return std::nullopt;
  object->by_kueue = object->chosen = true;
  object->follows = false;
  if (owner) {
    object->job.name = owner->job.name;
    object->made_for = owner->uid;
    object->pods = owner->pods;
  }
  if (const JsonNode* admitted = ConditionOf(json, "Admitted"))
    if (const auto since = ParseTime(admitted->TextOf("lastTransitionTime")))
      object->started = *since;
  // v1beta1 uses this spelling.
  const bool has_run = NumberAt(json, "/status/accumulatedPastExecutionTimeSeconds").has_value() ||
                       NumberAt(json, "/status/accumulatedPastExexcutionTimeSeconds").has_value();
  object->attempt = (has_run ? 1 : 0) + (object->phase == ObjectPhase::kReleased ? 1 : 0);
  if (!object->annotations.contains("ebb/priority") && object->job.tier.empty())
    object->job.priority = static_cast<int>(NumberAt(json, "/spec/priority").value_or(0));
  return object;
}

bool HasAdmissionGate(const std::map<std::string, std::string>& annotations) {
  const auto found = annotations.find(std::string(kAdmissionGatesKey));
  return found != annotations.end() && WithoutAdmissionGate(found->second) != found->second;
}

std::string WithoutAdmissionGate(const std::string& gates) {
  std::vector<std::string> others;
  for (const std::string_view gate : Split(gates, ','))
    if (Trim(gate) != kAdmissionGate) others.emplace_back(gate);
  return Join(others, ",");
}

std::string AnswerBody(const GatedKind& kind, const Workload& workload, const CheckAnswer& answer) {
  Json entries = Json::array();
  for (const std::string& name : answer.checks)
    entries.push_back(
        {{"name", name},
         {"state", answer.state},
         {"message", answer.message},
         {"lastTransitionTime", FormatTime(std::chrono::floor<std::chrono::seconds>(answer.at))}});
  const Json body{{"apiVersion", kind.ApiVersion()},
                  {"kind", kind.kind},
                  {"metadata",
                   {{"name", workload.name},
                    {"namespace", workload.name_space},
                    {"uid", workload.uid},
                    {"resourceVersion", workload.version}}},
                  {"status", {{"admissionChecks", entries}}}};
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ActiveBody(const Workload& workload, bool active, const std::string& why) {
  const Json body{{"metadata",
                   {{"resourceVersion", workload.version},
                    {"annotations", {{kHeldKey, active ? Json() : Json(why)}}}}},
                  {"spec", {{"active", active}}}};
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Quota ReadQuota(const JsonNode& cluster_queue) {
  Quota quota;
  const auto list = [](const JsonNode& json, const char* pointer) -> std::span<const JsonNode> {
    const JsonNode* found = json.At(pointer);
    return found ? std::span<const JsonNode>(found->items) : std::span<const JsonNode>{};
  };
  for (const JsonNode& check : list(cluster_queue, "/spec/admissionChecksStrategy/admissionChecks"))
    quota.checks.insert(check.TextOf("name"));
  for (const char* where : {"withinClusterQueue", "reclaimWithinCohort"}) {
    const std::string policy = TextAt(cluster_queue, std::string("/spec/preemption/") + where);
    quota.preempts = quota.preempts || (!policy.empty() && policy != "Never");
  }
  for (const JsonNode& group : list(cluster_queue, "/spec/resourceGroups"))
    for (const JsonNode& flavor : list(group, "/flavors"))
      for (const JsonNode& resource : list(flavor, "/resources")) {
        const JsonNode* nominal = resource.Find("nominalQuota");
        const double amount = nominal ? QuantityOf(*nominal).value_or(0) : 0;
        if (IsGpu(resource.TextOf("name"))) quota.gpus += amount;
        if (resource.TextOf("name") == "cpu") quota.cores += amount;
      }
  return quota;
}

}  // namespace ebb::kubernetes
