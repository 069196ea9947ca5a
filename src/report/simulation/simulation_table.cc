#include "report/simulation/simulation_table.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "base/units_text.h"
#include "report/run/known_emissions.h"
#include "report/signal_text.h"

namespace ebb::report {
namespace {

std::string WithInterval(const std::optional<sim::Estimate>& estimate) {
  if (!estimate) return "-";
  std::string text = FormatFixed(estimate->value + 0.0, 1) + " %";
  if (text == "-0.0 %") text = "0.0 %";
  if (!estimate->low || !estimate->high) return text;
  return text + " (" + FormatFixed(*estimate->low, 1) + ".." + FormatFixed(*estimate->high, 1) +
         ")";
}

std::string Misses(const sim::PolicyFigures& policy) {
  return std::to_string(policy.late_starts) + "/" + std::to_string(policy.late_ends);
}

std::string Pauses(const sim::PolicyFigures& policy) {
  if (policy.pauses == 0) return "0";
  return std::to_string(policy.pauses) + " (" + EnergyText(policy.pause_energy) + ")";
}

// The energy of free devices, and the saving with it on both sides.
std::vector<std::string> IdleCells(const sim::PolicyFigures& policy, bool is_known) {
  if (!is_known) return {"unknown", "unknown"};
  return {EmittedText(policy.idle), WithInterval(policy.saving_with_idle_percent)};
}

// A negative share of the possible saving is written as "none".
std::string CapturedText(const std::optional<sim::Estimate>& share) {
  return share && share->value < 0 ? "none" : WithInterval(share);
}

std::string HoursText(double hours) { return FormatDuration(DurationFromSeconds(3600 * hours)); }

std::vector<std::string> PolicyRow(const sim::PolicyFigures& policy, bool idle_is_known) {
  const std::vector<std::string> idle = IdleCells(policy, idle_is_known);
  return {policy.label,
          EmittedText(policy.use),
          EnergyText(policy.use.energy),
          idle[0],
          WithInterval(policy.saving_percent),
          idle[1],
          WithInterval(policy.saving_on_edf_percent),
          CapturedText(policy.share_captured_percent),
          HoursText(policy.mean_wait_h),
          HoursText(policy.p95_wait_h),
          FormatFixed(policy.mean_stretch, 1),
          HoursText(policy.mean_makespan_h),
          Misses(policy),
          Pauses(policy),
          std::to_string(policy.worse_than_run_now)};
}

// The status (measured, estimated ...) of most of the values.
std::string StatusText(const core::IntensitySeries& series) {
  std::map<core::SampleStatus, std::size_t> counts;
  for (const core::Sample& sample : series.samples()) ++counts[sample.status];
  std::string text;
  for (const auto& [status, count] : counts) {
    const double percent =
        100.0 * static_cast<double>(count) / static_cast<double>(series.samples().size());
    text += (text.empty() ? "" : ", ") + std::string(core::Name(status));
    if (counts.size() > 1) text += " " + FormatFixed(percent, 0) + " %";
  }
  return text;
}

std::string BoundText(const sim::Comparison& comparison) {
  if (comparison.known_starts.empty()) return "unknown";
  double grams = 0;
  for (const double of_start : comparison.KnownBound()) grams += of_start;
  const bool in_part = comparison.known_starts.size() < comparison.bound_g.size();
  return EmissionsText({grams}) + (in_part ? " of what is known" : "");
}

}  // namespace

std::string EmittedText(const sim::Use& use) {
  const Energy without = use.energy_without_intensity;
  return KnownEmissionsText(KnownPart(use.emissions, use.energy, without), without);
}

TextTable PolicyTable(const sim::Experiment& experiment) {
  TextTable table{
      {"policy", "emitted", "energy", "idle", "saved", "with idle", "on edf", "captured", "wait",
       "p95", "stretch", "makespan", "late start/end", "pauses", "worse"},
      {},
      false};
  const sim::Comparison& comparison = experiment.comparison;
  for (const sim::PolicyFigures& policy : comparison.policies)
    table.rows.push_back(PolicyRow(policy, experiment.scenario.unknown_idle.empty()));
  if (comparison.bound_g.empty()) return table;
  table.rows.push_back({"best in hindsight", BoundText(comparison), "", "",
                        WithInterval(comparison.bound_saving_percent), "", "", "100.0 %", "", "",
                        "", "", "", "", ""});
  return table;
}

TextTable PublishedTable(const sim::Experiment& experiment) {
  TextTable table{{"figure", "published", "recomputed", "ours", "policy"}, {}, false, {4}};
  const auto number = [](const std::optional<double>& value, int decimals) {
    return value ? FormatFixed(*value, decimals) : std::string("-");
  };
  for (const sim::PublishedComparison& row : experiment.published)
    table.rows.push_back({row.figure.name, number(row.figure.published, row.figure.decimals),
                          number(row.figure.recomputed, row.figure.decimals),
                          number(row.ours, row.figure.decimals), row.figure.policy});
  return table;
}

std::string ExperimentSentence(const sim::Experiment& experiment) {
  const sim::Scenario& scenario = experiment.scenario;
  int devices = 0;
  for (const core::DevicePool& pool : scenario.cluster.pools) devices += pool.count;
  const std::vector<Time>& starts = experiment.comparison.starts;
  const auto count = [](std::size_t number, const std::string& one) {
    return std::to_string(number) + " " + one + (number == 1 ? "" : "s");
  };
  std::string text = count(scenario.jobs.size(), "job") + " on " +
                     count(static_cast<std::size_t>(devices), "device") + ", " +
                     count(starts.size(), "start date") + " " +
                     (starts.size() == 1 ? "" : "from ") + FormatTime(starts.front());
  if (starts.size() > 1) text += " to " + FormatTime(starts.back());
  text += "; forecast: " + std::string(sim::Name(scenario.forecast));
  if (scenario.idle_draw == sim::IdleDraw::kInside) text += "; idle draw inside every saving";
  if (scenario.makespan_limit) text += "; all within " + FormatDuration(*scenario.makespan_limit);
  return text;
}

std::vector<std::string> SignalSentences(const sim::Experiment& experiment) {
  std::vector<std::string> sentences;
  for (std::size_t site = 0; site < experiment.outlooks.size(); ++site) {
    const core::IntensitySeries& truth = experiment.outlooks[site].truth;
    const core::SignalIdentity& identity = truth.identity();
    const std::string& name = experiment.scenario.cluster.sites[site].name;
    std::string text = (name == identity.zone ? "" : name + ": ") + SignalText(identity) + "; " +
                       StatusText(truth);
    const bool modelled = std::any_of(
        truth.samples().begin(), truth.samples().end(),
        [](const core::Sample& sample) { return sample.status == core::SampleStatus::kModelled; });
    if (modelled) text += ". MODELLED values, not measured ones: read the figures as an example";
    sentences.push_back(std::move(text));
  }
  return sentences;
}

std::vector<std::string> Remarks(const sim::Experiment& experiment) {
  std::vector<std::string> remarks = experiment.notes;
  const std::vector<std::string>& unknown = experiment.scenario.unknown_idle;
  if (!unknown.empty())
    remarks.push_back("what free devices draw is not known (" + Join(unknown, ", ") +
                      ") and in no figure; idle_w of a device pool tells it");
  const sim::Comparison& comparison = experiment.comparison;
  const std::size_t starts = comparison.starts.size(), known = comparison.known_starts.size();
  if (known < starts)
    remarks.push_back("savings are of " + std::to_string(known) + " of " + std::to_string(starts) +
                      " start dates: from the others the intensity of some energy is unknown");
  for (const sim::PolicyFigures& policy : comparison.policies) {
    if (policy.use.energy_without_intensity > Energy{})
      remarks.push_back(policy.label + ": " + EnergyText(policy.use.energy_without_intensity) +
                        " ran where the intensity is unknown; its emissions are in no figure");
    const bool late = policy.late_starts + policy.late_ends > 0;
    if (late && policy.share_captured_percent && policy.share_captured_percent->value > 100)
      remarks.push_back(policy.label +
                        " saves more than the best schedule because it misses deadlines");
  }
  return remarks;
}

}  // namespace ebb::report
