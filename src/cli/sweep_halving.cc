#include "cli/sweep_halving.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "platform/file.h"

namespace ebb::cli {
namespace {

std::optional<double> LossOf(const report::ProgressEvent& event) {
  if (event.test_loss) return event.test_loss;
  return event.train_loss ? event.train_loss : event.loss;
}

}  // namespace

std::vector<engine::Event> SweepSubmissions::Take(Time now) {
  std::vector<engine::Event> events = jobs_.Take(now);
  for (const core::JobId job : cancelled_) events.push_back({now, engine::JobCancelled{job}});
  cancelled_.clear();
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
      say_(std::move(say)) {
  if (sweep.halving) halving_.emplace(*sweep.halving);
  for (const sweep::Experiment& experiment : sweep.experiments)
    tails_[experiment.index] = std::make_unique<ProgressTail>(
        paths.RunOf(experiment) / report::kProgressFile, ProgressTail::From::kBeginning);
  Poll();
}

// What ended meanwhile, in the order in which it happened.
std::vector<SweepProgress::Epoch> SweepProgress::ReadOn() {
  std::vector<Epoch> epochs;
  for (const auto& [job, tail] : tails_) {
    for (const report::ProgressEvent& event : tail->Poll()) {
      RunProgress& progress = progress_[job];
      if (event.epoch) progress.epoch = *event.epoch;
      if (event.event == "step" && event.loss) progress.loss = event.loss;
      if (event.event != "epoch_end" || !event.epoch) continue;
      progress.loss = LossOf(event);
      epochs.push_back({event.time, job, *event.epoch, LossOf(event)});
    }
  }
  std::stable_sort(epochs.begin(), epochs.end(), [](const Epoch& a, const Epoch& b) {
    return a.time != b.time ? a.time < b.time : a.job < b.job;
  });
  return epochs;
}

bool SweepProgress::Judge(const Epoch& epoch) {
  if (!halving_ || !epoch.loss) return false;
  const auto verdict = halving_->Report(std::to_string(epoch.job), epoch.epoch, *epoch.loss);
  if (!verdict || !verdict->stop || !stopped_.insert(epoch.job).second) return false;
  // A run that ended before it was judged keeps its result.
  if (!engine_.state().FindLive(epoch.job)) return false;
  Store(epoch.job, *verdict, *epoch.loss);
  submissions_.Cancel(epoch.job);
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
  for (const Epoch& epoch : ReadOn()) stop = Judge(epoch) || stop;
  return stop;
}

RunProgress SweepProgress::Of(core::JobId job) const {
  const auto found = progress_.find(job);
  return found == progress_.end() ? RunProgress{} : found->second;
}

}  // namespace ebb::cli
