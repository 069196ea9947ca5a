// Prints how long the planner takes (processor time of one core) and how good it is: a large queue
// planned from nothing and again after one event, and 200 small instances against the optimum by
// trying every way.

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "plan/planner/exhaustive_for_test.h"
#include "plan/planner/planner.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr int kJobs = 10'000;
constexpr int kDevices = 64;
constexpr int kSteps = 4 * 96;  // of 15 minutes

// A day's swing with noise, a value every 15 minutes.
core::IntensitySeries Quarters(Time begin, std::uint64_t seed) {
  Random random(seed);
  std::vector<core::Sample> samples;
  for (int i = 0; i < kSteps + 96; ++i) {
    const Time at = begin + minutes{15} * i;
    const double swing = std::cos(i * 2 * 3.14159265358979 / 96);
    samples.push_back({{at, at + minutes{15}},
                       {300 + 150 * swing + random.Uniform(-30, 30)},
                       core::SampleStatus::kForecast});
  }
  return *core::IntensitySeries::Create({}, std::move(samples));
}

struct Queue {
  Time now = *ParseTime("2023-05-01T17:00");
  core::Cluster cluster;
  std::vector<core::Job> jobs;
  std::vector<JobView> views;
  core::SignalView signal;
  SiteView site;
  Schedule schedule;

  Queue() {
    cluster.sites = {{"home", "Z", {1.2}}};
    cluster.pools = {{"gpu", 0, kDevices, 1, 1, {}}};
    Random random(7);
    jobs.reserve(kJobs + 1);
    for (int i = 0; i <= kJobs; ++i) jobs.push_back(RandomJob(random, i));
    for (int i = 0; i < kJobs; ++i) Add(i);
    Observe(1);
  }

  core::Job RandomJob(Random& random, int id) const {
    core::Job job;
    job.id = id;
    job.submitted = now;
    job.devices = random.Below(20) == 0 ? 2 : 1;
    job.duration =
        DurationFromSeconds(std::clamp(-1200 * std::log(1 - random.Uniform()), 120.0, 28'800.0));
    job.power = {random.Uniform(150, 400)};
    job.start_by = now + hours{24 + random.Below(72)};
    return job;
  }

  void Add(int index) {
    const core::Job& job = jobs[static_cast<std::size_t>(index)];
    views.push_back({&job, JobState::kWaiting, job.duration, -1, {}, 0});
    schedule.jobs.push_back({});
  }

  void Observe(std::uint64_t seed) {
    const core::IntensitySeries series = Quarters(now, seed);
    signal.now = now;
    signal.known = series.Slice({now, now + minutes{15}});
    signal.forecast.series = series.Slice({now + minutes{15}, now + hours{110}});
    site = {&signal, now + minutes{15}};
  }

  // Everything the plan starts now runs from now on; the clock goes on.
  void Advance(Duration time) {
    for (std::size_t i = 0; i < views.size(); ++i) {
      JobView& view = views[i];
      if (view.state == JobState::kWaiting && schedule.jobs[i].run_now)
        view = {view.job, JobState::kRunning, view.remaining, schedule.jobs[i].pool, now, 0};
      if (view.state == JobState::kRunning)
        view.remaining = std::max(Duration{1000}, view.remaining - time);
    }
    now += time;
    signal.now = now;
  }
};

enum class Way { kWhole, kBeside };

void Measure(const Policy& planner, Queue& queue, const Change& change, const std::string& what,
             Way way = Way::kWhole) {
  const Problem problem{queue.now, &queue.cluster, queue.views, {&queue.site, 1}};
  const std::clock_t begin = std::clock();
  if (way == Way::kWhole)
    planner.Update(problem, change, queue.schedule);
  else
    std::ignore = planner.PlaceBeside(problem, change, queue.schedule);
  const double took_ms = 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  int late = 0;
  for (std::size_t i = 0; i < queue.views.size(); ++i)
    late += queue.schedule.jobs[i].segments.front().time.begin > *queue.views[i].job->start_by;
  std::printf("%-44s %8.1f ms   %.1f kg", what.c_str(), took_ms,
              queue.schedule.expected->grams / 1000);
  if (queue.schedule.lower_bound)
    std::printf(", bound %.1f kg", queue.schedule.lower_bound->grams / 1000);
  std::printf(", late %d\n", late);
}

void MeasureLargeQueue() {
  std::printf("%d jobs, 96 h in %d steps of 15 minutes, %d devices\n", kJobs, kSteps, kDevices);
  const auto planner = MakePlanner({});
  Queue queue;
  Measure(*planner, queue, {}, "a plan from nothing");
  queue.Advance(minutes{1});
  queue.Add(kJobs);
  Measure(*planner, queue, {false, false, {kJobs}}, "again, one job more");
  queue.Advance(minutes{4});
  Measure(*planner, queue, {}, "again, four minutes later");
  const Schedule standing = queue.schedule;
  Measure(*planner, queue, {}, "  the same, by placing beside", Way::kBeside);
  queue.Observe(2);
  Measure(*planner, queue, {true, false, {}}, "another forecast, by placing beside", Way::kBeside);
  queue.schedule = standing;
  Measure(*planner, queue, {true, false, {}}, "again, another forecast");
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%-44s %8.1f MB\n\n", "peak memory", static_cast<double>(usage.ru_maxrss) / 1024);
}

void CompareWithExhaustiveSearch() {
  const auto planner = MakePlanner({});
  double sum = 0, worst = 0;
  int compared = 0;
  for (std::uint64_t seed = 1; compared < 200; ++seed) {
    testing::Instance instance;
    testing::MakeRandomInstance(seed, instance);
    const auto optimum = testing::ExhaustiveOptimum(instance);
    if (!optimum) continue;
    const Problem problem = instance.Finish();
    Schedule schedule;
    schedule.jobs.resize(problem.jobs.size());
    planner->Update(problem, {}, schedule);
    const double gap = schedule.expected->grams / *optimum - 1;
    sum += gap;
    worst = std::max(worst, gap);
    ++compared;
  }
  std::printf("%d random small instances against the exhaustive optimum\n", compared);
  std::printf("%-44s %8.3f %%\n%-44s %8.3f %%\n", "mean gap", 100 * std::max(0.0, sum) / compared,
              "worst gap", 100 * worst);
}

}  // namespace
}  // namespace ebb::plan

int main() {
  ebb::plan::MeasureLargeQueue();
  ebb::plan::CompareWithExhaustiveSearch();
}
