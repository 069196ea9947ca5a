#pragma once
// Which worker cluster a workload is sent to, and when that has to be thought over.
//
// A job that waits is decided by the engine: each worker cluster is a site with a zone and pools of
// its own, so a plan is a place and a time, and what the engine has sent to a cluster holds devices
// there. This class tells the engine how many devices each cluster has (RoomIn), and chooses for
// workloads that do not wait (Choose).
//
//   - A cluster that the manager does not reach has only what already runs there; the rest is away.
//   - A cluster that has not admitted a workload in time is full: it has only what it has admitted,
//     until something of it ends, or for a while. That is all that is known of a cluster whose
//     quota nobody has stated.
//
// Pure: told by reflectors and by the caller's clock.

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json_node.h"
#include "base/time.h"
#include "base/units.h"
#include "kubernetes/dispatch/worker_cluster.h"

namespace ebb::kubernetes {

struct DispatchOptions {
  /// Kueue asks for nominations under this name (multiKueue.dispatcherName); empty: it does not.
  std::string name{};
  /// A nominated cluster that has not admitted the workload within this time is full.
  Duration admits_within{std::chrono::minutes{5}};
  /// How long it counts as full, unless something there ends before.
  Duration full_for{std::chrono::minutes{10}};
  /// Mean intensity that is expected in a zone over a run that starts now; nothing: unknown.
  std::function<std::optional<Intensity>(const std::string& zone, Duration run)> expected =
      [](const std::string&, Duration) { return std::nullopt; };
};

/// Devices of a cluster for the workloads of one queue.
struct ClusterRoom {
  int count = 0;
  int away = 0;  ///< expected back, nobody knows when
  friend bool operator==(const ClusterRoom&, const ClusterRoom&) = default;
};

/// Quota of the manager's queue, and who uses it in one cluster.
struct ClusterUse {
  double nominal = 0;  ///< of the manager's queue
  double others = 0;   ///< by workloads that the engine does not know, in flight or admitted
  double ours = 0;     ///< by workloads that the engine has sent there
  /// The part of `others` that an earlier controller has nominated: what runs there, or is taken
  /// back soon. The engine is offered these workloads for this cluster only.
  double in_flight = 0;
};

/// A workload that does not wait.
struct RunNow {
  std::vector<std::string> clusters{};  ///< that it may use
  Duration duration{};
  double devices = 0;
  bool on_gpus = false;
};

class Dispatcher {
 public:
  explicit Dispatcher(DispatchOptions options) : options_(std::move(options)) {}

  bool enabled() const { return !options_.name.empty(); }
  const DispatchOptions& options() const { return options_; }

  // Reports of the reflectors. True: clusters, their order or what is known of them have changed.
  bool TakeCluster(const JsonNode& cluster);
  bool DropCluster(const std::string& uid);
  bool TakeConfig(const JsonNode& config);
  bool DropConfig(const std::string& uid);
  bool TakeCheck(const JsonNode& check);
  bool DropCheck(const std::string& uid);

  /// Tells if one of these checks sends workloads to worker clusters, and Ebb nominates them.
  bool Sends(const std::set<std::string>& checks) const;
  /// Clusters of these checks that have a zone and that the wish accepts, in Kueue's order.
  std::vector<std::string> ClustersOf(const std::set<std::string>& checks,
                                      const ClusterWish& wish) const;
  /// The reason for which ClustersOf is empty, one sentence.
  std::string WhyNone(const std::set<std::string>& checks, const ClusterWish& wish) const;
  /// Returns nullptr for a name that no MultiKueueCluster has.
  const WorkerCluster* Find(const std::string& name) const;
  /// All clusters, by name.
  std::vector<const WorkerCluster*> clusters() const;

  /// Devices of a cluster that the engine may count on.
  ClusterRoom RoomIn(const std::string& cluster, bool on_gpus, const ClusterUse& use,
                     Duration now) const;
  /// The cluster with the fewest grams for a run that starts now, among those that the manager
  /// reaches and that have room for it; if none has room, among those that it reaches. Nothing: it
  /// reaches none.
  std::optional<std::string> Choose(
      const RunNow& run, const std::function<ClusterUse(const std::string& cluster)>& use_of,
      Duration now) const;

  /// A nominated cluster has not admitted a workload in time.
  void DidNotAdmit(const std::string& cluster, Duration now);
  /// A workload there has ended or was evicted.
  void Freed(const std::string& cluster) { full_until_.erase(cluster); }
  bool IsFull(const std::string& cluster, Duration now) const;
  /// When the next full cluster is given another chance.
  std::optional<Duration> NextDue() const;
  /// Forgets that clusters were full, where the time is over. True: some were.
  bool Tick(Duration now);

 private:
  const std::string* ConfigOf(const std::set<std::string>& checks) const;
  const std::vector<std::string>* NamesOf(const std::set<std::string>& checks) const;

  DispatchOptions options_;
  std::map<std::string, WorkerCluster> clusters_;                                    // by uid
  std::map<std::string, std::pair<std::string, std::vector<std::string>>> configs_;  // by uid: name
  std::map<std::string, std::pair<std::string, std::string>> checks_;  // by uid: name, config
  std::map<std::string, Duration> full_until_;                         // by name of the cluster
};

}  // namespace ebb::kubernetes
