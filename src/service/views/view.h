#pragma once
// One moment of the service, for readers: the page, the command line, metrics. Immutable; the loop
// publishes a new one after every decision and every look at what runs.

#include <memory>
#include <string>
#include <vector>

#include "core/cluster.h"
#include "core/intensity.h"
#include "core/recurring.h"
#include "local/supervised_executor.h"
#include "service/views/counters.h"
#include "service/views/job_index.h"
#include "store/ended_sums.h"

namespace ebb::service {

struct SiteSignalView {
  std::shared_ptr<const core::SignalView> view;
  std::string lost;  ///< why the source cannot be reached; empty: it can
};

struct RecurringView {
  std::string name;
  core::Recurrence recurrence;
  Time next{};  ///< when it is due again; Time::max(): never, or not while it is paused
  bool paused = false;
};

/// What a namespace of a cluster has used of its monthly budget.
struct BudgetView {
  std::string name;
  std::string month;                   ///< "2026-11"
  Time starts_again{};                 ///< with the next month
  std::optional<Energy> energy_limit;  ///< of the facility
  std::optional<Emissions> emissions_limit;
  Energy energy, estimated;  ///< `estimated`: the part that nobody measured
  Emissions emissions;
  std::string why;  ///< it holds jobs back; empty: it does not
};

/// What happened, for live displays; the last few hundred are kept.
struct ServiceEvent {
  std::uint64_t number = 0;  ///< counts up
  Time at{};
  core::JobId job = 0;  ///< 0: of no job
  std::string text;
  bool refusal = false;  ///< of a job whose submission nobody waits for: an instance
};

struct View {
  std::uint64_t version = 0;  ///< counts up
  Time now{};                 ///< grid time of the last decision
  core::Cluster cluster;
  std::vector<local::Device> devices;   ///< GPUs; of the CPU there are only pools
  std::string device_trouble;           ///< why no GPU can be given to a job; empty: some can
  std::vector<SiteSignalView> signals;  ///< as cluster.sites
  JobIndex jobs;
  store::EndedSums forgotten;  ///< of jobs that have ended and are no longer among `jobs`
  std::vector<local::SupervisedFigures> running;
  std::vector<RecurringView> recurring;  ///< by name
  std::vector<BudgetView> budgets;       ///< by name
  std::vector<ServiceEvent> events;      ///< oldest first
  std::optional<engine::Drain> drain;    ///< nothing starts
  /// Why nothing can be started or submitted; empty: all is well.
  std::string trouble;
  Counters counters;
};

}  // namespace ebb::service
