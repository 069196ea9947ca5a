#pragma once
// Jobs and clusters in one line, for tests.

#include <string>
#include <utility>

#include "core/devices/cluster.h"
#include "core/jobs/job.h"

namespace ebb::testing {

/// A builder of jobs: AJob(3).Submitted(t).Runs(hours{2}).Wide(4)
class AJob {
 public:
  explicit AJob(core::JobId id) {
    job_.id = id;
    job_.name = "job-" + std::to_string(id);
    job_.duration = std::chrono::hours{1};
    job_.power = {100};
  }
  AJob& Submitted(Time time) { return job_.submitted = time, *this; }
  AJob& Runs(Duration length) { return job_.duration = length, *this; }
  AJob& Wide(int devices) { return job_.devices = devices, *this; }
  AJob& Draws(double watts) { return job_.power = {watts}, *this; }
  AJob& StartBy(Time time) { return job_.start_by = time, *this; }
  AJob& FinishBy(Time time) { return job_.finish_by = time, *this; }
  AJob& Within(Duration delay) { return job_.start_by = job_.submitted + delay, *this; }
  AJob& OfTier(std::string tier) { return job_.tier = std::move(tier), *this; }
  AJob& Freezable() { return job_.freeze = true, *this; }
  AJob& Pausable(Duration overhead = {}, Duration minimum_segment = {}) {
    job_.checkpointable = true;
    job_.pause_cost = overhead;
    job_.minimum_segment = minimum_segment;
    return *this;
  }
  operator core::Job() const { return job_; }  // NOLINT: a builder is meant to convert

 private:
  core::Job job_;
};

/// A cluster with one site and one pool of equal devices.
inline core::Cluster ClusterOf(int devices) {
  return {{{"here", "TEST", {1.0}}}, {{"gpu", 0, devices, 1, 1, {}}}};
}

}  // namespace ebb::testing
