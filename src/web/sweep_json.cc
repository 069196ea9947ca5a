#include "web/sweep_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/state.h"

namespace ebb::web {
namespace {

using Json = nlohmann::ordered_json;
using report::SweepOutcome;

SweepOutcome OutcomeOf(engine::Stage stage, bool stopped) {
  switch (stage) {
    case engine::Stage::kWaiting:
      return SweepOutcome::kWaiting;
    case engine::Stage::kPaused:
      return SweepOutcome::kPaused;
    case engine::Stage::kSucceeded:
      return SweepOutcome::kDone;
    case engine::Stage::kFailed:
      return SweepOutcome::kFailed;
    case engine::Stage::kCancelled:
      return stopped ? SweepOutcome::kStoppedEarly : SweepOutcome::kCancelled;
    default:
      return SweepOutcome::kRunning;
  }
}

struct Saved {
  int stopped = 0;
  Energy energy;
  Emissions emissions;
};

Saved SavedBy(const std::vector<store::RungLoss>& rungs) {
  Saved saved;
  for (const store::RungLoss& loss : rungs) {
    if (!loss.stopped) continue;
    ++saved.stopped;
    saved.energy += loss.saved_energy.value_or(Energy{});
    saved.emissions += loss.saved.value_or(Emissions{});
  }
  return saved;
}

// How long it stood still where it was frozen is not stored: its attempt went on.
std::optional<Duration> RanFor(const store::JobRecord& job, const store::AttemptSums& attempts) {
  const bool was_frozen = job.pauses > attempts.paused;
  const bool end_is_lost = engine::HasEnded(job.stage) && attempts.open > 0;
  return was_frozen || end_is_lost ? std::nullopt : attempts.ran;
}

report::SweepRow RowOf(const store::JobRecord& job, const SweepFacts& facts) {
  report::SweepRow row;
  row.job = job.id;
  row.name = job.name;
  row.tier = job.tier;
  const bool stopped =
      std::any_of(facts.rungs.begin(), facts.rungs.end(),
                  [&](const store::RungLoss& loss) { return loss.job == job.id && loss.stopped; });
  row.outcome = OutcomeOf(job.stage, stopped);
  if (const auto loss = facts.losses.find(job.id); loss != facts.losses.end()) {
    row.loss = loss->second.loss;
    row.loss_is_validation = loss->second.is_validation;
    row.epochs = loss->second.epoch;
  }
  if (const auto parameters = facts.parameters.find(job.id); parameters != facts.parameters.end())
    row.parameters = parameters->second;
  row.energy = job.energy;
  if (job.energy_without_intensity == Energy{}) row.emissions = job.emissions;
  if (job.first_start) row.waited = *job.first_start - job.submitted;
  if (const auto attempts = facts.attempts.find(job.id); attempts != facts.attempts.end()) {
    row.attempts = attempts->second.attempts;
    row.ran = RanFor(job, attempts->second);
  }
  row.note = job.detail;
  return row;
}

}  // namespace

report::SweepReport SweepReportOf(const SweepFacts& facts) {
  report::SweepReport report;
  report.number = facts.sweep.id;
  report.name = facts.sweep.name;
  for (const store::JobRecord& job : facts.jobs) {
    report.rows.push_back(RowOf(job, facts));
    report.energy += job.energy;
    report.emissions += job.emissions.value_or(Emissions{});
  }
  const Saved saved = SavedBy(facts.rungs);
  report.stopped_early = saved.stopped;
  report.saved_energy = saved.energy;
  report.saved_emissions = saved.emissions;
  report::Rank(report);
  return report;
}

std::string SweepsToJson(const std::vector<SweepLine>& sweeps) {
  Json list = Json::array();
  for (const SweepLine& line : sweeps) {
    Json jobs = Json::object();
    for (const store::StageCount& count : line.jobs)
      jobs[std::string(engine::Name(count.stage))] = count.jobs;
    Json json{{"sweep", line.sweep.id},
              {"name", line.sweep.name},
              {"submitted", FormatTime(line.sweep.submitted)},
              {"jobs", std::move(jobs)}};
    if (const auto& halving = line.sweep.halving) {
      json["successive_halving"] = {{"reduction", halving->reduction},
                                    {"minimum_epochs", halving->minimum_epochs},
                                    {"epochs", halving->epochs}};
      const Saved saved = SavedBy(line.rungs);
      json["stopped_early"] = saved.stopped;
      json["estimated_saved_kwh"] = saved.energy.kwh();
      json["estimated_saved_g"] = saved.emissions.grams;
    }
    list.push_back(std::move(json));
  }
  return Json{{"sweeps", std::move(list)}}.dump(-1, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

}  // namespace ebb::web
