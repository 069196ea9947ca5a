// The route of the saved page: the page together with everything that it shows now.

#include <algorithm>

#include "engine/state.h"
#include "web/api/api.h"
#include "web/http/responses.h"
#include "web/live/saved_page.h"
#include "web/live/saved_sweep.h"

namespace ebb::web {
namespace {

constexpr std::size_t kMostWhole = 60;  // jobs that are saved with figures and course
constexpr int kMostSweeps = 10;         // the number that the page asks for (web/sweeps.js)
// A sweep with more experiments is saved only as a line in the list.
constexpr std::int64_t kMostExperiments = 1000;

// The jobs to save: first those under way, then those that ended last.
std::vector<core::JobId> JobsToSave(const service::View& view) {
  std::vector<std::pair<Time, core::JobId>> jobs;
  view.jobs.ForEach(0, [&](const service::JobCard& card) {
    if (!card.stretches.empty())
      jobs.emplace_back(card.ended.value_or(Time::max()), card.submission->job.id);
    return true;
  });
  std::sort(jobs.rbegin(), jobs.rend());
  if (jobs.size() > kMostWhole) jobs.resize(kMostWhole);
  std::vector<core::JobId> ids;
  for (const auto& [ended, id] : jobs) ids.push_back(id);
  return ids;
}

std::int64_t ExperimentsOf(const SweepLine& line) {
  std::int64_t jobs = 0;
  for (const store::StageCount& count : line.jobs) jobs += count.jobs;
  return jobs;
}

}  // namespace

void Api::SaveSweeps(std::map<std::string, std::string>& answers) const {
  const auto lines = ReadSweeps({"", kMostSweeps});
  if (!lines) return;
  answers["/api/v1/sweeps?limit=" + std::to_string(kMostSweeps)] =
      report::ToJson(SweepLines{*lines}) + "\n";
  HttpRequest losses;
  losses.query = {{"only", "losses"}, {"points", std::to_string(kSavedCurvePoints)}};
  const auto losses_of = [&](core::JobId job) {
    const HttpResponse course = Series(losses, job);
    return course.status == 200 ? course.body : std::string();
  };
  for (const SweepLine& line : *lines) {
    if (ExperimentsOf(line) > kMostExperiments) continue;
    const auto sweep = ReadSweep(line.sweep.id);
    if (!sweep || !*sweep) continue;
    SaveSweep(**sweep, losses_of, answers);
  }
}

HttpResponse Api::Saved(const HttpRequest&, core::JobId) const {
  std::map<std::string, std::string> answers;
  const auto save = [&](const std::string& path, const HttpResponse& response) {
    if (response.status == 200) answers[path] = response.body;
  };
  HttpRequest all;
  all.query["limit"] = "20000";
  save("/api/v1/status", Status({}, 0));
  save("/api/v1/jobs", Jobs(all, 0));
  save("/api/v1/grid", Grid({}, 0));
  save("/api/v1/tiers", Tiers({}, 0));
  save("/api/v1/forecast-record", ForecastRecord({}, 0));
  for (const core::JobId id : JobsToSave(*service_.view())) {
    const std::string path = "/api/v1/jobs/" + std::to_string(id);
    save(path, Job({}, id));
    save(path + "/series?points=300", Series({}, id));
  }
  SaveSweeps(answers);
  HttpResponse response = Respond(SavedPage(answers));
  response.content_type = "text/html; charset=utf-8";
  response.headers = {{"Content-Disposition", "attachment; filename=\"ebb.html\""},
                      {"X-Content-Type-Options", "nosniff"},
                      {"Cache-Control", "no-store"}};
  return response;
}

}  // namespace ebb::web
