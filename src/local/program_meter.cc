#include "local/program_meter.h"

#include <optional>

namespace ebb::local {
namespace {

class OwnMeter final : public ProgramMeter {
 public:
  OwnMeter(std::vector<std::unique_ptr<meter::Meter>> meters, meter::SamplerOptions options)
      : sampler_(std::move(meters), std::move(options),
                 [this](std::vector<core::EnergyReading> readings, meter::Utilisation) {
                   sink_(std::move(readings));
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
  Sink sink_;
  meter::Sampler sampler_;
};

class SharedMeter final : public ProgramMeter {
 public:
  SharedMeter(meter::MachineMeter& machine, std::vector<meter::GpuHolding> gpus, double reserved)
      : machine_(machine), gpus_(std::move(gpus)), reserved_(reserved) {}
  ~SharedMeter() override { Stop(); }
  void Start(pid_t root, const meter::Cgroup* cgroup, Sink sink) override {
    number_ = machine_.Join({root, cgroup, gpus_, reserved_}, std::move(sink));
  }
  void Mark() override { machine_.Mark(); }
  meter::SamplerSummary Stop() override {
    if (number_) summary_ = machine_.Leave(*number_);
    number_.reset();
    return summary_;
  }

 private:
  meter::MachineMeter& machine_;
  std::vector<meter::GpuHolding> gpus_;
  double reserved_;
  std::optional<int> number_;
  meter::SamplerSummary summary_;
};

}  // namespace

std::unique_ptr<ProgramMeter> MakeOwnMeter(std::vector<std::unique_ptr<meter::Meter>> meters,
                                           meter::SamplerOptions options) {
  return std::make_unique<OwnMeter>(std::move(meters), std::move(options));
}

std::unique_ptr<ProgramMeter> MakeSharedMeter(meter::MachineMeter& machine,
                                              std::vector<meter::GpuHolding> gpus,
                                              double reserved) {
  return std::make_unique<SharedMeter>(machine, std::move(gpus), reserved);
}

}  // namespace ebb::local
