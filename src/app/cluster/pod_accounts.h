#pragma once
// What the agents of nodes measured of pods, as energy of the jobs that the pods are of: each
// record is divided among jobs, and what is no job's is idle or unattributed, so that over all
// nodes
//
//   jobs + idle + unattributed = nodes      to the microjoule.
//
// A job's account is complete once the agents of all nodes on which it had pods have told of the
// time after its end.
//
// Thread contract: the loop's.

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "kubernetes/agent_reader.h"
#include "kubernetes/pod_directory.h"
#include "local/measured_process.h"
#include "service/outside_metering.h"

namespace ebb::app {

class PodAccounts {
 public:
  struct Ports {
    service::OutsideMetering& metering;
    /// Both nullptr: nobody measures.
    kubernetes::AgentReader* agents;
    kubernetes::PodDirectory* pods;
    /// The job of an object (uid), ended or not; nothing: none of the service's.
    std::function<std::optional<core::JobId>(const std::string& object)> job_of;
    std::function<Time()> now;
    std::function<Duration()> since_boot;
  };
  explicit PodAccounts(Ports ports);

  /// What another life has counted of an object is in its job; its pods count from then on.
  void CountedBefore(const std::string& object, Time until) { counted_until_[object] = until; }
  /// The job has ended. False: all of it is there, as nobody measures where it ran; otherwise the
  /// service is told when it is.
  bool Ended(core::JobId job, const std::string& object);
  /// Of an attempt that is under way. Nothing: it was not measured so far.
  std::optional<local::LiveFigures> FiguresOf(core::JobId job, int attempt) const;
  /// Of all nodes on which an object had pods, the latest moment that was told of.
  std::optional<Time> TakenUpTo(const std::string& object) const;
  /// Takes in what was fetched. True: figures have changed.
  bool Tick();
  /// When to call it again, where nothing is fetched before.
  std::optional<Duration> NextDue() const;
  /// Nothing is heard of the job any more.
  void Forget(core::JobId job);

 private:
  struct Waiting {
    kubernetes::NodeRecords records;
    Duration since{};
  };
  struct Account {
    int attempt = 0;
    Energy energy;
    Emissions emissions;
    std::map<std::string, std::pair<Power, Time>> power;  // by node, as of when
  };
  struct Ending {
    std::string object;
    std::set<std::string> nodes;
    Time at{};
    Duration since{};
  };
  struct Shares;
  bool HasUnknownPods(const kubernetes::NodeRecords& records) const;
  void RememberStrangers(const kubernetes::NodeRecords& records);
  void Take(const kubernetes::NodeRecords& records);
  void Divide(const std::string& node, const core::DeviceEnergy& device, Shares& shares);
  void Enter(const std::string& node, Shares& shares);
  bool LookAtEnds();

  Ports ports_;
  std::deque<Waiting> waiting_;
  std::set<std::string> strangers_;  // pods that nobody knows, although somebody waited for that
  std::unordered_map<core::JobId, Account> live_;
  std::unordered_map<std::string, Time> counted_until_;  // by object
  std::map<core::JobId, Ending> ending_;
  std::set<core::JobId> completed_;  // that the service was told of
};

}  // namespace ebb::app
