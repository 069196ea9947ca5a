#pragma once
// A program's meter that says when it has handed readings on, so that accounting needs no thread of
// its own. Private to lib/.

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "local/program_meter.h"

namespace ebb::lib {

class TickingMeter final : public local::ProgramMeter {
 public:
  /// Called on the sampler's thread after each hand-over, with what was handed over.
  using AfterReadings = std::function<void(const std::vector<core::EnergyReading>&)>;

  TickingMeter(std::unique_ptr<local::ProgramMeter> meter, AfterReadings after)
      : after_(std::move(after)), meter_(std::move(meter)) {}

  void Start(pid_t root, const meter::Cgroup* cgroup, Sink sink) override {
    meter_->Start(root, cgroup, [this, sink](const std::vector<core::EnergyReading>& readings) {
      sink(readings);
      after_(readings);
    });
  }
  void Mark() override { meter_->Mark(); }
  meter::SamplerSummary Stop() override { return meter_->Stop(); }

 private:
  // The meter, whose thread calls it, ends first.
  AfterReadings after_;
  std::unique_ptr<local::ProgramMeter> meter_;
};

}  // namespace ebb::lib
