#include "report/simulation/queue_plan_json.h"

#include <nlohmann/json.hpp>

namespace ebb::report {
namespace {

using Json = nlohmann::ordered_json;

Json GramsJson(const std::optional<Emissions>& emissions) {
  return emissions ? Json(emissions->grams) : Json(nullptr);
}

Json SegmentJson(const plan::Segment& segment, const core::Cluster& cluster) {
  return {{"site", cluster.SiteOf(segment.pool).name},
          {"model", cluster.pools[static_cast<std::size_t>(segment.pool)].model},
          {"begin", FormatTime(segment.time.begin)},
          {"end", FormatTime(segment.time.end)}};
}

Json JobJson(const sim::PlannedJob& planned, const core::Cluster& cluster) {
  Json json{{"id", planned.job.id}, {"name", planned.job.name}};
  if (!planned.refused.empty()) {
    json["refused"] = planned.refused;
    return json;
  }
  json["starts_now"] = planned.starts_now;
  json["reason"] = planned.reason;
  json["segments"] = Json::array();
  for (const plan::Segment& segment : planned.segments)
    json["segments"].push_back(SegmentJson(segment, cluster));
  json["expected_g"] = GramsJson(planned.expected);
  json["at_once_g"] = GramsJson(planned.at_once);
  return json;
}

}  // namespace

std::string QueuePlanJson(const sim::QueuePlan& plan) {
  Json json;
  json["schema"] = "ebb.plan/1";
  json["at"] = FormatTime(plan.at);
  json["policy"] = plan.policy;
  json["expected_g"] = GramsJson(plan.expected);
  json["at_once_g"] = GramsJson(plan.at_once);
  json["lower_bound_g"] = GramsJson(plan.lower_bound);
  if (plan.cost)
    json["cost"] = {{"currency", plan.currency},
                    {"amount", plan.cost->MeanPerKwh() ? Json(plan.cost->amount) : Json(nullptr)},
                    {"share_of_energy_without_price", plan.cost->UnknownShare()}};
  json["not_submitted_yet"] = plan.not_submitted;
  json["jobs"] = Json::array();
  for (const sim::PlannedJob& planned : plan.jobs)
    json["jobs"].push_back(JobJson(planned, plan.cluster));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ebb::report
