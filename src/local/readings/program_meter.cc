#include "local/readings/program_meter.h"

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

}  // namespace

std::unique_ptr<ProgramMeter> MakeOwnMeter(std::vector<std::unique_ptr<meter::Meter>> meters,
                                           meter::SamplerOptions options) {
  return std::make_unique<OwnMeter>(std::move(meters), std::move(options));
}

}  // namespace ebb::local
