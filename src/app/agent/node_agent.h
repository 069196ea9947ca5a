#pragma once
// Measures a node of a cluster and divides its energy among pods (meter/sharing/node_split.h).
// Short samples are joined into records, which the spool keeps for the controller.
//
// Thread contract: Start, Stop and the destructor on one thread; figures from any.

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/agent/record_spool.h"
#include "meter/gpu/gpu_processes.h"
#include "meter/meters.h"
#include "meter/sampler.h"
#include "meter/sharing/kepler.h"
#include "meter/sharing/node_split.h"

namespace ebb::app {

struct NodeAgentOptions {
  meter::MeterOptions meters;  ///< meters for the scope machine
  /// Must have answered before. If set, the processors and the shares of pods are those that it
  /// reports.
  std::shared_ptr<meter::KeplerExporter> kepler{};
  std::string cgroup_root = "/sys/fs/cgroup";
  Duration interval{std::chrono::seconds{2}};  ///< between samples
  Duration record{std::chrono::seconds{30}};   ///< time that each record covers
  /// Tells people what they should know.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

/// Sums since the agent started.
struct NodeFigures {
  struct Sums {
    Energy pods, idle, unattributed;
  };
  std::map<core::Component, Sums> by_component;
  /// Energy by pod uid, of pods that exist or existed lately.
  std::map<std::string, std::map<core::Component, Energy>> by_pod;
  double lost_cpu_s = 0;  ///< CPU time of unknown pods
  std::vector<std::string> meters;
};

class NodeAgent {
 public:
  NodeAgent(NodeAgentOptions options, RecordSpool& spool);
  ~NodeAgent();

  /// Ends the last record at this moment.
  void Stop();
  NodeFigures figures() const;

 private:
  class Samples;
  std::unique_ptr<Samples> samples_;
  std::unique_ptr<meter::Sampler> sampler_;
  NodeAgentOptions options_;
};

}  // namespace ebb::app
