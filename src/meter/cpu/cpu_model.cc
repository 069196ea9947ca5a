#include "meter/cpu/cpu_model.h"

#include "meter/cpu/cpu_table.h"
#include "meter/small_file.h"

namespace ebb::meter {
namespace {

constexpr double kIdleShare = 0.1;
constexpr double kFallbackWattsPerThread = 4.0;
constexpr char kDevice[] = "cpu";

std::string Watts(double watts) { return FormatFigure(watts) + " W"; }

std::string PartName(const CpuPart& part) {
  std::string name(part.name);
  if (!part.taken_from.empty()) name += ", taken as " + std::string(part.taken_from);
  return name;
}

CpuPower FromTable(const CpuPart& part, const CpuInfo& info) {
  if (info.virtual_machine) {
    const double share = static_cast<double>(info.logical_processors) / part.threads;
    return {part.tdp_w * share, std::to_string(info.logical_processors) + "/" +
                                    std::to_string(part.threads) + " of " + PartName(part) + ", " +
                                    Watts(part.tdp_w)};
  }
  if (info.packages == 1) return {part.tdp_w, PartName(part)};
  return {part.tdp_w * info.packages,
          std::to_string(info.packages) + " x " + PartName(part) + ", " + Watts(part.tdp_w)};
}

std::chrono::duration<double> AsSeconds(std::chrono::nanoseconds time) { return time; }

}  // namespace

CpuPower VisibleCpuPower(const CpuInfo& info, std::optional<double> override_w) {
  if (override_w) return {*override_w, "--cpu-tdp"};
  if (const CpuPart* part = FindCpuPart(info.model_name)) return FromTable(*part, info);
  return {kFallbackWattsPerThread * info.logical_processors,
          "4 W per thread; unknown CPU \"" + info.model_name + "\"", false};
}

CpuModelMeter::CpuModelMeter(CpuPower power, int logical_processors, core::MeterScope scope,
                             LoadCurve curve)
    : power_(std::move(power)),
      logical_processors_(logical_processors),
      scope_(scope),
      curve_(curve) {}

double CpuModelMeter::IdleWatts(const CpuPower& power) { return kIdleShare * power.tdp_w; }

std::string CpuModelMeter::Description() const {
  return "cpu: model, TDP " + Watts(power_.tdp_w) + " for " + std::to_string(logical_processors_) +
         (logical_processors_ == 1 ? " logical processor (" : " logical processors (") +
         power_.provenance + "), by CPU time of the " +
         (scope_ == core::MeterScope::kMachine ? "machine" : "process tree") +
         (curve_ == LoadCurve::kCodeCarbon ? ", CodeCarbon's curve" : "");
}

void CpuModelMeter::Start(Instant) {
  carry_ = {};
  gaps_.Clear();
}

std::vector<core::EnergyReading> CpuModelMeter::Sample(const IntervalUsage& usage) {
  const auto joules = Joules(usage);
  if (!joules) {
    gaps_.Add(kDevice, "the CPU time cannot be read from /proc", usage.seconds());
    return {};
  }
  return {{kDevice, core::Component::kCpu, core::EnergySource::kModel, usage.wall,
           carry_.Add(*joules)}};
}

std::optional<double> CpuModelMeter::Joules(const IntervalUsage& usage) const {
  const auto& cpu_time = scope_ == core::MeterScope::kMachine ? usage.machine_busy : usage.tree_cpu;
  if (!cpu_time) return std::nullopt;
  const double full_load_seconds = AsSeconds(*cpu_time).count() / usage.logical_processors;
  if (scope_ == core::MeterScope::kProcessTree) return power_.tdp_w * full_load_seconds;
  const double load = usage.seconds() > 0 ? full_load_seconds / usage.seconds() : 0;
  const double curved = curve_ == LoadCurve::kCodeCarbon ? load * load * load : load;
  return power_.tdp_w * usage.seconds() * (kIdleShare + (1 - kIdleShare) * curved);
}

}  // namespace ebb::meter
