#pragma once
// A meter of this process that calls back after each hand-over of readings, so that accounting
// needs no thread of its own. Private to lib/.

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "local/readings/program_meter.h"

namespace ebb::lib {

class TickingMeter final : public local::ProgramMeter {
 public:
  /// Called on the sampler's thread after each hand-over, with the readings and the utilisation.
  using AfterReadings =
      std::function<void(const std::vector<core::EnergyReading>&, const meter::Utilisation&)>;

  TickingMeter(std::vector<std::unique_ptr<meter::Meter>> meters, meter::SamplerOptions options,
               AfterReadings after)
      : after_(std::move(after)),
        sampler_(std::move(meters), std::move(options),
                 [this](const std::vector<core::EnergyReading>& readings,
                        const meter::Utilisation& utilisation) {
                   sink_(readings);
                   after_(readings, utilisation);
                 }) {}

  void Start(pid_t root, const meter::Cgroup* cgroup, Sink sink) override {
    sink_ = std::move(sink);
    std::vector<pid_t> roots;
    if (root > 0) roots.push_back(root);
    sampler_.Start(std::move(roots), cgroup);
  }
  void Mark() override { sampler_.Mark(); }
  meter::SamplerSummary Stop() override { return sampler_.Stop(); }

 private:
  // The sampler's thread calls the sink and the callback, so the sampler is declared last and ends
  // first.
  Sink sink_;
  AfterReadings after_;
  meter::Sampler sampler_;
};

}  // namespace ebb::lib
