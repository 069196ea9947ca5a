#pragma once
// Makes the objects of a cluster jobs of the queue service. An object is submitted to the service
// as a person would do it, with the object's uid as the key; so the store, the views and the
// clients are those of `ebb serve`. This class translates between two numberings (object_jobs.h).
//
// Thread contract: one thread, the loop's, but for Wake, Now and heartbeat.

#include <functional>
#include <future>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "app/cluster/namespace_budgets.h"
#include "app/cluster/node_overheads.h"
#include "app/cluster/object_figures.h"
#include "app/cluster/object_jobs.h"
#include "app/cluster/pod_accounts.h"
#include "app/cluster/running_slots.h"
#include "app/cluster/service_offers.h"
#include "kubernetes/cluster_executor.h"
#include "local/job_executor.h"
#include "service/service.h"

namespace ebb::app {

struct ClusterJobsOptions {
  /// The latest start of objects without a deadline of their own, counted from their creation.
  Duration default_max_delay{};
  Pue pue;
  /// Follow the budgets of namespaces, if the executor has policies.
  bool with_budgets = true;
  /// The figures of a running job are written on its object at most this often.
  Duration figures_every{std::chrono::minutes{5}};
  /// Tells people what they should know.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

class ClusterJobs final : public local::JobExecutor {
 public:
  /// `cluster` has been started, and must outlive this object.
  ClusterJobs(kubernetes::ClusterExecutor& cluster, service::ExecutorPorts ports,
              ClusterJobsOptions options);

  // runtime::Executor
  std::string name() const override { return cluster_.name(); }
  Time Now() const override { return cluster_.Now(); }
  std::optional<engine::ClockSet> TakeClockSet() override { return cluster_.TakeClockSet(); }
  core::Cluster cluster() const override { return cluster_.cluster(); }
  Result<std::vector<engine::JobReport>> Observe() override;
  Status Execute(const engine::Command& command) override;
  Result<std::vector<engine::JobReport>> WaitForEvents(Time deadline) override;
  std::vector<engine::JobReport> TakeEarly() override { return Translated(cluster_.TakeEarly()); }
  void Forget(core::JobId job) override;

  // local::JobExecutor. Add fails for a job that is not an object of the cluster.
  Status Add(local::LocalJob job) override;
  void Replace(std::shared_ptr<const core::Submission>) override {}
  void Wake() override { cluster_.Wake(); }
  runtime::Heartbeat& heartbeat() override { return heartbeat_; }
  /// The value 0 means that the lease is lost and another controller may act.
  std::optional<int> stop_signal() const override;
  /// Figures are measured if nodes have agents.
  std::vector<local::SupervisedFigures> Running() const override;

  /// Writes decisions on their objects, and reports them.
  void Tell(const engine::Decision& decision);
  /// Writes the energy and the saving of a job on its object.
  void TellFigures(const service::JobCard& card);

 private:
  /// A job of the service that was not forgotten yet.
  struct Known {
    int width = 0;  // number of devices
    /// The job as an earlier controller left it, until its object is offered.
    std::optional<core::Job> earlier{};
    std::optional<engine::Stage> said{};
    std::string failure{};  // the error of its last start; empty: none
    /// Intensities for its notes; empty: unknown.
    std::optional<std::string> at_submission{};
    std::string at_start{};
    std::string cluster{};  ///< worker cluster where it runs or is expected to; empty: none
  };
  void OfferRefused(core::JobId number, const Error& why);
  void TakeOffers();
  Result<std::vector<engine::JobReport>> WaitBesideBudgets(Time deadline);
  Status MayStart(const engine::Command& command, const kubernetes::GatedObject* object);
  void TakeFact(const engine::Fact& fact);
  void TakeSubmission(const core::Job& job);
  core::Job WithDeadline(core::Job job) const;
  bool FollowMeanwhile(core::JobId job, const core::Job& offered);
  void HearChanges();
  void SettleUnknown();
  std::vector<engine::JobReport> Translated(std::vector<engine::JobReport> reports);
  void Tell(const engine::Explanation& explanation);
  void FollowRecords();
  std::optional<core::JobId> JobOfObject(const std::string& uid) const;
  int SiteOf(int pool) const;
  void NoteIntensities(const engine::Explanation& explanation,
                       const kubernetes::GatedObject& object, bool is_news, Known& known) const;

  kubernetes::ClusterExecutor& cluster_;
  service::ExecutorPorts ports_;
  ClusterJobsOptions options_;
  struct Change {
    core::JobId number;
    std::future<Result<service::Answer>> answer;
  };
  ObjectJobs jobs_;
  std::unordered_map<core::JobId, Known> known_;
  ServiceOffers offers_;
  std::vector<Change> changes_;             // requests without an answer yet
  std::vector<engine::JobReport> early_;    // on jobs in offers_, with the cluster's numbers
  std::vector<engine::JobReport> reports_;  // with the service's numbers
  bool settled_ = false;
  RunningSlots running_;
  std::int64_t node_wait_changes_ = 0;         // changes that were published
  std::unique_ptr<NamespaceBudgets> budgets_;  // nullptr if there are no budgets
  PodAccounts accounts_;
  NodeOverheads overheads_;
  ObjectFigures figures_;
  // Ended jobs that agents may still report, by uid, with the time since boot of their end.
  std::map<std::string, std::pair<core::JobId, Duration>> ended_;
  runtime::Heartbeat heartbeat_;
};

}  // namespace ebb::app
