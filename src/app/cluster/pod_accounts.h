#pragma once
// Turns what agents measured of pods into the energy of the jobs that own the pods. Each record is
// divided among jobs; the rest is idle or unattributed. So, over all nodes,
//
//
//   jobs + idle + unattributed = nodes      to the microjoule.
//
// The idle energy of a node of a group belongs by rule to the jobs that ran there before
// (kubernetes/nodes/node_timelines.h); its rows have devices that end in "/idle".
//
// A job's account is complete once every agent of a node on which it had pods has reported up to
// its end.
//
// Thread contract: the loop's.

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "kubernetes/nodes/agent_reader.h"
#include "kubernetes/nodes/node_timelines.h"
#include "kubernetes/nodes/pod_directory.h"
#include "local/process/measured_process.h"
#include "service/accounting/outside_metering.h"

namespace ebb::app {

class PodAccounts {
 public:
  struct Ports {
    service::OutsideMetering& metering;
    /// Both are nullptr if nobody measures.
    kubernetes::AgentReader* agents;
    kubernetes::PodDirectory* pods;
    /// The job of an object (uid), running or ended; nullopt if the service has none for it.
    std::function<std::optional<core::JobId>(const std::string& object)> job_of;
    /// The idle stretch of a node at a given moment; nullptr if it belongs to nobody.
    std::function<const kubernetes::NodeStretch*(const std::string& node, Time)> idle_at;
    /// Receives the idle energy that was counted for an object.
    std::function<void(const std::string& object, const core::LedgerTotals&)> idle_counted;
    std::function<Time()> now;
    std::function<Duration()> since_boot;
  };
  explicit PodAccounts(Ports ports);

  /// An earlier controller counted this object's energy until then; count only what came later.
  void CountedBefore(const std::string& object, Time until) { counted_until_[object] = until; }
  /// Adds a reading of a job that no agent has made.
  core::LedgerTotals Add(core::JobId job, int attempt, const core::EnergyReading& reading);
  /// The job has ended. True: more may arrive, and the service is notified once all has. False:
  /// nothing more will arrive, because nobody measures where it ran.
  bool Ended(core::JobId job, const std::string& object);
  /// Figures of an attempt that is running; nullopt if it has not been measured yet.
  std::optional<local::LiveFigures> FiguresOf(core::JobId job, int attempt) const;
  /// The latest moment that any node with pods of this object has reported.
  std::optional<Time> CountedUpTo(const std::string& object) const;
  /// Counts fetched records, except while a record names a pod that the API server may report in a
  /// moment. True if figures have changed.
  bool Tick();
  /// When to call Tick again if nothing is fetched before.
  std::optional<Duration> NextDue() const;
  /// Drops the job's account.
  void Forget(core::JobId job);

 private:
  struct Account {
    int attempt = 0;
    Energy energy;
    Emissions emissions;
    std::map<std::string, std::pair<Power, Time>> power;  // power by node, and the time of its
                                                          // reading
  };
  struct Ending {
    std::string object;
    std::set<std::string> nodes;
    Time at{};
    Duration since{};
  };
  struct Shares;
  void FollowUnknownPods(const kubernetes::NodeRecords& records);
  bool MayBecomeKnown(const kubernetes::NodeRecords& records) const;
  bool CountWaiting();
  void Take(const kubernetes::NodeRecords& records);
  void Divide(const std::string& node, const core::DeviceEnergy& device, Shares& shares);
  Energy DivideIdle(const std::string& node, const core::DeviceEnergy& device, Shares& shares);
  bool CountedBefore(const std::string& object, const core::DeviceEnergy& device) const;
  core::LedgerTotals Enter(core::JobId job, int attempt,
                           std::span<const core::EnergyReading> readings);
  void Enter(const std::string& node, Shares& shares);
  bool LookAtEnds();

  Ports ports_;
  std::deque<kubernetes::NodeRecords> waiting_;
  std::unordered_map<std::string, Duration> unknown_since_;  // by pod: when it was first seen
  std::unordered_map<core::JobId, Account> live_;
  std::unordered_map<std::string, Time> counted_until_;  // by object
  std::map<core::JobId, Ending> ending_;
  std::set<core::JobId> completed_;  // jobs whose accounts the service knows to be complete
};

}  // namespace ebb::app
