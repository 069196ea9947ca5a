#include "kubernetes/objects/namespace_policy.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/times_in_text.h"

namespace ebb::kubernetes {
namespace {

using Texts = std::map<std::string, std::string>;

constexpr std::array<PolicyKey, 11> kKeys{{{"threshold", "carbon-intensity-threshold"},
                                           {"start-by", "max-scheduling-delay"},
                                           {"finish-by", ""},
                                           {"duration", "estimated-runtime-hours"},
                                           {"tier", ""},
                                           {"priority", ""},
                                           {"power", ""},
                                           {"checkpointable", ""},
                                           {"on-outage", ""},
                                           {"max-power", "max-power-watts"},
                                           {"min-efficiency", ""}}};
constexpr std::array<std::string_view, 3> kOfTiers{"threshold", "start-by", "priority"};

bool Says(const Texts& annotations, std::string_view prefix, std::string_view key) {
  return !key.empty() && annotations.contains(std::string(prefix) + std::string(key));
}

std::string WorkloadOf(const Texts& annotations) {
  for (const std::string& key :
       {std::string(kPrefix) + "workload", std::string(kGardenerPrefix) + "gpu-workload-type"})
    if (const auto found = annotations.find(key); found != annotations.end()) return found->second;
  return "";
}

std::string PolicyOf(const GatedObject& object) {
  return "the policy of namespace " + object.name_space;
}

}  // namespace

std::span<const PolicyKey> PolicyKeys() { return kKeys; }

void AddDefaults(const NamespacePolicy& policy, Texts& annotations) {
  PolicyDefaults defaults;
  if (const auto workload = policy.workloads.find(WorkloadOf(annotations));
      workload != policy.workloads.end())
    defaults = workload->second;
  defaults.insert(policy.defaults.begin(), policy.defaults.end());
  const bool has_tier = Says(annotations, kPrefix, "tier");
  for (const PolicyKey& key : kKeys) {
    const auto value = defaults.find(std::string(key.ours));
    const bool is_said = Says(annotations, kPrefix, key.ours) ||
                         Says(annotations, kGardenerPrefix, key.theirs) ||
                         (has_tier && std::ranges::count(kOfTiers, key.ours) > 0);
    if (value != defaults.end() && !is_said)
      annotations.emplace(std::string(kPrefix) + std::string(key.ours), value->second);
  }
}

void KeepWithin(const PolicyLimits& limits, GatedObject& object) {
  core::Job& job = object.job;
  const auto limit = [&](std::string_view key, const std::string& allowed) {
    object.problems.push_back(std::string(kPrefix) + std::string(key) + ": " + PolicyOf(object) +
                              " allows at most " + allowed + ", which holds");
  };
  if (limits.threshold && (!job.threshold || *limits.threshold < *job.threshold)) {
    if (job.threshold) limit("threshold", FormatExact(limits.threshold->g_per_kwh) + " g/kWh");
    job.threshold = limits.threshold;
  }
  if (limits.start_by) {
    const Time latest = object.created + *limits.start_by;
    if (job.start_by && *job.start_by > latest)
      limit("start-by", RoundDurationText(*limits.start_by));
    if (job.start_by.value_or(latest) >= latest && (job.start_by || !job.finish_by))
      job.start_by = latest;
  }
  if (limits.priority && job.priority > *limits.priority) {
    limit("priority", std::to_string(*limits.priority));
    job.priority = *limits.priority;
  }
  if (limits.waits_in_outage && job.on_outage == core::OnOutage::kRun) {
    object.problems.push_back(std::string(kPrefix) + "on-outage: " + PolicyOf(object) +
                              " allows only \"wait\", which holds");
    job.on_outage = core::OnOutage::kWait;
  }
  // Ebb itself may have given it more or fewer than it asks for.
  const double gpus = object.width.own == object.width.now ? object.requests.gpus : job.devices;
  if (limits.gpus && object.requests.gpus > 0 && gpus > *limits.gpus)
    object.lacks = "waiting: it asks for " + FormatExact(gpus) + " GPUs, and " + PolicyOf(object) +
                   " allows one object " + FormatExact(*limits.gpus);
}

}  // namespace ebb::kubernetes
