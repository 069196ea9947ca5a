#include "report/run/codecarbon_csv.h"

#include <algorithm>
#include <ctime>

#include "base/csv.h"
#include "base/text.h"
#include "core/signal/countries.h"
#include "report/run/known_emissions.h"

namespace ebb::report {
namespace {

constexpr std::string_view kColumns =
    "timestamp,project_name,run_id,experiment_id,duration,emissions,emissions_rate,cpu_power,"
    "gpu_power,ram_power,cpu_energy,gpu_energy,ram_energy,energy_consumed,water_consumed,"
    "country_name,country_iso_code,region,cloud_provider,cloud_region,os,python_version,"
    "codecarbon_version,cpu_count,cpu_model,gpu_count,gpu_model,longitude,latitude,ram_total_size,"
    "tracking_mode,cpu_utilization_percent,gpu_utilization_percent,ram_utilization_percent,"
    "ram_used_gb,on_cloud,pue,wue";

std::string LocalTimestamp(Time time) {
  const auto seconds = static_cast<std::time_t>(
      std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count());
  std::tm local{};
  localtime_r(&seconds, &local);
  char text[64];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &local);
  return text;
}

// "2 x NVIDIA A100, 1 x Tesla T4", joined as CodeCarbon does.
std::string GpuModels(const std::vector<std::string>& models) {
  std::vector<std::pair<std::string, int>> counts;
  for (const std::string& model : models) {
    const auto it = std::find_if(counts.begin(), counts.end(),
                                 [&](const auto& count) { return count.first == model; });
    if (it == counts.end())
      counts.emplace_back(model, 1);
    else
      ++it->second;
  }
  std::vector<std::string> parts;
  for (const auto& [model, count] : counts) parts.push_back(std::to_string(count) + " x " + model);
  return Join(parts, ", ");
}

double WeightedMean(const core::RunRecord& run, double core::Attempt::*member) {
  double sum = 0, seconds = 0;
  for (const core::Attempt& attempt : run.attempts) {
    sum += attempt.*member * Seconds(attempt.wall.length());
    seconds += Seconds(attempt.wall.length());
  }
  return seconds > 0 ? sum / seconds : 0;
}

void AddEnergyFields(const core::RunRecord& run, const Summary& summary, EmissionsFields& fields) {
  const core::LedgerTotals& totals = summary.totals;
  const double seconds = Seconds(summary.running_time);
  const auto per_second = [&](double value) {
    return FormatExact(seconds > 0 ? value / seconds : 0);
  };
  // PUE may differ between rows; each component takes the run's mean ratio.
  const double pue = totals.energy == Energy{}
                         ? run.spec.pue.ratio
                         : totals.facility_energy.joules() / totals.energy.joules();
  fields["duration"] = FormatExact(seconds);
  // Unknown emissions are an empty field: readers of CSV take that as missing, and would take 0 as
  // a figure.
  if (const auto known = KnownEmissions(totals)) {
    fields["emissions"] = FormatExact(known->grams / 1000);
    fields["emissions_rate"] = per_second(known->grams / 1000);
  }
  fields["cpu_power"] = per_second(totals.cpu.joules());
  fields["gpu_power"] = per_second(totals.gpu.joules());
  fields["ram_power"] = per_second(totals.ram.joules());
  fields["cpu_energy"] = FormatExact(totals.cpu.kwh() * pue);
  fields["gpu_energy"] = FormatExact(totals.gpu.kwh() * pue);
  fields["ram_energy"] = FormatExact(totals.ram.kwh() * pue);
  fields["energy_consumed"] = FormatExact(totals.facility_energy.kwh());
  // CodeCarbon's water is WUE times energy with PUE; Ebb's own reports follow the definition of
  // WUE.
  const double wue = run.spec.wue_l_per_kwh.value_or(0);
  fields["water_consumed"] = wue > 0 ? FormatExact(totals.facility_energy.kwh() * wue) : "0.0";
  fields["pue"] = FormatExact(run.spec.pue.ratio);
  fields["wue"] = wue > 0 ? FormatExact(wue) : "0.0";
}

void AddMachineFields(const core::RunRecord& run, EmissionsFields& fields) {
  const core::Machine& machine = run.spec.machine;
  const double ram_used_gb = WeightedMean(run, &core::Attempt::ram_used_gb);
  fields["os"] = machine.operating_system;
  fields["cpu_count"] = std::to_string(machine.cpu_count);
  fields["cpu_model"] = machine.cpu_model;
  fields["gpu_count"] = std::to_string(machine.gpu_models.size());
  fields["gpu_model"] = GpuModels(machine.gpu_models);
  fields["ram_total_size"] = FormatExact(machine.ram_total_gb);
  fields["cpu_utilization_percent"] =
      FormatExact(WeightedMean(run, &core::Attempt::cpu_utilisation_percent));
  fields["gpu_utilization_percent"] =
      FormatExact(WeightedMean(run, &core::Attempt::gpu_utilisation_percent));
  fields["ram_utilization_percent"] =
      FormatExact(machine.ram_total_gb > 0 ? 100 * ram_used_gb / machine.ram_total_gb : 0);
  fields["ram_used_gb"] = FormatExact(ram_used_gb);
}

}  // namespace

const std::vector<std::string>& EmissionsColumns() {
  static const std::vector<std::string> columns = [] {
    std::vector<std::string> names;
    for (const std::string_view name : Split(kColumns, ',')) names.emplace_back(name);
    return names;
  }();
  return columns;
}

EmissionsFields EmissionsFieldsOf(const core::RunRecord& run, const Summary& summary) {
  EmissionsFields fields;
  fields["timestamp"] =
      LocalTimestamp(run.attempts.empty() ? run.spec.created_wall : run.attempts.back().wall.end);
  fields["project_name"] = run.spec.name;
  fields["run_id"] = run.spec.run_id;
  fields["experiment_id"] = run.spec.group;
  if (const core::Country* country = core::CountryOfZone(run.spec.signal.zone)) {
    fields["country_name"] = country->name;
    fields["country_iso_code"] = country->iso3;
  }
  const core::Location& location = run.spec.location;
  fields["region"] = location.region.empty() ? run.spec.signal.zone : location.region;
  fields["cloud_provider"] = location.cloud_provider;
  fields["cloud_region"] = location.cloud_region;
  fields["codecarbon_version"] = "ebb " EBB_VERSION;
  fields["tracking_mode"] = run.spec.scope == core::MeterScope::kMachine ? "machine" : "process";
  fields["on_cloud"] = location.cloud_provider.empty() ? "N" : "Y";
  AddEnergyFields(run, summary, fields);
  AddMachineFields(run, fields);
  return fields;
}

std::string EmissionsLine(const std::vector<std::string>& columns, const EmissionsFields& fields) {
  std::vector<std::string> cells;
  for (const std::string& column : columns) {
    const auto field = fields.find(column);
    cells.push_back(field == fields.end() ? "" : field->second);
  }
  return CsvLine(cells);
}

std::string EmissionsCsv(const core::RunRecord& run, const Summary& summary) {
  const auto& columns = EmissionsColumns();
  return CsvLine(columns) + "\n" + EmissionsLine(columns, EmissionsFieldsOf(run, summary)) + "\n";
}

}  // namespace ebb::report
