#pragma once
// The devices of a Slurm cluster as pools: the GPUs of one type, and the cores, of all nodes that
// are in the same partitions. Devices that jobs of others use do not count.
//
// Thread contract: one thread.

#include <map>
#include <string>
#include <vector>

#include "core/devices/cluster.h"
#include "slurm/client/slurm_job.h"

namespace ebb::slurm {

class SlurmPools {
 public:
  explicit SlurmPools(core::Site site) { cluster_.sites.push_back(std::move(site)); }

  /// Keeps the numbers of the pools of an earlier life. Call it before the first Take.
  void KeepPools(const core::Cluster& before);
  /// `ours`: devices that Ebb's own running jobs use, by pool.
  void Take(const std::vector<SlurmNode>& nodes, const std::map<int, int>& ours);
  const core::Cluster& cluster() const { return cluster_; }

  /// Models of the pools whose devices the job may get: by its partitions and its type of GPU.
  std::vector<std::string> ModelsFor(const SlurmJob& job) const;
  /// The first pool of these models; 0 if there is none.
  int PoolOf(const std::vector<std::string>& models) const;
  /// The pool in which a job runs: that of its node, if it is known.
  int PoolOfRunning(const SlurmJob& job) const;

 private:
  struct Kind {
    std::string type;                     // "a100"; "gpu" without a type; "cpu": cores
    std::vector<std::string> partitions;  // sorted
    bool has_gpus() const { return type != "cpu"; }
    friend auto operator<=>(const Kind&, const Kind&) = default;
  };
  struct Count {
    int up = 0, away = 0, used = 0;
  };
  static std::string ModelOf(const Kind& kind);
  int NumberOf(const Kind& kind);

  core::Cluster cluster_;
  std::map<std::string, int> numbers_;                             // by model
  std::map<int, Kind> kinds_;                                      // by pool
  std::map<std::string, std::vector<std::string>> partitions_of_;  // by node
};

}  // namespace ebb::slurm
