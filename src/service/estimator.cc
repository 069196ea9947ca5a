#include "service/estimator.h"

#include "base/text.h"
#include "store/earlier_runs.h"

namespace ebb::service {
namespace {

constexpr std::size_t kMostKnown = 10'000;

}  // namespace

std::string Estimator::SignatureOf(const core::Submission& submission) {
  const char between = '\0';  // in no word of a command
  const std::string cap = submission.power_cap ? core::Describe(*submission.power_cap) : "";
  return submission.job.name + between + std::to_string(submission.job.devices) + between + cap +
         between + Join(submission.command, std::string(1, between));
}

std::string Estimator::Refine(Submit& submit) {
  core::Job& job = submit.submission.job;
  const std::string signature = SignatureOf(submit.submission);
  auto found = known_.find(signature);
  if (found == known_.end()) {
    auto runs = store::EarlierRuns(database_, submit.submission, cluster_());
    if (!runs) return "";
    if (known_.size() >= kMostKnown) known_.clear();
    found = known_.emplace(signature, *std::move(runs)).first;
  }
  core::Hint hint;
  if (submit.duration_given) hint.duration = job.duration;
  if (submit.power_given) hint.power = job.power;
  const auto estimate = core::EstimateFrom(found->second, hint);
  if (!estimate) return "";
  std::string text = "expected to run " + FormatDuration(estimate->duration) + " by " +
                     std::to_string(estimate->runs) + " earlier runs";
  if (estimate->runs > 1)
    text += " (spread " + FormatFixed(100 * (estimate->spread - 1), 0) + " %)";
  if (hint.duration) text += " and the estimate given, " + FormatDuration(*hint.duration);
  job.duration = estimate->duration;
  if (estimate->power.watts > 0) job.power = estimate->power;
  return text;
}

void Estimator::Forget(const core::Submission& submission) {
  known_.erase(SignatureOf(submission));
}

}  // namespace ebb::service
