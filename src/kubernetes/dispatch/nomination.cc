#include "kubernetes/dispatch/nomination.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/times_in_text.h"
#include "kubernetes/api/json_reading.h"
#include "kubernetes/dispatch/owned_fields.h"

namespace ebb::kubernetes {
namespace {

using Json = nlohmann::json;

// The API server does not take 1.0 for a whole number.
Json NumberJson(double number) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (std::trunc(number) == number && std::abs(number) <= kExact)
    return static_cast<std::int64_t>(number);
  return number;
}

Json JsonOf(const JsonNode& node) {
  switch (node.type) {
    case JsonNode::Type::kNull:
      return nullptr;
    case JsonNode::Type::kBool:
      return node.boolean;
    case JsonNode::Type::kNumber:
      return NumberJson(node.number);
    case JsonNode::Type::kText:
      return node.text;
    case JsonNode::Type::kList: {
      Json list = Json::array();
      for (const JsonNode& item : node.items) list.push_back(JsonOf(item));
      return list;
    }
    case JsonNode::Type::kObject: {
      Json object = Json::object();
      for (const JsonMember& member : node.members) object[member.name] = JsonOf(member.value);
      return object;
    }
  }
  return nullptr;
}

// The reason for which the cluster is late; empty: it is not.
std::string WhyLate(const Dispatcher& dispatcher, const std::string& name, Duration waited) {
  const WorkerCluster* cluster = dispatcher.Find(name);
  if (!cluster) return "the cluster " + name + " is not there any more";
  const Duration within = dispatcher.options().admits_within;
  // A cluster that is not reached may run it already, so it is given the same time.
  if (waited < within) return "";
  if (!cluster->connected) return "the manager does not reach the cluster " + name;
  return "the cluster " + name + " has not admitted it within " + RoundDurationText(within);
}

}  // namespace

NominationStep NextStep(const Dispatcher& dispatcher, const Nominee& nominee,
                        const std::function<std::optional<std::string>()>& another, Duration now) {
  using Kind = NominationStep::Kind;
  const std::vector<std::string>& names = nominee.nominated;
  if (names.empty()) {
    if (nominee.place.empty()) return {};
    return {Kind::kNominate, {nominee.place}};
  }
  // Kueue names the cluster itself for a part of an object whose first part is there.
  const std::string& newest = names.back();
  if (!nominee.since) return {};
  std::string why = WhyLate(dispatcher, newest, now - *nominee.since);
  if (why.empty()) return {};
  if (nominee.can_be_taken_back) return {Kind::kTakeBack, {}, newest, std::move(why)};
  const auto next = names.size() < kMostNominated ? another() : std::nullopt;
  if (!next) return {};
  NominationStep step{Kind::kNominate, names, newest, std::move(why)};
  step.clusters.push_back(*next);
  return step;
}

Result<std::string> NominationBody(const GatedKind& kind, const JsonNode& workload,
                                   const std::vector<std::string>& clusters) {
  const auto owned = OwnedStatus(workload, kKueueAdmission);
  if (owned && owned->api_version != kind.ApiVersion())
    return Fail(
        {ExitCode::kUnavailable,
         "Kueue writes it as " + owned->api_version + ", and Ebb reads " + kind.ApiVersion(),
         TextAt(workload, "/metadata/name"), "upgrade Kueue to 0.16 or newer"});
  Json status = Json::object();
  if (owned && owned->status.is_object()) status = JsonOf(owned->status);
  status["nominatedClusterNames"] = clusters;
  const Json body{{"apiVersion", kind.ApiVersion()},
                  {"kind", kind.kind},
                  {"metadata",
                   {{"name", TextAt(workload, "/metadata/name")},
                    {"namespace", TextAt(workload, "/metadata/namespace")},
                    {"uid", TextAt(workload, "/metadata/uid")},
                    {"resourceVersion", TextAt(workload, "/metadata/resourceVersion")}}},
                  {"status", status}};
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace ebb::kubernetes
