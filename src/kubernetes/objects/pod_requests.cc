#include "kubernetes/objects/pod_requests.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

constexpr double kMostReplicas = 1e6;

// Numbers beside a template that tell how often it is used.
double TimesOf(const JsonNode& node) {
  double times = 1;
  for (const char* key : {"replicas", "parallelism", "numOfHosts", "numNodes", "count"})
    if (const JsonNode* found = node.Find(key); found && found->AsNumber())
      times *= std::clamp(*found->AsNumber(), 0.0, kMostReplicas);
  return std::min(times, kMostReplicas);
}

void Walk(const JsonNode& node, double times, PodRequests& requests) {
  for (const JsonNode& entry : node.items) Walk(entry, times, requests);
  if (!node.is_object()) return;
  const JsonNode* containers = node.At("/spec/containers");
  if (containers && containers->is_list()) {
    AddPod(*node.Find("spec"), times, requests);
    requests.annotations.merge(TextsAt(node, "/metadata/annotations"));
    return;
  }
  times *= TimesOf(node);
  // The template only submits, and its devices are elsewhere.
  for (const JsonMember& member : node.members)
    if (member.name != "submitterPodTemplate") Walk(member.value, times, requests);
}

void AddContainer(const JsonNode& container, PodShape& shape) {
  if (const JsonNode* limits = container.At("/resources/limits"))
    for (const JsonMember& member : limits->members)
      if (IsGpu(member.name)) shape.gpus += QuantityOf(member.value).value_or(0);
  const JsonNode* cores = container.At("/resources/requests/cpu");
  if (!cores) cores = container.At("/resources/limits/cpu");
  if (cores) shape.cores += QuantityOf(*cores).value_or(0);
}

void AddClaim(const JsonNode& claim, PodShape& shape) {
  if (std::string name = claim.TextOf("resourceClaimTemplateName"); !name.empty())
    shape.claims.push_back({std::move(name), true});
  else if (name = claim.TextOf("resourceClaimName"); !name.empty())
    shape.claims.push_back({std::move(name), false});
}

void KeepCommon(const ClaimNeeds& needs, PodRequests& requests, ClaimNeeds& claims) {
  if (needs.gpus <= 0) return;
  if (requests.claim_models.empty()) {
    requests.claim_models = needs.models;
    return;
  }
  std::set<std::string> common;
  std::ranges::set_intersection(requests.claim_models, needs.models,
                                std::inserter(common, common.end()));
  if (!common.empty())
    requests.claim_models = std::move(common);
  else if (!needs.models.empty())
    claims.problems.push_back("its claims ask for GPUs of several models, which count as " +
                              *requests.claim_models.begin());
}

void AddShape(const PodShape& shape, PodRequests& requests) {
  requests.pods += shape.pods;
  if (!shape.gpu_model.empty()) requests.gpu_model = shape.gpu_model;
  if (shape.pods == 0) return;
  const auto key = [](const PodShape& of) {
    return std::tie(of.gpus, of.cores, of.gpu_model, of.claims);
  };
  const auto at = std::ranges::find_if(requests.shapes,
                                       [&](const PodShape& of) { return key(of) <= key(shape); });
  if (at != requests.shapes.end() && key(*at) == key(shape))
    at->pods += shape.pods;
  else
    requests.shapes.insert(at, shape);
}

}  // namespace

void AddPod(const JsonNode& spec, double times, PodRequests& requests) {
  PodShape shape;
  shape.gpu_model = TextAt(spec, "/nodeSelector/nvidia.com~1gpu.product");
  shape.pods = static_cast<int>(std::min(times, kMostReplicas));
  if (const JsonNode* tolerations = spec.Find("tolerations"))
    for (const JsonNode& toleration : tolerations->items)
      requests.tolerated.insert(toleration.TextOf("key"));
  if (const JsonNode* claims = spec.Find("resourceClaims"))
    for (const JsonNode& claim : claims->items) AddClaim(claim, shape);
  if (const JsonNode* containers = spec.Find("containers"))
    for (const JsonNode& container : containers->items) AddContainer(container, shape);
  requests.gpus += times * shape.gpus;
  requests.cores += times * shape.cores;
  AddShape(shape, requests);
}

void CountClaims(const std::function<ClaimNeeds(const PodClaim&)>& needs_of, PodRequests& requests,
                 ClaimNeeds& claims) {
  requests.gpus -= std::exchange(requests.claimed, 0);
  requests.claim_models.clear();
  std::set<PodClaim> shared;
  for (PodShape& shape : requests.shapes) {
    shape.claimed = 0;
    for (const PodClaim& claim : shape.claims) {
      if (!claim.is_template && !shared.insert(claim).second) continue;
      const ClaimNeeds needs = needs_of(claim);
      requests.claimed += (claim.is_template ? shape.pods : 1) * needs.gpus;
      if (claim.is_template) shape.claimed += needs.gpus;
      KeepCommon(needs, requests, claims);
      if (claims.lacks.empty()) claims.lacks = needs.lacks;
      for (const std::string& problem : needs.problems)
        if (std::ranges::count(claims.problems, problem) == 0) claims.problems.push_back(problem);
    }
  }
  requests.gpus += requests.claimed;
  std::ranges::stable_sort(requests.shapes, std::greater{}, &PodShape::all_gpus);
}

PodRequests RequestsOf(const JsonNode& object) {
  PodRequests requests;
  if (const JsonNode* spec = object.Find("spec")) Walk(*spec, 1, requests);
  return requests;
}

void AddRequests(const PodRequests& others, PodRequests& requests) {
  requests.gpus += others.gpus;
  requests.cores += others.cores;
  requests.tolerated.insert(others.tolerated.begin(), others.tolerated.end());
  for (const PodShape& shape : others.shapes) AddShape(shape, requests);
}

}  // namespace ebb::kubernetes
