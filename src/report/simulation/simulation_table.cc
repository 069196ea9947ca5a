#include "report/simulation/simulation_table.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "base/units_text.h"
#include "report/run/known_emissions.h"
#include "report/signal_text.h"
#include "report/simulation/place_table.h"

namespace ebb::report {
namespace {

using Policy = sim::PolicyFigures;
using PolicyColumn = Column<Policy>;
using P = const Policy&;

std::string WithInterval(const std::optional<sim::Estimate>& estimate) {
  if (!estimate) return "-";
  std::string text = FormatFixed(estimate->value + 0.0, 1) + " %";
  if (text == "-0.0 %") text = "0.0 %";
  if (!estimate->low || !estimate->high) return text;
  return text + " (" + FormatFixed(*estimate->low, 1) + ".." + FormatFixed(*estimate->high, 1) +
         ")";
}

std::string Misses(P policy) {
  return std::to_string(policy.late_starts) + "/" + std::to_string(policy.late_ends);
}

std::string Pauses(P policy) {
  if (policy.pauses == 0) return "0";
  return std::to_string(policy.pauses) + " (" + EnergyText(policy.pause_energy) + ")";
}

// A negative share of the possible saving is written as "none".
std::string CapturedText(const std::optional<sim::Estimate>& share) {
  return share && share->value < 0 ? "none" : WithInterval(share);
}

std::string HoursText(double hours) { return FormatDuration(DurationFromSeconds(3600 * hours)); }

// A column of hours.
PolicyColumn HoursColumn(const char* key, double Policy::*hours, const char* heading) {
  return {key, hours, heading, [=](P p) { return HoursText(p.*hours); }};
}

// A column of estimates, with their intervals.
PolicyColumn PercentColumn(
    const char* key, std::optional<sim::Estimate> Policy::*estimate, const char* heading,
    std::string (*text)(const std::optional<sim::Estimate>&) = &WithInterval) {
  return {key, [=](P p) { return WithBounds(p.*estimate); }, heading,
          [=](P p) { return text(p.*estimate); }};
}

// The energy and the emissions of free devices.
Plain IdleUse(const sim::Use& idle, bool is_known) {
  return Nested{[=](DescribedJson& json) {
    json("energy_kwh", "", OrNull{If(is_known, idle.energy)});
    json("energy_without_intensity_kwh", "", OrNull{If(is_known, idle.energy_without_intensity)});
    json("emissions_g", "", OrNull{is_known ? KnownEmissions(idle) : std::nullopt});
  }};
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

std::optional<Emissions> KnownEmissions(const sim::Use& use) {
  return KnownPart(use.emissions, use.energy, use.energy_without_intensity);
}

std::string EmittedText(const sim::Use& use) {
  return KnownEmissionsText(KnownEmissions(use), use.energy_without_intensity);
}

Plain WithBounds(const std::optional<sim::Estimate>& estimate) {
  return PlainOf(estimate, [](const sim::Estimate& known) {
    return Nested{[known](DescribedJson& json) {
      json("value", "", known.value)("low", "", OrNull{known.low})("high", "", OrNull{known.high});
    }};
  });
}

std::vector<PolicyColumn> PolicyColumns(bool idle_is_known) {
  const PolicyColumn with_idle =
      PercentColumn("saving_with_idle_percent", &Policy::saving_with_idle_percent, "with idle");
  const PolicyColumn unknown(
      with_idle.key, [](P) { return Plain(); }, with_idle.heading, [](P) { return "unknown"; });
  return {
      {"label", &Policy::label, "policy"},
      {"policy", &Policy::policy},
      {"jobs", &Policy::jobs},
      PolicyColumn::Shown("emitted", [](P p) { return EmittedText(p.use); }),
      {"energy_kwh", [](P p) { return p.use.energy.kwh(); }, "energy",
       [](P p) { return EnergyText(p.use.energy); }},
      {"energy_without_intensity_kwh", [](P p) { return p.use.energy_without_intensity.kwh(); }},
      {"emissions_g", [](P p) { return PlainOf(KnownEmissions(p.use), &Emissions::grams); }},
      {"idle", [=](P p) { return IdleUse(p.idle, idle_is_known); }, "idle",
       [=](P p) { return idle_is_known ? EmittedText(p.idle) : "unknown"; }},
      PercentColumn("saving_percent", &Policy::saving_percent, "saved"),
      idle_is_known ? with_idle : unknown,
      PercentColumn("saving_on_edf_percent", &Policy::saving_on_edf_percent, "on edf"),
      PercentColumn("share_captured_percent", &Policy::share_captured_percent, "captured",
                    &CapturedText),
      HoursColumn("mean_wait_h", &Policy::mean_wait_h, "wait"),
      HoursColumn("p95_wait_h", &Policy::p95_wait_h, "p95"),
      {"mean_stretch", &Policy::mean_stretch, "stretch",
       [](P p) { return FormatFixed(p.mean_stretch, 1); }},
      HoursColumn("mean_makespan_h", &Policy::mean_makespan_h, "makespan"),
      {"late_starts", &Policy::late_starts},
      {"late_ends", &Policy::late_ends, "late start/end", &Misses},
      {"pauses", &Policy::pauses, "pauses", &Pauses},
      {"pause_energy_kwh", [](P p) { return p.pause_energy.kwh(); }},
      {"start_dates_worse_than_run_now", &Policy::worse_than_run_now, "worse"},
  };
}

TextTable PolicyTable(const sim::Experiment& experiment) {
  const sim::Comparison& comparison = experiment.comparison;
  TextTable table = TableFor(Readers::kAll, PolicyColumns(experiment.scenario.unknown_idle.empty()),
                             comparison.policies);
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
    if (policy.moves > 0) remarks.push_back(MovesSentence(policy));
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
