#include "report/simulation/queue_plan_json.h"

#include "report/json_parts.h"

namespace ebb::report {
namespace {

Json JobJson(const sim::PlannedJob& planned, const core::Cluster& cluster) {
  Json json{{"id", planned.job.id}, {"name", planned.job.name}};
  if (!planned.refused.empty()) {
    json["refused"] = planned.refused;
    return json;
  }
  json["starts_now"] = planned.starts_now;
  json["reason"] = planned.reason;
  json["segments"] = SegmentsJson(planned.job, planned.segments, cluster);
  json["expected_g"] = Maybe(planned.expected);
  json["at_once_g"] = Maybe(planned.at_once);
  return json;
}

}  // namespace

std::string QueuePlanJson(const sim::QueuePlan& plan) {
  Json json;
  json["schema"] = "ebb.plan/1";
  json["at"] = FormatTime(plan.at);
  json["policy"] = plan.policy;
  json["expected_g"] = Maybe(plan.expected);
  json["at_once_g"] = Maybe(plan.at_once);
  json["lower_bound_g"] = Maybe(plan.lower_bound);
  if (plan.cost)
    json["cost"] = {{"currency", plan.currency},
                    {"amount", plan.cost->MeanPerKwh() ? Json(plan.cost->amount) : Json(nullptr)},
                    {"share_of_energy_without_price", plan.cost->UnknownShare()}};
  json["not_submitted_yet"] = plan.not_submitted;
  json["jobs"] = Json::array();
  for (const sim::PlannedJob& planned : plan.jobs)
    json["jobs"].push_back(JobJson(planned, plan.cluster));
  return Document(json);
}

}  // namespace ebb::report
