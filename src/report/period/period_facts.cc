#include "report/period/period_facts.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/text.h"

namespace ebb::report {
namespace {

// "2 x NVIDIA A100", "1 x A, 1 x B"; if a run used only some GPUs of several models, "1 of A, B".
std::string GpuText(const core::RunRecord& run) {
  std::set<std::string> used;
  for (const core::LedgerRow& row : run.ledger)
    if (row.component == core::Component::kGpu) used.insert(row.device);
  if (used.empty()) return "";
  std::map<std::string, std::size_t> models;
  for (const std::string& model : run.spec.machine.gpu_models) ++models[model];
  const std::string count = std::to_string(used.size());
  if (models.empty()) return count + (used.size() == 1 ? " GPU" : " GPUs");
  if (models.size() == 1) return count + " x " + models.begin()->first;
  const bool all = run.spec.machine.gpu_models.size() == used.size();
  std::vector<std::string> names;
  for (const auto& [model, number] : models)
    names.push_back((all ? std::to_string(number) + " x " : "") + model);
  return (all ? "" : count + " of ") + Join(names, ", ");
}

std::string HardwareOf(const core::RunRecord& run) {
  std::vector<std::string> parts;
  if (std::string gpus = GpuText(run); !gpus.empty()) parts.push_back(std::move(gpus));
  if (!run.spec.machine.cpu_model.empty()) parts.push_back(run.spec.machine.cpu_model);
  return Join(parts, ", ");
}

void AddKnown(std::set<std::string>& texts, const std::string& text) {
  if (!text.empty()) texts.insert(text);
}

}  // namespace

void WorkSum::Add(std::optional<std::int64_t> of_run) {
  if (!of_run) return;
  count += *of_run;
  ++runs;
}

const WorkSum& PeriodFacts::Of(core::WorkUnit unit) const {
  switch (unit) {
    case core::WorkUnit::kToken:
      return tokens;
    case core::WorkUnit::kSample:
      return samples;
    case core::WorkUnit::kStep:
      break;
  }
  return steps;
}

void PeriodFacts::AddWork(const core::Work& work) {
  tokens.Add(work.tokens);
  samples.Add(work.samples);
  steps.Add(work.steps);
}

void PeriodFacts::AddPue(Pue pue) {
  lowest_pue = std::min(lowest_pue.value_or(pue.ratio), pue.ratio);
  highest_pue = std::max(highest_pue.value_or(pue.ratio), pue.ratio);
}

void PeriodFacts::AddRun(const core::RunRecord& run, const std::string& zone, bool counts) {
  if (counts) {
    ++runs;
    AddWork(run.work);
    if (!run.epochs.empty()) epochs.Add(static_cast<std::int64_t>(run.epochs.size()));
  }
  AddKnown(hardware, HardwareOf(run));
  AddKnown(zones, zone);
  const core::Location& location = run.spec.location;
  AddKnown(regions, location.region);
  const bool both = !location.cloud_provider.empty() && !location.cloud_region.empty();
  AddKnown(clouds, location.cloud_provider + (both ? " " : "") + location.cloud_region);
}

void PeriodFacts::AddPruned(const core::Work& work, const std::string& zone, Pue pue) {
  ++runs;
  AddWork(work);
  AddKnown(zones, zone);
  AddPue(pue);
}

void PeriodFacts::AddReading(const core::LedgerRow& part, core::MeterScope scope) {
  const core::EnergyWay way = core::WayOf(part, scope);
  ways.insert({way.component, way.source, way.shared});
  AddPue(part.pue);
  if (part.component == core::Component::kGpu) gpu_time += part.wall.length();
}

}  // namespace ebb::report
