#include "meter/cpu/ram_model.h"

#include <algorithm>
#include <cmath>

#include "meter/cpu/cpu_info.h"
#include "meter/small_file.h"

namespace ebb::meter {
namespace {

constexpr char kDevice[] = "ram";
constexpr double kWattsPerModuleX86 = 5.0;
constexpr double kWattsPerModuleArm = 1.5;
constexpr double kLeastWattsX86 = 10.0;
constexpr double kLeastWattsArm = 3.0;
constexpr int kMostModules = 32;

// Servers with many modules run each of them at less than its full power.
double EffectiveModules(int modules) {
  const auto within = [modules](int first, int last) {
    return static_cast<double>(std::clamp(modules, first, last) - first);
  };
  return within(0, 4) + 0.9 * within(4, 8) + 0.8 * within(8, 16) + 0.7 * within(16, kMostModules);
}

}  // namespace

Architecture ThisArchitecture() {
#if defined(__aarch64__) || defined(__arm__)
  return Architecture::kArm;
#else
  return Architecture::kX86;
#endif
}

int EstimateModules(double total_gib) {
  if (total_gib <= 2) return 1;
  if (total_gib <= 16) return 2;
  if (total_gib <= 64) return 4;
  if (total_gib <= 128) return 8;
  // Module size: the largest common one with which the memory has at least eight modules.
  double module_gib = 4;
  while (module_gib < 128 && module_gib * 2 <= total_gib / 8) module_gib *= 2;
  return std::min(kMostModules, static_cast<int>(std::ceil(total_gib / module_gib)));
}

double EstimateRamPower(double total_gib, Architecture architecture) {
  const bool arm = architecture == Architecture::kArm;
  const double watts = EffectiveModules(EstimateModules(total_gib)) *
                       (arm ? kWattsPerModuleArm : kWattsPerModuleX86);
  return std::max(watts, arm ? kLeastWattsArm : kLeastWattsX86);
}

RamModelMeter::RamModelMeter(double total_bytes, std::optional<double> override_w,
                             core::MeterScope scope)
    : total_bytes_(total_bytes),
      power_w_(
          override_w.value_or(EstimateRamPower(total_bytes / kBytesPerGib, ThisArchitecture()))),
      overridden_(override_w.has_value()),
      scope_(scope) {}

std::string RamModelMeter::Description() const {
  const double gib = total_bytes_ / kBytesPerGib;
  const std::string basis =
      overridden_ ? "--ram-power" : std::to_string(EstimateModules(gib)) + " modules assumed";
  return "ram: model, " + FormatFigure(power_w_) + " W for " + FormatFigure(gib) + " GiB (" +
         basis + ")" + (scope_ == core::MeterScope::kMachine ? "" : ", share of the resident set");
}

void RamModelMeter::Start(Instant) {
  carry_ = {};
  gaps_.Clear();
}

std::vector<core::EnergyReading> RamModelMeter::Sample(const IntervalUsage& usage) {
  const auto share = Share(usage);
  if (!share) {
    gaps_.Add(kDevice, "the resident size cannot be read from /proc", usage.seconds());
    return {};
  }
  return {{kDevice, core::Component::kRam, core::EnergySource::kModel, usage.wall,
           carry_.Add(power_w_ * *share * usage.seconds())}};
}

std::optional<double> RamModelMeter::Share(const IntervalUsage& usage) const {
  if (scope_ == core::MeterScope::kMachine) return 1.0;
  if (!usage.tree_resident_bytes) return std::nullopt;
  // Pages that processes share are counted once for each process, so the sum may exceed the total.
  return std::min(1.0, *usage.tree_resident_bytes / total_bytes_);
}

}  // namespace ebb::meter
