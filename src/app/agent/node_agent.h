#pragma once
// Measures a node of a cluster, and whose energy it was (meter/sharing/node_split.h): short
// samples, put together to records that the spool keeps for the controller.
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
  meter::MeterOptions meters;  ///< of the scope machine
  /// Has answered: the processors, and what pods have of them, are as it tells.
  std::shared_ptr<meter::KeplerExporter> kepler{};
  std::string cgroup_root = "/sys/fs/cgroup";
  Duration interval{std::chrono::seconds{2}};  ///< between samples
  Duration record{std::chrono::seconds{30}};   ///< of which each record is made
  /// What a person should know.
  std::function<void(const std::string&)> say = [](const std::string&) {};
};

/// Since the agent started.
struct NodeFigures {
  struct Sums {
    Energy pods, idle, unattributed;
  };
  std::map<core::Component, Sums> by_component;
  /// Of pods that are there or were there lately, by uid.
  std::map<std::string, std::map<core::Component, Energy>> by_pod;
  double lost_cpu_s = 0;  ///< CPU time of pods that nobody knew
  std::vector<std::string> meters;
};

class NodeAgent {
 public:
  NodeAgent(NodeAgentOptions options, RecordSpool& spool);
  ~NodeAgent();

  /// The last record ends now.
  void Stop();
  NodeFigures figures() const;

 private:
  class Samples;
  std::unique_ptr<Samples> samples_;
  std::unique_ptr<meter::Sampler> sampler_;
  NodeAgentOptions options_;
};

}  // namespace ebb::app
