#pragma once
// What the namespaces of a cluster have used in this month, and what their budgets
// (kubernetes/namespace_policy.h) make of it: while one is used up, what is new of its namespace is
// held, with the reason and the day it starts again, and what runs is finished, or paused if the
// policy says so.
//
// What a job uses is what was measured of it, or an estimate while nothing is: its power for as
// long as it runs, at the intensity of the hour, which is marked; and the idle time of nodes that
// an autoscaler adds, as node_overheads.h counts it. The sums are kept in an
// annotation of the ConfigMap of the policies, with what was counted of each job that runs, so that
// another controller counts nothing twice. Jobs that began and ended while no controller ran are
// missed, unless they are measured.
//
// Thread contract: the loop's thread.

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "kubernetes/policy_watch.h"
#include "prices/zone_clock.h"
#include "service/intake/inbox.h"
#include "service/views/view.h"

namespace ebb::app {

/// Of a month, or of one job. In kWh of the facility, and grams.
struct NamespaceUse {
  double energy_kwh = 0, emissions_g = 0;
  double estimated_kwh = 0;  ///< part of `energy_kwh`
  double estimated_g = 0;    ///< part of `emissions_g`
};

struct BudgetMonth {
  std::string name;  ///< "2026-11"
  Time end{};        ///< when the next one begins
};
BudgetMonth MonthOf(const prices::ZoneClock& clock, Time time);

class NamespaceBudgets {
 public:
  struct Ports {
    kubernetes::PolicyWatch& policies;
    std::function<std::shared_ptr<const service::View>()> view;
    std::function<std::future<Result<service::Answer>>(service::Request)> ask;
    /// For the queue, the page and the metrics.
    std::function<void(std::vector<service::BudgetView>)> show;
    std::function<void(const std::string&)> say;
    Pue pue;
  };
  explicit NamespaceBudgets(Ports ports);

  /// Counts what was used since, holds and lets go. Call it when due(), and whenever jobs or
  /// policies have changed.
  void Look(Time now);
  Time due() const { return due_; }
  /// Of a node that started for a job or stayed idle after it, in no job's account: without PUE.
  /// An estimate. `emissions`: nothing: by the intensity of now.
  void AddIdle(const std::string& name_space, Energy energy,
               const std::optional<Emissions>& emissions, Time now);
  /// Whether what is about to start may: others may have started since the last look. What another
  /// controller has released may, and counts.
  Status MayStart(const core::Job& job, bool is_released, Time now);
  /// Why its namespace's budget holds this job; empty: it does not.
  std::string WhyHeld(const core::Job& job) const;

 private:
  struct Counted {
    NamespaceUse use;
    bool seen = false;
    std::optional<Time> ended{};
  };
  struct Account {
    BudgetMonth month;
    NamespaceUse used;
    double expected_kwh = 0, expected_g = 0;  // of what runs, from now to its end
    std::string why{};                        // it is used up; empty: it is not
    bool told = false;
  };
  void Load();
  void Keep(Time now);
  void Count(const service::JobCard& card, Account& account, Time now);
  NamespaceUse Estimate(const service::JobCard& card, Time now) const;
  void Judge(const std::string& name_space, const kubernetes::MonthlyBudget& budget,
             Account& account);
  void Settle(const service::JobCard& card, const kubernetes::MonthlyBudget& budget,
              const Account& account);
  const kubernetes::MonthlyBudget* BudgetOf(const std::string& name_space) const;
  Account* AccountOf(const std::string& name_space, const kubernetes::MonthlyBudget& budget,
                     Time now);
  void TellAll();

  Ports ports_;
  std::map<std::string, prices::ZoneClock> clocks_;
  std::map<std::string, Account> accounts_;  // by namespace
  std::map<std::string, Counted> counted_;   // by key of a submission
  std::map<core::JobId, std::future<Result<service::Answer>>> asked_;
  struct Starting {
    std::string name_space;
    NamespaceUse expected;
  };
  std::map<core::JobId, Starting> starting_;  // let through, and not yet seen to run
  std::optional<Time> until_;                 // estimates are counted up to then
  std::optional<Intensity> intensity_;        // the latest that is known
  Time due_{}, kept_{};
  bool loaded_ = false, is_news_ = false;
};

}  // namespace ebb::app
