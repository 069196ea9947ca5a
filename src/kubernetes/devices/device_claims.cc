#include "kubernetes/devices/device_claims.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "kubernetes/api/json_reading.h"

namespace ebb::kubernetes {
namespace {

// Annotation of a claim that was made from a template for one pod, without a name of its own.
constexpr const char* kMadeFor = "/metadata/annotations/resource.kubernetes.io~1pod-claim-name";

std::string KeyOf(const std::string& name_space, const PodClaim& claim) {
  return name_space + (claim.is_template ? "/template/" : "/claim/") + claim.name;
}

PodClaim ClaimOf(const JsonNode& object, bool is_template) {
  return {TextAt(object, "/metadata/name"), is_template};
}

// Adds a request to the needs of a claim.
void Add(const ClaimNeeds& request, ClaimNeeds& all) {
  if (request.gpus > 0 && all.gpus > 0) {
    std::erase_if(all.models,
                  [&](const std::string& model) { return !request.models.contains(model); });
  } else if (request.gpus > 0) {
    all.models = request.models;
  }
  all.gpus += request.gpus;
  if (all.lacks.empty()) all.lacks = request.lacks;
  all.problems.insert(all.problems.end(), request.problems.begin(), request.problems.end());
}

// Takes the widest of several alternatives, so that the actual need is never larger.
void Widen(const ClaimNeeds& alternative, ClaimNeeds& widest) {
  widest.gpus = std::max(widest.gpus, alternative.gpus);
  widest.models.insert(alternative.models.begin(), alternative.models.end());
  if (widest.lacks.empty()) widest.lacks = alternative.lacks;
  widest.problems.insert(widest.problems.end(), alternative.problems.begin(),
                         alternative.problems.end());
}

}  // namespace

bool ClaimChanges::Concern(const std::string& name_space, const PodRequests& requests) const {
  return std::ranges::any_of(requests.shapes, [&](const PodShape& shape) {
    return std::ranges::any_of(shape.claims, [&](const PodClaim& claim) {
      return all || keys.contains(KeyOf(name_space, claim));
    });
  });
}

// Reports of the reflectors -------------------------------------------------------------------

std::vector<std::string> DeviceClaims::SelectorsOf(const JsonNode& json) {
  std::vector<std::string> expressions;
  if (const JsonNode* selectors = json.Find("selectors"))
    for (const JsonNode& selector : selectors->items)
      expressions.push_back(TextAt(selector, "/cel/expression"));
  return expressions;
}

DeviceClaims::Request DeviceClaims::ReadRequest(const JsonNode& json) {
  constexpr double kMost = 1e6;
  Request request;
  request.device_class = json.TextOf("deviceClassName");
  request.selectors = SelectorsOf(json);
  request.all = json.TextOf("allocationMode") == "All";
  if (const JsonNode* count = json.Find("count"))
    request.count = std::clamp(count->AsNumber().value_or(1), 0.0, kMost);
  if (json.IsTrue("adminAccess")) {  // beside the actual users
    request.all = false;
    request.count = 0;
  }
  return request;
}

void DeviceClaims::TakeClass(const JsonNode& json) {
  const JsonNode* spec = json.Find("spec");
  classes_[TextAt(json, "/metadata/name")] = {
      TextAt(json, "/metadata/uid"), spec ? SelectorsOf(*spec) : std::vector<std::string>{}};
  changes_.all = true;
}

void DeviceClaims::DropClass(const std::string& uid) {
  std::erase_if(classes_, [&](const auto& entry) { return entry.second.uid == uid; });
  changes_.all = true;
}

void DeviceClaims::TakeSpec(const std::string& key, const std::string& uid,
                            const JsonNode* devices) {
  Spec& spec = specs_[key];
  if (spec.uid != uid) spec = {uid, {}, {}};
  spec.requests.clear();
  changes_.keys.insert(key);
  const JsonNode* requests = devices ? devices->Find("requests") : nullptr;
  if (!requests) return;
  for (const JsonNode& json : requests->items) {
    std::vector<Request>& any = spec.requests.emplace_back();
    if (const JsonNode* exactly = json.Find("exactly")) any.push_back(ReadRequest(*exactly));
    if (const JsonNode* list = json.Find("firstAvailable"))
      for (const JsonNode& each : list->items) any.push_back(ReadRequest(each));
  }
}

void DeviceClaims::TakeTemplate(const JsonNode& json) {
  TakeSpec(KeyOf(TextAt(json, "/metadata/namespace"), ClaimOf(json, true)),
           TextAt(json, "/metadata/uid"), json.At("/spec/spec/devices"));
}

void DeviceClaims::TakeClaim(const JsonNode& json) {
  const std::string uid = TextAt(json, "/metadata/uid");
  const std::string key = KeyOf(TextAt(json, "/metadata/namespace"), ClaimOf(json, false));
  // The needs of a claim never change. A new claim may be reported before an old one of the same
  // name is gone.
  const auto known = specs_.find(key);
  const bool is_known = known != specs_.end() && known->second.uid == uid;
  if (!json.At(kMadeFor) && !is_known) TakeSpec(key, uid, json.At("/spec/devices"));
  const JsonNode* results = json.At("/status/allocation/devices/results");
  if (!results) {
    version_ += static_cast<int>(allocated_.erase(uid));
    return;
  }
  Allocation& allocation = allocated_[uid] = {};
  for (const JsonNode& result : results->items)
    if (!result.IsTrue("adminAccess"))
      allocation.devices.push_back(
          {result.TextOf("driver"), result.TextOf("pool"), result.TextOf("device")});
  if (const JsonNode* reserved = json.At("/status/reservedFor"))
    for (const JsonNode& pod : reserved->items) allocation.pods.push_back(pod.TextOf("uid"));
  ++version_;
}

void DeviceClaims::Drop(const std::string& uid) {
  version_ += static_cast<int>(allocated_.erase(uid));
  std::erase_if(specs_, [&](const auto& entry) {
    const bool is_gone = entry.second.uid == uid;
    if (is_gone) changes_.keys.insert(entry.first);
    return is_gone;
  });
}

void DeviceClaims::TakePod(const JsonNode& pod, const std::string& gang) {
  const std::string uid = TextAt(pod, "/metadata/uid");
  if (!pod.At("/spec/resourceClaims/0") && !pod.At("/status/extendedResourceClaimStatus")) return;
  if (pods_.contains(uid)) return;
  PodOwner& owner =
      pods_[uid] = {TextAt(pod, "/metadata/namespace"), TextsAt(pod, "/metadata/labels")};
  if (!gang.empty()) owner.labels[kGangLabel] = gang;
  ++version_;
}

void DeviceClaims::SetServed(bool served) {
  if (std::exchange(served_, served) != served) changes_.all = true;
}

void DeviceClaims::SetComplete(bool complete) {
  if (std::exchange(complete_, complete) != complete) ++version_;
}

// Meaning of the claims
// ------------------------------------------------------------------------------

Match DeviceClaims::Judge(const Request& request, const DeviceKind& kind, ClaimNeeds& needs) const {
  Match all = Match::kYes;
  std::string unknown;
  for (const std::vector<std::string>* selectors :
       {&classes_.at(request.device_class).selectors, &request.selectors})
    for (const std::string& expression : *selectors) {
      const Match match = Matches(expression, kind);
      if (match == Match::kNo) return match;
      if (match == Match::kYes) continue;
      all = match;
      unknown = expression;
    }
  if (all == Match::kUnknown && IsGpuDriver(kind.driver) && needs.problems.empty())
    needs.problems.push_back("its claim: Ebb cannot tell which devices " + Quoted(unknown) +
                             " means, and counts all that the rest of it lets pass");
  return all;
}

ClaimNeeds DeviceClaims::NeedsOf(const Request& request) {
  ClaimNeeds needs;
  if (!classes_.contains(request.device_class)) {
    needs.lacks = "its DeviceClass " + Quoted(request.device_class) + " is not known";
    return needs;
  }
  bool fits_others = false;
  int most = 1;
  for (const auto& [kind, on_a_node] : slices_.kinds()) {
    const Match match = Judge(request, kind, needs);
    if (match == Match::kNo) continue;
    if (!IsGpuDriver(kind.driver)) {
      fits_others = fits_others || match == Match::kYes;
      continue;
    }
    needs.models.insert(kind.model);
    most = std::max(most, on_a_node);
  }
  // A request that nothing fits may be for a GPU whose node is away.
  if (needs.models.empty() && fits_others) return {};
  needs.gpus = request.all ? most : request.count;
  return needs;
}

ClaimNeeds DeviceClaims::NeedsOf(const std::string& name_space, const PodClaim& claim) {
  ClaimNeeds needs;
  if (!served_) return needs;
  const auto found = specs_.find(KeyOf(name_space, claim));
  if (found == specs_.end()) {
    needs.lacks =
        std::string(claim.is_template ? "its ResourceClaimTemplate " : "its ResourceClaim ") +
        Quoted(claim.name) + " is not known";
    return needs;
  }
  for (const std::vector<Request>& any : found->second.requests) {
    ClaimNeeds widest;
    for (const Request& request : any) Widen(NeedsOf(request), widest);
    Add(widest, needs);
  }
  // Devices that are away are expected back.
  if (needs.models.empty())
    needs.models = found->second.models;
  else
    found->second.models = needs.models;
  return needs;
}

ClaimChanges DeviceClaims::TakeChanges() {
  if (std::exchange(kinds_version_, slices_.version()) != slices_.version() &&
      slices_.kinds() != kinds_) {
    kinds_ = slices_.kinds();
    changes_.all = true;
  }
  return std::exchange(changes_, {});
}

const std::map<std::string, int>& DeviceClaims::GpusOn(const std::string& node) {
  static const std::map<std::string, int> kNone;
  return complete_ ? slices_.GpusOn(node) : kNone;
}

// A card with several slices in use counts as held once, and by others if any of its holders is
// another.
std::vector<HeldDevice> DeviceClaims::HeldNow() {
  std::map<std::string, HeldDevice> held;  // by unit
  if (!complete_) return {};
  for (const auto& [uid, allocation] : allocated_) {
    const PodOwner* owner = nullptr;
    for (const std::string& pod : allocation.pods)
      if (const auto known = pods_.find(pod); known != pods_.end()) owner = &known->second;
    for (const std::vector<std::string>& device : allocation.devices) {
      const DeviceSlices::Place* place = slices_.Find(device[0], device[1], device[2]);
      if (!place) continue;
      const auto [at, is_new] = held.try_emplace(place->unit, place->node, place->model, owner);
      if (!is_new && (!owner || !at->second.owner || owner->labels != at->second.owner->labels))
        at->second.owner = nullptr;
    }
  }
  std::vector<HeldDevice> all;
  for (auto& [unit, device] : held) all.push_back(std::move(device));
  return all;
}

ApiGroup DeviceGroup(DeviceSlices& slices, DeviceClaims& claims) {
  const auto resources = [&slices, &claims](const std::string& version) {
    const std::string root = "/apis/resource.k8s.io/" + version + "/";
    const auto drop = [&claims](const std::string& uid) { claims.Drop(uid); };
    return std::vector<ApiGroup::Resource>{
        {root + "resourceslices",
         {[&slices](const JsonNode& slice) { slices.TakeSlice(slice); },
          [&slices](const std::string& uid) { slices.DropSlice(uid); }}},
        {root + "deviceclasses",
         {[&claims](const JsonNode& device_class) { claims.TakeClass(device_class); },
          [&claims](const std::string& uid) { claims.DropClass(uid); }}},
        {root + "resourceclaimtemplates",
         {[&claims](const JsonNode& claim_template) { claims.TakeTemplate(claim_template); },
          drop}},
        {root + "resourceclaims",
         {[&claims](const JsonNode& claim) { claims.TakeClaim(claim); }, drop}}};
  };
  return {"/apis/resource.k8s.io", {"v1"}, resources};
}

}  // namespace ebb::kubernetes
