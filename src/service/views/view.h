#pragma once
// One moment of the service, for readers: the page, the command line, metrics. A published view is
// immutable; the loop publishes a new one after every decision and every look at running jobs.

#include <memory>
#include <string>
#include <vector>

#include "core/devices/cluster.h"
#include "core/jobs/recurring.h"
#include "core/signal/intensity.h"
#include "local/supervised_executor.h"
#include "service/views/counters.h"
#include "service/views/job_index.h"
#include "store/ended_sums.h"

namespace ebb::service {

struct SiteSignalView {
  std::shared_ptr<const core::SignalView> view;
  std::string lost;  ///< why the source cannot be reached; empty: it answers
};

struct RecurringView {
  std::string name;
  core::Recurrence recurrence;
  Time next{};  ///< the next due time; Time::max(): never, or it is paused
  bool paused = false;
};

/// The use of a namespace's monthly budget.
struct BudgetView {
  std::string name;
  std::string month;                   ///< "2026-11"
  Time starts_again{};                 ///< the beginning of the next month
  std::optional<Energy> energy_limit;  ///< IT energy times PUE
  std::optional<Emissions> emissions_limit;
  Energy energy, estimated;  ///< `estimated`: the part that nobody measured
  Emissions emissions;
  std::string why;  ///< the budget holds jobs back; empty: it does not
};

/// An event for live displays. The view keeps the last few hundred.
struct ServiceEvent {
  std::uint64_t number = 0;  ///< ascending
  Time at{};
  core::JobId job = 0;  ///< 0: no job
  std::string text;
  bool refusal = false;  ///< of a submission that nobody waits for, such as an instance
};

struct View {
  std::uint64_t version = 0;  ///< ascending
  Time now{};                 ///< grid time of the last decision
  core::Cluster cluster;
  std::vector<local::Device> devices;   ///< GPUs; the CPU appears in `cluster` only
  std::string device_trouble;           ///< why no GPU can be given to a job; empty: some can
  std::vector<SiteSignalView> signals;  ///< in the order of cluster.sites
  JobIndex jobs;
  store::EndedSums forgotten;  ///< over ended jobs that are no longer in `jobs`
  DayFigures today;
  std::vector<local::SupervisedFigures> running;
  std::vector<RecurringView> recurring;  ///< by name
  std::vector<BudgetView> budgets;       ///< by name
  std::vector<ServiceEvent> events;      ///< oldest first
  std::optional<engine::Drain> drain;    ///< set: nothing starts
  /// Why nothing can be started or submitted; empty: all is well.
  std::string trouble;
  Counters counters;
};

}  // namespace ebb::service
