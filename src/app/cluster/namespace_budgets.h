#pragma once
// Counts what the namespaces of a cluster have used in this month, and enforces their budgets
// (kubernetes/objects/namespace_policy.h). While a budget is used up, new jobs of its namespace are
// held, with the reason and the day of the restart; running jobs finish, or are paused if the
// policy says so.
//
// The use of a job is what was measured. While nothing is measured, it is an estimate, marked as
// such: the job's power for as long as it runs, at the intensity of the hour. The idle time of
// nodes that an autoscaler adds is included as node_overheads.h counts it. The sums are kept in an
// annotation of the ConfigMap of the policies, with the part of each running job, so that another
// controller counts nothing twice. Jobs that began and ended while no controller ran are missed,
// unless they are measured.
//
// Thread contract: the loop's thread.

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "kubernetes/policies/policy_watch.h"
#include "prices/zone_clock.h"
#include "service/intake/inbox.h"
#include "service/views/view.h"

namespace ebb::app {

/// The use of a month or of one job, in kWh of the facility and grams.
struct NamespaceUse {
  double energy_kwh = 0, emissions_g = 0;
  double estimated_kwh = 0;  ///< part of `energy_kwh`
  double estimated_g = 0;    ///< part of `emissions_g`
};

struct BudgetMonth {
  std::string name;  ///< "2026-11"
  Time end{};        ///< beginning of the next month
};
BudgetMonth MonthOf(const prices::ZoneClock& clock, Time time);

class NamespaceBudgets {
 public:
  struct Ports {
    kubernetes::PolicyWatch& policies;
    std::function<std::shared_ptr<const service::View>()> view;
    std::function<std::future<Result<service::Answer>>(service::Request)> ask;
    /// Publishes budgets for the queue, the page and the metrics.
    std::function<void(std::vector<service::BudgetView>)> show;
    std::function<void(const std::string&)> say;
    Pue pue;
  };
  explicit NamespaceBudgets(Ports ports);

  /// Counts the use since the last call, and holds or releases jobs. Call it when due(), and
  /// whenever jobs or policies have changed.
  void Look(Time now);
  Time due() const { return due_; }
  /// Adds an estimate of the energy of a node while it started for a job or stayed idle after it.
  /// Idle energy is not part of any job, and has no PUE in it. `emissions`: nullopt to use the
  /// present intensity.
  void AddIdle(const std::string& name_space, Energy energy,
               const std::optional<Emissions>& emissions, Time now);
  /// Fails if the budget does not allow this start: other jobs may have started since the last
  /// look. A job that another controller has released may start, and is counted. `devices`: those
  /// with which it is to start.
  Status MayStart(const core::Job& job, int devices, bool is_released, Time now);
  /// The reason why a budget holds this job; empty if none does.
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
    double expected_kwh = 0, expected_g = 0;  // use of running jobs from now to their end
    std::string why{};                        // reason why it is used up; empty if it is not
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
  std::map<core::JobId, Starting> starting_;  // allowed to start, but not seen running yet
  std::optional<Time> until_;                 // time up to which estimates are counted
  std::optional<Intensity> intensity_;        // latest known intensity
  Time due_{}, kept_{};
  bool loaded_ = false, is_news_ = false;
};

}  // namespace ebb::app
