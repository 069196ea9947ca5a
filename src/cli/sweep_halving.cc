#include "cli/sweep_halving.h"

#include <nlohmann/json.hpp>

#include "platform/file.h"

namespace ebb::cli {
std::vector<engine::Event> SweepSubmissions::Take(Time now) {
  std::vector<engine::Event> events = jobs_.Take(now);
  for (engine::Fact& fact : std::exchange(wanted_, {})) events.push_back({now, std::move(fact)});
  return events;
}

SweepProgress::SweepProgress(const SweepPaths& paths, const sweep::Sweep& sweep,
                             const engine::Engine& engine, SweepSubmissions& submissions,
                             const runtime::GridClock& clock, Pue pue, SweepRecords::Say say)
    : paths_(paths),
      sweep_(sweep),
      engine_(engine),
      submissions_(submissions),
      clock_(clock),
      pue_(pue),
      say_(std::move(say)),
      losses_([this](core::JobId job, const report::ProgressEvent& event) { Note(job, event); }) {
  if (sweep.halving) halving_.emplace(*sweep.halving);
  for (const sweep::Experiment& experiment : sweep.experiments)
    losses_.Follow(experiment.index, paths.RunOf(experiment) / report::kProgressFile);
  Poll();
}

void SweepProgress::Note(core::JobId job, const report::ProgressEvent& event) {
  RunProgress& progress = progress_[job];
  if (event.epoch) progress.epoch = *event.epoch;
  if (event.event == "step" && event.loss) progress.loss = event.loss;
  if (event.event == "epoch_end") progress.loss = report::LossOf(event);
}

bool SweepProgress::Judge(const report::EpochLoss& epoch) {
  if (!halving_) return false;
  const auto verdict = halving_->Report(std::to_string(epoch.job), epoch.epoch, epoch.loss);
  if (!verdict || !verdict->stop || !stopped_.insert(epoch.job).second) return false;
  // A run that ended before it was judged keeps its result.
  if (!engine_.state().FindLive(epoch.job)) return false;
  Store(epoch.job, *verdict, epoch.loss);
  submissions_.Cancel(epoch.job, sweep::WhyStopped(*verdict));
  return true;
}

void SweepProgress::Store(core::JobId job, const sweep::Verdict& verdict, double loss) {
  const sweep::Experiment& experiment = sweep_.experiments[static_cast<std::size_t>(job - 1)];
  const engine::Explanation* explanation = engine_.Explain(job);
  std::optional<Intensity> planned;
  if (explanation) planned = explanation->expected ? explanation->expected : explanation->current;
  nlohmann::ordered_json line{{"name", experiment.name},
                              {"epoch", verdict.rung},
                              {"loss", loss},
                              {"why", sweep::Sentence(verdict, loss)}};
  if (planned) {
    const sweep::EstimatedSaving saving = SavedBy({clock_.ToWall(experiment.run_time),
                                                   {experiment.power.watts * sweep_.traits.devices},
                                                   verdict.rung,
                                                   *planned},
                                                  *sweep_.halving, pue_);
    line["estimated_saved_kwh"] = saving.energy.kwh();
    line["estimated_saved_g"] = saving.emissions.grams;
  }
  say_(experiment.name + ": " + sweep::Sentence(verdict, loss));
  auto writer = platform::LineWriter::Open(paths_.stopped());
  const Status kept = writer ? writer->Append(line.dump()) : Status(Fail(writer.error()));
  if (!kept) say_("note: " + kept.error().Message());
}

bool SweepProgress::Poll() {
  bool stop = false;
  for (const report::EpochLoss& epoch : losses_.Read()) stop = Judge(epoch) || stop;
  return stop;
}

RunProgress SweepProgress::Of(core::JobId job) const {
  const auto found = progress_.find(job);
  return found == progress_.end() ? RunProgress{} : found->second;
}

}  // namespace ebb::cli
