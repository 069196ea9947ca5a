#include "service/intake/width_watch.h"

#include "base/text.h"
#include "core/jobs/widths.h"
#include "local/files/attempt_files.h"
#include "platform/digest.h"
#include "report/run/progress_tail.h"

namespace ebb::service {
namespace {

// Smaller changes of a learned speed-up are not worth a new plan.
constexpr double kLeastChange = 0.02;

using Count = std::optional<std::int64_t> report::ProgressEvent::*;
struct Unit {
  const char* name;
  Count count;
};
constexpr Unit kUnits[] = {{"tokens", &report::ProgressEvent::tokens_seen},
                           {"samples", &report::ProgressEvent::samples_seen},
                           {"steps", &report::ProgressEvent::step}};

// Rates of the same command on the same model, in the same unit, can be compared.
std::string ComparableName(const core::Submission& submission, const std::string& model,
                           const std::string& unit) {
  const std::string between(1, '\0');
  return platform::Sha256Hex(Join(submission.command, between) + between + model + between + unit)
      .substr(0, 16);
}

}  // namespace

std::vector<core::ProgressPoint> ProgressWithin(const std::filesystem::path& progress_file,
                                                Interval wall, std::string& unit) {
  std::vector<report::ProgressEvent> events;
  report::ProgressTail tail(progress_file, report::ProgressTail::From::kBeginning);
  do {
    for (report::ProgressEvent& event : tail.Poll())
      if (wall.begin <= event.time && event.time <= wall.end) events.push_back(std::move(event));
  } while (tail.has_more());
  std::vector<core::ProgressPoint> points;
  for (const Unit& one : kUnits) {
    for (const report::ProgressEvent& event : events)
      if (event.*(one.count))
        points.push_back({event.time, static_cast<double>(*(event.*(one.count)))});
    unit = one.name;
    if (!points.empty()) break;
  }
  return points;
}

void WidthWatch::OnAttemptEnded(core::JobId job, const core::Attempt& attempt) {
  const JobCard* card = ports_.publisher.Find(job);
  if (!card || !core::IsElastic(card->submission->job)) return;
  const std::filesystem::path directory = ports_.directory_of(job);
  const auto plan = local::ReadPlan(local::AttemptPaths{directory, attempt.number}.plan());
  if (!plan || plan->slots.empty()) return;
  std::string unit;
  const auto rate =
      core::SteadyRate(ProgressWithin(directory / core::kProgressFile, attempt.wall, unit));
  if (!rate || *rate <= 0) return;
  const SharedSubmission submission = card->submission;
  ports_.history.Take(*submission, {ComparableName(*submission, ports_.model_of(plan->pool), unit),
                                    static_cast<int>(plan->slots.size()), *rate, ports_.now()});
  for (const core::JobId live : ports_.live_jobs())
    if (const JobCard* other = ports_.publisher.Find(live);
        other && core::IsElastic(other->submission->job) &&
        ports_.history.AreAlike(*other->submission, *submission))
      Teach(live);
}

void WidthWatch::Teach(core::JobId id) {
  const core::Submission& submission = *ports_.publisher.Find(id)->submission;
  const core::Job& job = submission.job;
  const auto measured = ports_.history.Measured(submission, ports_.now());
  const auto learned = core::LearnedSpeedup(job, measured);
  const bool is_first = job.learned_speedup.empty();
  const auto& before = is_first ? job.speedup : job.learned_speedup;
  if (learned.empty() || learned == job.learned_speedup) return;
  const double change = core::LargestChange(job, before, learned);
  if (!is_first && change < kLeastChange) return;
  ports_.facts.PushAndWake(engine::SpeedupLearned{id, learned});
  if (change > kTellsFrom) ports_.events.Say(id, SpeedupText(job, learned, measured));
}

}  // namespace ebb::service
