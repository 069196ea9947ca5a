#include "kubernetes/reconciler/object_job.h"

#include <algorithm>

namespace ebb::kubernetes {
namespace {

// A node may have to start first whenever the job is released: deadlines are kept nevertheless, and
// if that start is certain, the job holds its devices for that much longer.
void AllowFor(const StartUp& start_up, core::Job& job) {
  const auto earlier = [&](std::optional<Time>& limit) {
    if (limit) limit = std::max(job.submitted, *limit - start_up.longest);
  };
  earlier(job.start_by);
  if (!start_up.certain) return earlier(job.finish_by);
  job.duration += start_up.longest;
  job.pause_cost += start_up.longest;
}

}  // namespace

std::vector<std::string> ModelsFor(const GatedObject& object, Capacity& capacity) {
  return object.models.empty() ? capacity.ModelsFor(object.requests) : object.models;
}

int FirstPoolFor(const GatedObject& object, Capacity& capacity) {
  const core::Cluster& cluster = capacity.cluster();
  const auto models = ModelsFor(object, capacity);
  for (std::size_t i = 0; i < cluster.pools.size(); ++i)
    if (std::ranges::count(models, cluster.pools[i].model) > 0) return static_cast<int>(i);
  return 0;
}

core::Job JobFor(const GatedObject& object, core::JobId number, Capacity& capacity) {
  core::Job job = object.job;
  job.id = number;
  job.models = ModelsFor(object, capacity);
  // Kueue places its pods on nodes itself.
  if (!object.by_kueue) AllowFor(capacity.StartUpOf(object.requests), job);
  return job;
}

core::Job AtItsWidth(core::Job job, const ObjectWidth& width) {
  job.devices = width.now;
  job.speedup.clear();
  return job;
}

}  // namespace ebb::kubernetes
