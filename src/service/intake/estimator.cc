#include "service/intake/estimator.h"

#include "base/text.h"
#include "base/units_text.h"

namespace ebb::service {
namespace {

constexpr std::size_t kMostKnown = 10'000;
// A guess for a GPU that trains, and people are told so: a job's power is unknown until it was
// measured.
constexpr double kUsualUtilisation = 0.7;

}  // namespace

std::string Estimator::SignatureOf(const core::Submission& submission) {
  const char between = '\0';  // no word of a command contains it
  const std::string cap = submission.power_cap ? core::Describe(*submission.power_cap) : "";
  return submission.job.name + between + std::to_string(submission.job.devices) + between + cap +
         between + Join(submission.command, std::string(1, between));
}

std::string Estimator::Refine(Submit& submit) {
  core::Job& job = submit.submission.job;
  const std::string signature = SignatureOf(submit.submission);
  auto found = known_.find(signature);
  if (found == known_.end()) {
    auto runs = store_.jobs().EarlierRunsOf(submit.submission, cluster_());
    if (!runs) return "";
    if (known_.size() >= kMostKnown) known_.clear();
    found = known_.emplace(signature, *std::move(runs)).first;
  }
  core::Hint hint;
  if (submit.duration_given) hint.duration = job.duration;
  if (submit.power_given) hint.power = job.power;
  const auto estimate = core::EstimateFrom(found->second, hint);
  if (!estimate) return submit.power_given ? "" : GuessPower(job);
  std::string text = "expected to run " + FormatDuration(estimate->duration) + " by " +
                     std::to_string(estimate->runs) + " earlier runs";
  if (estimate->runs > 1)
    text += " (spread " + FormatFixed(100 * (estimate->spread - 1), 0) + " %)";
  if (hint.duration) text += " and the estimate given, " + FormatDuration(*hint.duration);
  job.duration = estimate->duration;
  if (estimate->power.watts > 0) job.power = estimate->power;
  return text;
}

std::string Estimator::GuessPower(core::Job& job) const {
  const core::Cluster cluster = core::WithAway(cluster_());
  for (int pool = 0; pool < static_cast<int>(cluster.pools.size()); ++pool) {
    if (!core::Fits(job, cluster, pool)) continue;
    const core::DevicePool& devices = cluster.pools[static_cast<std::size_t>(pool)];
    const auto power =
        core::EstimatedPower(core::ProfileOf(devices.model, profiles_), kUsualUtilisation);
    if (!power) continue;
    job.power = Power{power->watts / devices.power_factor};
    return "expected to draw " + PowerText(*power) + " a device: a guess, of " + devices.model +
           " at " + FormatFixed(100 * kUsualUtilisation, 0) +
           " % of its load; runs of it will tell, or --power";
  }
  return "";
}

void Estimator::Forget(const core::Submission& submission) {
  known_.erase(SignatureOf(submission));
}

}  // namespace ebb::service
