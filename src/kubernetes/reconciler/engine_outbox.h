#pragma once
// Events and reports about jobs that the engine has not taken yet. Reports wait for the events,
// because the engine would refuse a report of a job that it does not know yet.
//
// Values.

#include <functional>
#include <string>
#include <vector>

#include "base/time.h"
#include "core/jobs/job.h"
#include "core/jobs/job_change.h"
#include "engine/event.h"

namespace ebb::kubernetes {

class EngineOutbox {
 public:
  /// `now` is the wall clock.
  explicit EngineOutbox(std::function<Time()> now) : now_(std::move(now)) {}

  void Submit(const core::Job& job) { Add(engine::JobSubmitted{job}); }
  void Cancel(core::JobId job, const std::string& why) { Add(engine::JobCancelled{job, why}); }
  void Change(core::JobId job, const core::JobChange& change) {
    Add(engine::JobChanged{job, change});
  }
  void Report(engine::JobReport report) { reports_.push_back(std::move(report)); }

  bool has_events() const { return !events_.empty(); }
  bool has_reports() const { return !reports_.empty(); }
  bool HasReportsOf(core::JobId job) const;
  /// No event is later than `now`.
  std::vector<engine::Event> TakeEvents(Time now);
  std::vector<engine::JobReport> TakeReports();

 private:
  void Add(engine::Fact fact) { events_.push_back({now_(), std::move(fact)}); }

  std::function<Time()> now_;
  std::vector<engine::Event> events_;
  std::vector<engine::JobReport> reports_;
};

}  // namespace ebb::kubernetes
