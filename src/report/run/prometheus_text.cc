#include "report/run/prometheus_text.h"

#include <algorithm>

#include "base/exposition.h"

namespace ebb::report {
namespace {

using Type = Exposition::Type;

constexpr double kJoulesPerKwh = 3.6e6;

PrometheusTotals::OfComponent& Of(core::Component component, PrometheusTotals& totals) {
  if (component == core::Component::kCpu) return totals.cpu;
  return component == core::Component::kGpu ? totals.gpu : totals.ram;
}

void WriteCodeCarbon(const std::string& project_name, const PrometheusTotals& now,
                     const PrometheusTotals& before, Exposition& out) {
  const std::string labels = ExpositionLabels({{"project_name", project_name}});
  const auto gauge = [&](const char* name, const char* help, double value) {
    out.Metric(std::string("codecarbon_") + name, Type::kGauge, help);
    out.Value(labels, value);
  };
  const auto kwh = [](double joules) { return joules / kJoulesPerKwh; };
  const double seconds = now.duration_s - before.duration_s;
  const double kg = (now.emissions_g - before.emissions_g) / 1000;
  gauge("duration", "Duration since the last measure (s)", seconds);
  // Unknown is not zero, so an unknown figure has no sample.
  const double energy = now.energy_j() - before.energy_j();
  const double unaccounted = now.unaccounted_j - before.unaccounted_j;
  if (unaccounted <= 0 || unaccounted < energy) {
    gauge("emissions", "CO2eq emitted since the last measure (kg)", kg);
    gauge("emissions_rate", "Emissions by duration (kg/s)", seconds > 0 ? kg / seconds : 0);
  }
  gauge("cpu_power", "CPU power (W)", now.cpu.power_w);
  gauge("gpu_power", "GPU power (W)", now.gpu.power_w);
  gauge("ram_power", "RAM power (W)", now.ram.power_w);
  gauge("cpu_energy", "CPU energy since the last measure (kWh)",
        kwh(now.cpu.energy_j - before.cpu.energy_j));
  gauge("gpu_energy", "GPU energy since the last measure (kWh)",
        kwh(now.gpu.energy_j - before.gpu.energy_j));
  gauge("ram_energy", "RAM energy since the last measure (kWh)",
        kwh(now.ram.energy_j - before.ram.energy_j));
  gauge("energy_consumed", "Sum of cpu_energy, gpu_energy and ram_energy (kWh)",
        kwh(now.energy_j() - before.energy_j()));
  out.Metric("codecarbon_energy_total", Type::kCounter, "Energy since the start of the run (kWh)");
  out.Value(labels, kwh(now.energy_j()));
}

void WriteOwn(const std::string& labels, const PrometheusTotals& now, Exposition& out) {
  const auto by_component = [&](double PrometheusTotals::OfComponent::*member) {
    out.Value(labels + ",component=\"cpu\"", now.cpu.*member);
    out.Value(labels + ",component=\"gpu\"", now.gpu.*member);
    out.Value(labels + ",component=\"ram\"", now.ram.*member);
  };
  out.Metric("ebb_run_duration_seconds", Type::kGauge, "How long the run has been measured.");
  out.Value(labels, now.duration_s);
  out.Metric("ebb_energy_joules_total", Type::kCounter, "Energy of the run, PUE included.");
  by_component(&PrometheusTotals::OfComponent::energy_j);
  out.Metric("ebb_power_watts", Type::kGauge, "Latest power, without PUE.");
  by_component(&PrometheusTotals::OfComponent::power_w);
  out.Metric("ebb_emissions_grams_total", Type::kCounter,
             "CO2eq of the energy whose carbon intensity is known.");
  out.Value(labels, now.emissions_g);
  out.Metric("ebb_energy_without_intensity_joules_total", Type::kCounter,
             "Energy whose emissions are unknown, PUE included.");
  out.Value(labels, now.unaccounted_j);
}

}  // namespace

void AddRows(std::span<const core::LedgerRow> rows, PrometheusTotals& totals) {
  if (rows.empty()) return;
  struct Latest {
    double joules = 0;
    Time begin = Time::max(), end = Time::min();
  } latest[3];
  for (const core::LedgerRow& row : rows) {
    const double facility_j = row.energy.joules() * row.pue.ratio;
    Of(row.component, totals).energy_j += facility_j;
    if (const auto emissions = row.emissions())
      totals.emissions_g += emissions->grams;
    else
      totals.unaccounted_j += facility_j;
    Latest& of = latest[static_cast<int>(row.component)];
    of.joules += row.energy.joules();
    of.begin = std::min(of.begin, row.wall.begin);
    of.end = std::max(of.end, row.wall.end);
  }
  for (const auto component : {core::Component::kCpu, core::Component::kGpu, core::Component::kRam})
    if (const Latest& of = latest[static_cast<int>(component)]; of.end > of.begin)
      Of(component, totals).power_w = of.joules / Seconds(of.end - of.begin);
}

std::string PrometheusText(const std::string& project_name, const std::string& run_id,
                           const PrometheusTotals& now, const PrometheusTotals& before) {
  Exposition out;
  WriteCodeCarbon(project_name, now, before, out);
  WriteOwn(ExpositionLabels({{"run_id", run_id}, {"project_name", project_name}}), now, out);
  return out.Take();
}

}  // namespace ebb::report
