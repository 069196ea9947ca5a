#include "app/agent/node_agent.h"

#include <set>
#include <tuple>
#include <utility>

#include "meter/cpu/cpu_info.h"
#include "meter/sharing/idle_meter.h"
#include "platform/system.h"

namespace ebb::app {
namespace {

constexpr std::chrono::minutes kShowsGoneFor{10};
constexpr double kPercent = 100;

}  // namespace

// Works on the sampler's thread, except for figures.
class NodeAgent::Samples {
 public:
  Samples(const NodeAgentOptions& options, RecordSpool& spool)
      : options_(options),
        spool_(spool),
        groups_(options.cgroup_root, options.meters.proc_root),
        processes_(options.meters.use_gpu && !options.meters.dcgm
                       ? meter::GpuProcesses::Open(options.meters.nvml_library)
                       : nullptr),
        processors_(platform::LogicalProcessors()) {}

  // Prepares for the first sample.
  void Begin(std::vector<std::string> meters) {
    use_ = groups_.Look();
    holders_ = Holders();
    if (options_.kepler) kepler_ = options_.kepler->told();
    figures_.meters = std::move(meters);
    SayTrouble();
  }

  void Take(const std::vector<core::EnergyReading>& readings, const meter::Utilisation& node) {
    meter::PodsUse use = groups_.Look();
    meter::GpuHolders holders = Holders();
    meter::PodsInterval interval = meter::Between(use_, use, previous_, node.wall);
    meter::AddHolders(holders_, holders, interval);
    const double seconds = Seconds(node.wall.length());
    interval.busy_s = node.cpu_percent / kPercent * seconds * processors_;
    interval.used_byte_s = node.ram_gb * meter::kBytesPerGib * seconds;
    if (options_.kepler) FollowKepler(interval);
    lost_cpu_s_ += interval.lost_cpu_s;
    previous_ = interval;
    use_ = std::move(use);
    holders_ = std::move(holders);
    split_.Use(std::move(interval));
    split_.Add(readings);
    if (began_ == Time::max()) began_ = node.wall.begin;
    if (node.wall.end - began_ >= options_.record) Close(node.wall.end);
  }

  void Close(Time at) {
    SayTrouble();
    core::NodeRecord record = split_.Take();
    began_ = at;
    if (record.wall.length() <= Duration::zero()) return;
    Count(record);
    spool_.Append(std::move(record));
  }
  void CloseLast() {
    if (began_ != Time::max()) Close(previous_.wall.end);
  }

  NodeFigures figures() const {
    const std::lock_guard lock(mutex_);
    return figures_;
  }

 private:
  // Reports that control groups are missing. The kubelet creates them, perhaps a moment later.
  void SayTrouble() {
    std::string trouble = groups_.Trouble();
    if (!trouble.empty() && trouble != trouble_)
      options_.say(trouble + ": no pod can be told apart, all is unattributed");
    trouble_ = std::move(trouble);
    if (options_.meters.dcgm)
      SayTrouble(options_.meters.dcgm->trouble(), "dcgm-exporter tells of GPUs again",
                 gpu_trouble_);
    if (options_.kepler)
      SayTrouble(options_.kepler->trouble(), "Kepler tells of the CPU again", cpu_trouble_);
  }
  void SayTrouble(std::string now, const char* none, std::string& said) const {
    if (now != said) options_.say(now.empty() ? none : now);
    said = std::move(now);
  }

  // Uses the joules that Kepler gives to each pod, in place of CPU time. While Kepler does not
  // answer, nothing is known; the next answer covers that time too, because its counters do.
  void FollowKepler(meter::PodsInterval& interval) {
    interval.cpu_s.clear();
    interval.busy_s = interval.lost_cpu_s = 0;
    if (!options_.kepler->trouble().empty()) return;
    meter::KeplerNode now = options_.kepler->told();
    meter::AddKepler(kepler_, now, interval);
    kepler_ = std::move(now);
  }

