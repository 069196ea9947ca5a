#include "meter/sharing/utilisation.h"

#include <algorithm>

#include "meter/cpu/cpu_info.h"

namespace ebb::meter {
namespace {

std::optional<double> Percent(std::optional<std::chrono::nanoseconds> cpu_time,
                              const IntervalUsage& usage) {
  const double available_seconds = usage.seconds() * usage.logical_processors;
  if (!cpu_time || available_seconds <= 0) return std::nullopt;
  const double used_seconds = std::chrono::duration<double>(*cpu_time).count();
  return std::clamp(100 * used_seconds / available_seconds, 0.0, 100.0);
}

}  // namespace

Utilisation UtilisationOf(const IntervalUsage& usage,
                          const std::vector<std::unique_ptr<Meter>>& meters) {
  Utilisation utilisation;
  utilisation.wall = usage.wall;
  utilisation.tree_cpu_percent = Percent(usage.tree_cpu, usage);
  // The kernel counts the machine's time in coarser steps than the time of processes.
  utilisation.cpu_percent = std::max(Percent(usage.machine_busy, usage).value_or(0),
                                     utilisation.tree_cpu_percent.value_or(0));
  utilisation.ram_gb = usage.tree_resident_bytes.value_or(0) / kBytesPerGib;
  for (const auto& meter : meters)
    for (DeviceUtilisation& gpu : meter->utilisation()) utilisation.gpus.push_back(std::move(gpu));
  for (const DeviceUtilisation& gpu : utilisation.gpus)
    utilisation.gpu_percent += gpu.percent / static_cast<double>(utilisation.gpus.size());
  return utilisation;
}

void MeanUtilisation::Add(const Utilisation& part, double seconds) {
  if (seconds_ == 0) mean_.wall.begin = part.wall.begin;
  mean_.wall.end = part.wall.end;
  seconds_ += seconds;
  const double weight = seconds_ > 0 ? seconds / seconds_ : 1;
  const auto blend = [weight](double& mean, double value) { mean += weight * (value - mean); };
  blend(mean_.cpu_percent, part.cpu_percent);
  blend(mean_.ram_gb, part.ram_gb);
  blend(mean_.gpu_percent, part.gpu_percent);
}

}  // namespace ebb::meter
