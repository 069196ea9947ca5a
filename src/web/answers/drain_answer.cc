#include "web/answers/drain_answer.h"

#include <algorithm>

#include "engine/state.h"

namespace ebb::web {

using report::If;
using report::IfAny;

void DrainedJob::Describe(report::DescribedJson& json) const {
  json.Is("DrainedJob", "A job that a drain keeps from its latest start.");
  json("id", "its number", id);
  json("name", "its name", name);
  json("latest_start", "that would keep its deadline", latest_start);
}

DrainAnswer::DrainAnswer(const service::View& view) : drain(view.drain) {
  view.jobs.ForEach(0, [&](const service::JobCard& card) {
    const engine::Explanation& explanation = card.explanation;
    if (engine::HoldsDevices(explanation.stage)) {
      ++running;
      if (const auto end = explanation.reason.end; end && (!last_end || *end > *last_end))
        last_end = end;
    }
    if (engine::HasEnded(explanation.stage) || !explanation.drain) return true;
    const bool is_paused = explanation.stage == engine::Stage::kPaused;
    const core::Job& job = card.submission->job;
    frozen += is_paused && job.freeze ? 1 : 0;
    ++(is_paused ? paused : waiting);
    const auto& latest = explanation.reason.latest;
    if (explanation.misses_deadline && latest)
      missed.push_back({job.id, job.name, *latest});
    else if (latest && *latest >= view.now && (!next_deadline || *latest < *next_deadline))
      next_deadline = latest;
    return true;
  });
  std::stable_sort(missed.begin(), missed.end(), [](const DrainedJob& a, const DrainedJob& b) {
    return a.latest_start < b.latest_start;
  });
}

void DrainAnswer::Describe(report::DescribedJson& json) const {
  json.Is("Drain",
          "Whether the service drains: what runs ends, and nothing starts or goes on until it is "
          "over.");
  json("draining", "nothing starts", drain.has_value());
  json("since", "when that was asked for", drain ? std::optional(drain->since) : std::nullopt);
  json("until", "it ends by itself; left out: when somebody ends it",
       drain ? drain->until : std::nullopt);
  json("why", "for people", IfAny(drain ? drain->why : std::string()));
  json("running", "jobs that hold devices: they run to their end", running);
  json("last_end", "when the last of them is expected to end", last_end);
  json("waiting", "jobs that it keeps from their start", waiting);
  json("paused", "jobs that it keeps paused", paused);
  json("frozen", "those of them that stay in memory, stopped, with their devices", frozen);
  json("misses_deadline", "jobs whose deadline cannot be kept for it, by their latest start",
       missed);
  json("next_deadline", "the earliest latest start among the other jobs that it keeps waiting",
       next_deadline);
}

}  // namespace ebb::web