  meter::GpuHolders Holders() const {
    meter::GpuHolders holders;
    if (options_.meters.dcgm) {
      std::ignore = options_.meters.dcgm->Look();  // Look reports its own errors
      for (const meter::DcgmGpu& gpu : options_.meters.dcgm->gpus())
        if (!gpu.pods.empty()) holders["gpu:" + gpu.uuid] = gpu.pods;
    }
    if (!processes_) return holders;
    for (const meter::GpuUsers& users : processes_->Look()) {
      std::set<std::string> pods;
      for (const pid_t pid : users.processes)
        if (std::string pod = groups_.PodOf(pid); !pod.empty()) pods.insert(std::move(pod));
      for (const std::string& pod : pods)
        holders[users.device][pod] += users.share / static_cast<double>(pods.size());
    }
    return holders;
  }

  void Count(const core::NodeRecord& record) {
    const std::lock_guard lock(mutex_);
    for (const core::DeviceEnergy& device : record.devices) {
      NodeFigures::Sums& sums = figures_.by_component[device.component];
      sums.idle += device.idle;
      sums.unattributed += device.unattributed;
      for (const core::PodEnergy& pod : device.pods) {
        sums.pods += pod.energy;
        figures_.by_pod[pod.pod][device.component] += pod.energy;
        seen_[pod.pod] = record.wall.end;
      }
    }
    figures_.lost_cpu_s = lost_cpu_s_;
    std::erase_if(seen_, [&](const auto& seen) {
      const bool is_gone = record.wall.end - seen.second > kShowsGoneFor;
      if (is_gone) figures_.by_pod.erase(seen.first);
      return is_gone;
    });
  }

  const NodeAgentOptions& options_;
  RecordSpool& spool_;
  meter::PodGroups groups_;
  std::unique_ptr<meter::GpuProcesses> processes_;
  const int processors_;
  meter::PodsUse use_;
  meter::GpuHolders holders_;
  meter::PodsInterval previous_;
  meter::NodeSplit split_;
  Time began_ = Time::max();
  double lost_cpu_s_ = 0;
  std::string trouble_, gpu_trouble_, cpu_trouble_;
  meter::KeplerNode kepler_;  // as of Kepler's last answer
  mutable std::mutex mutex_;
  NodeFigures figures_;
  std::map<std::string, Time> seen_;
};

NodeAgent::NodeAgent(NodeAgentOptions options, RecordSpool& spool) : options_(std::move(options)) {
  meter::MeterSet meters = meter::MakeMeters(options_.meters);
  for (const std::string& line : meters.descriptions) options_.say(line);
  for (const std::string& note : meters.notes) options_.say(note);
  const meter::IdleRule rule{meters.cpu_idle_w,
                             meter::ReadTotalMemoryBytes(options_.meters.proc_root)};
  std::vector<std::unique_ptr<meter::Meter>> split;
  for (auto& meter : meters.meters)
    split.push_back(std::make_unique<meter::IdleMeter>(std::move(meter), rule));
  if (options_.kepler) {
    auto meter = std::make_unique<meter::KeplerMeter>(options_.kepler);
    meters.descriptions.insert(meters.descriptions.begin(), meter->Description());
    options_.say(meters.descriptions.front());
    split.push_back(std::move(meter));
  }
  samples_ = std::make_unique<Samples>(options_, spool);
  meter::SamplerOptions sampling;
  sampling.interval = options_.interval;
  sampling.scope = core::MeterScope::kMachine;
  sampling.proc_root = options_.meters.proc_root;
  sampler_ = std::make_unique<meter::Sampler>(
      std::move(split), sampling, [samples = samples_.get()](auto readings, const auto& node) {
        samples->Take(readings, node);
      });
  samples_->Begin(meters.descriptions);
  sampler_->Start({});
}

NodeAgent::~NodeAgent() { Stop(); }

void NodeAgent::Stop() {
  if (!sampler_) return;
  for (const std::string& warning : sampler_->Stop().warnings) options_.say(warning);
  sampler_.reset();
  samples_->CloseLast();
}

NodeFigures NodeAgent::figures() const { return samples_->figures(); }

}  // namespace ebb::app
