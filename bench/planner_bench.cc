// Prints the time of the planner (processor time of one core) and the quality of its plans. It
// plans a large queue from nothing and again after one event, and compares 200 small instances with
// the optimum, found by trying every schedule. `--elastic-blocks 10` does so for elastic jobs with
// other seeds than those of the tests.

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
#include "base/text.h"
#include "core/jobs/widths.h"
#include "plan/planner/exhaustive_for_test.h"
#include "plan/planner/planner.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr int kSteps = 4 * 96;  // steps of 15 minutes

struct Kind {
  std::string name;
  int jobs = 10'000;
  std::vector<int> devices{64};  ///< devices of each site
  int pausable_of_ten = 0;
  std::uint64_t walk = 0;  ///< seed of hours without a pattern; 0: a day's swing
  bool moves = false;      ///< jobs have a home and up to 2 GB of files; sites need a set-up
  double elastic = 0;      ///< share of jobs that may run on one to four devices
};

// Values every 15 minutes: a day's swing with noise.
core::IntensitySeries Quarters(Time begin, std::uint64_t seed, std::size_t site) {
  Random random(SeedFor(seed, site));
  std::vector<core::Sample> samples;
  for (int i = 0; i < kSteps + 96; ++i) {
    const Time at = begin + minutes{15} * i;
    const double swing =
        std::cos((i * 2 / 96.0 + static_cast<double>(site) / 3) * 3.14159265358979);
    samples.push_back({{at, at + minutes{15}},
                       {300 + 150 * swing + random.Uniform(-30, 30)},
                       core::SampleStatus::kForecast});
  }
  return *core::IntensitySeries::Create({}, std::move(samples));
}

// Hours without a pattern: each differs from the one before by up to 80 g either way. Forecasts of
// the same walk differ by up to 30 g.
core::IntensitySeries Hours(Time begin, std::uint64_t walk, std::uint64_t seed, std::size_t site) {
  Random random(SeedFor(walk, site)), noise(SeedFor(seed, site));
  std::vector<core::Sample> samples;
  double value = 300;
  for (int hour = 0; hour < (kSteps + 96) / 4; ++hour) {
    value = std::clamp(value + random.Uniform(-80, 80), 40.0, 600.0);
    const Time at = begin + hours{hour};
    samples.push_back(
        {{at, at + hours{1}}, {value + noise.Uniform(-30, 30)}, core::SampleStatus::kForecast});
  }
  return *core::IntensitySeries::Create({}, std::move(samples));
}

// A queue of jobs of 2 minutes to 8 hours (mean: 20 minutes) that must begin within one to four
// days. One in twenty needs two devices.
class Queue {
 public:
  explicit Queue(const Kind& kind) : walk_(kind.walk) {
    for (const int devices : kind.devices) {
      const auto site = static_cast<int>(cluster_.sites.size());
      const std::string name = "site" + std::to_string(site);
      cluster_.sites.push_back({name, name, {1.2}});
      if (kind.moves) cluster_.sites.back().set_up = minutes{2};
      cluster_.pools.push_back(
          {"gpu" + std::to_string(site), site, devices, 1 + 0.1 * site, 1, {}});
    }
    signals_.resize(cluster_.sites.size());
    Random random(7);
    jobs_.reserve(static_cast<std::size_t>(kind.jobs + 1));
    for (int i = 0; i <= kind.jobs; ++i) jobs_.push_back(RandomJob(random, i, kind));
    for (int i = 0; i < kind.jobs; ++i) Add();
    Observe(1);
  }

  /// Submits the next job.
  void Add() {
    const core::Job& job = jobs_[views_.size()];
    views_.push_back({&job, JobState::kWaiting, job.duration, -1, {}, 0});
    schedule.jobs.push_back({});
  }

  void Observe(std::uint64_t seed) {
    sites_.clear();
    for (std::size_t site = 0; site < signals_.size(); ++site) {
      const core::IntensitySeries series =
          walk_ > 0 ? Hours(now_, walk_, seed, site) : Quarters(now_, seed, site);
      core::SignalView& signal = signals_[site];
      signal.now = now_;
      signal.known = series.Slice({now_, now_ + minutes{15}});
      signal.forecast.series = series.Slice({now_ + minutes{15}, now_ + hours{110}});
      sites_.push_back({&signal, now_ + minutes{15}});
    }
  }

  // Runs the jobs that the plan starts now, and moves the clock on.
  void Advance(Duration time) {
    for (std::size_t i = 0; i < views_.size(); ++i) {
      JobView& view = views_[i];
      if (view.state == JobState::kWaiting && schedule.jobs[i].run_now)
        view = {
            view.job, JobState::kRunning,      view.remaining, schedule.jobs[i].pool, now_, 0, -1,
            {},       schedule.jobs[i].devices};
      if (view.state == JobState::kRunning)
        view.remaining = std::max(Duration{1000}, view.remaining - WorkIn(time, view));
    }
    now_ += time;
    for (core::SignalView& signal : signals_) signal.now = now_;
  }

  Problem Now() const { return {now_, &cluster_, views_, sites_}; }
  int Late() const {
    int late = 0;
    for (std::size_t i = 0; i < views_.size(); ++i)
      late += schedule.jobs[i].segments.front().time.begin > *views_[i].job->start_by;
    return late;
  }

  Schedule schedule;

 private:
  static Duration WorkIn(Duration time, const JobView& view) {
    return DurationFromSeconds(Seconds(time) * core::SpeedAt(*view.job, view.width()));
  }

  // Makes a job elastic: each further device adds 60 to 95 % of what the one before added.
  static void MakeElastic(Random& random, core::Job& job) {
    job.devices = 1;
    job.checkpointable = true;
    job.pause_cost = minutes{1};
    job.minimum_segment = minutes{15};
    double speed = 1, more = 1;
    for (int devices = 2; devices <= 4; ++devices)
      job.speedup.push_back({devices, speed += more *= random.Uniform(0.6, 0.95)});
  }

  core::Job RandomJob(Random& random, int id, const Kind& kind) const {
    core::Job job;
    job.id = id;
    job.submitted = now_;
    job.devices = random.Below(20) == 0 ? 2 : 1;
    job.duration =
        DurationFromSeconds(std::clamp(-1200 * std::log(1 - random.Uniform()), 120.0, 28'800.0));
    job.power = {random.Uniform(150, 400)};
    job.start_by = now_ + hours{24 + random.Below(72)};
    if (kind.moves) {
      job.home = cluster_.sites[random.Below(cluster_.sites.size())].name;
      job.file_bytes = static_cast<std::int64_t>(random.Uniform(0.1, 2) * 1e9);
    }
    if (kind.elastic > 0 && random.Uniform() < kind.elastic) {
      MakeElastic(random, job);
      return job;
    }
    if (kind.pausable_of_ten == 0) return job;
    job.checkpointable = random.Below(10) < static_cast<std::uint64_t>(kind.pausable_of_ten);
    job.pause_cost = minutes{1};
    job.minimum_segment = minutes{15};
    return job;
  }

  std::uint64_t walk_ = 0;
  Time now_ = *ParseTime("2023-05-01T17:00");
  core::Cluster cluster_;
  std::vector<core::Job> jobs_;
  std::vector<JobView> views_;
  std::vector<core::SignalView> signals_;
  std::vector<SiteView> sites_;
};

enum class Way { kWhole, kBeside };

void Measure(const Policy& planner, Queue& queue, const Change& change, const std::string& what,
             Way way = Way::kWhole) {
  const Problem problem = queue.Now();
  const auto wall_begin = std::chrono::steady_clock::now();
  const std::clock_t begin = std::clock();
  if (way == Way::kWhole)
    planner.Update(problem, change, queue.schedule);
  else
    planner.PlaceBeside(problem, change, queue.schedule);
  const double cpu_ms = 1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  const std::chrono::duration<double, std::milli> wall =
      std::chrono::steady_clock::now() - wall_begin;
  std::printf("  %-34s %8.1f ms %8.1f ms of CPU  %9.2f kg", what.c_str(), wall.count(), cpu_ms,
              queue.schedule.expected->grams / 1000);
  if (queue.schedule.lower_bound) {
    const double bound = queue.schedule.lower_bound->grams;
    std::printf("  bound %9.2f kg  gap %5.2f %%", bound / 1000,
                100 * (queue.schedule.expected->grams / bound - 1));
  } else {
    std::printf("%33s", "");
  }
  std::printf("  late %d\n", queue.Late());
  std::fflush(stdout);
}

void MeasureQueue(const Kind& kind) {
  const auto planner = MakePlanner({});
  Queue queue(kind);
  std::printf("%s\n", kind.name.c_str());
  Measure(*planner, queue, {}, "a plan from nothing");
  queue.Advance(minutes{1});
  queue.Add();
  Measure(*planner, queue, {false, false, {kind.jobs}}, "again, one job more");
  queue.Advance(minutes{4});
  Measure(*planner, queue, {}, "again, four minutes later");
  const Schedule standing = queue.schedule;
  Measure(*planner, queue, {}, "  the same, by placing beside", Way::kBeside);
  queue.Observe(2);
  Measure(*planner, queue, {true, false, {}}, "another forecast, placing beside", Way::kBeside);
  queue.schedule = standing;
  Measure(*planner, queue, {true, false, {}}, "again, another forecast");
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("  peak memory so far %.1f MB\n\n", static_cast<double>(usage.ru_maxrss) / 1024);
}

void MeasureLargeQueues() {
  MeasureQueue({"10,000 jobs, 96 h in steps of 15 minutes, 64 devices"});
  MeasureQueue({"the same on 40 devices", 10'000, {40}});
  MeasureQueue({"the same on three sites of 22 devices, unlike in speed", 10'000, {22, 22, 22}});
  MeasureQueue({"the same on 64 devices, 3 jobs of 10 pausable", 10'000, {64}, 3});
  MeasureQueue({"the same on 64 devices, hours without a pattern", 10'000, {64}, 0, 1});
  MeasureQueue({"100,000 jobs, 640 devices", 100'000, {640}});
}

void MeasureWalks() {
  std::printf("10,000 jobs, hours without a pattern, a plan from nothing\n");
  for (const int devices : {64, 40}) {
    std::vector<double> gaps;
    for (std::uint64_t walk = 1; walk <= 8; ++walk) {
      const auto planner = MakePlanner({});
      Queue queue({"", 10'000, {devices}, 0, walk});
      Measure(*planner, queue, {},
              std::to_string(devices) + " devices, walk " + std::to_string(walk));
      gaps.push_back(100 *
                     (queue.schedule.expected->grams / queue.schedule.lower_bound->grams - 1));
    }
    std::sort(gaps.begin(), gaps.end());
    std::printf("  %d devices: gap %.2f %% in the median, %.2f %% at worst\n", devices,
                (gaps[3] + gaps[4]) / 2, gaps.back());
  }
  std::printf("\n");
}

// Measures smaller queues of the same kind, whose devices shrink with their jobs.
void MeasureBySize() {
  std::printf("by size, a plan from nothing (a device for every 156 jobs, 2 at least)\n");
  for (const int jobs : {20, 40, 80, 160, 320, 400, 640, 1'280, 2'500, 5'000}) {
    const auto planner = MakePlanner({});
    Queue queue({"", jobs, {std::max(2, jobs / 156)}});
    Measure(*planner, queue, {}, std::to_string(jobs) + " jobs");
  }
  std::printf("\n");
}

using MakeInstance = void (*)(std::uint64_t seed, testing::Instance& instance);

struct Gaps {
  int compared = 0;
  double sum = 0, worst = 0;
  std::uint64_t worst_seed = 0;
};

// The gaps to the exhaustive optimum of so many instances, from this seed on.
Gaps GapsToOptimum(MakeInstance make, int instances, std::uint64_t first_seed) {
  const auto planner = MakePlanner({});
  Gaps gaps;
  for (std::uint64_t seed = first_seed; gaps.compared < instances; ++seed) {
    testing::Instance instance;
    make(seed, instance);
    const auto optimum = testing::ExhaustiveOptimum(instance);
    if (!optimum) continue;
    const Problem problem = instance.Finish();
    Schedule schedule;
    schedule.jobs.resize(problem.jobs.size());
    planner->Update(problem, {}, schedule);
    double gap = schedule.expected->grams / *optimum - 1;
    // The exhaustive search keeps elastic jobs to whole units, so a plan may be better.
    if (make == testing::MakeRandomElastic) gap = std::max(0.0, gap);
    gaps.sum += gap;
    ++gaps.compared;
    if (gap <= gaps.worst) continue;
    gaps.worst = gap;
    gaps.worst_seed = seed;
  }
  return gaps;
}

void CompareWithExhaustiveSearch(MakeInstance make, int instances, const char* what) {
  const Gaps gaps = GapsToOptimum(make, instances, 1);
  std::printf("%d random small instances%s against the exhaustive optimum\n", gaps.compared, what);
  std::printf("%-44s %8.3f %%\n%-44s %8.3f %%\n", "mean gap",
              100 * std::max(0.0, gaps.sum) / gaps.compared, "worst gap", 100 * gaps.worst);
}

// The seeds of a block are far from those of the tests and of other blocks.
void CompareElasticBlocks(int blocks) {
  constexpr int kInstances = 300;
  constexpr std::uint64_t kApart = 1'000'000;
  std::printf("%d blocks of %d random small instances with elastic jobs\n", blocks, kInstances);
  double sum = 0, worst = 0, worst_mean = 0;
  for (int block = 1; block <= blocks; ++block) {
    const std::uint64_t first = kApart * static_cast<std::uint64_t>(block) + 1;
    const Gaps gaps = GapsToOptimum(testing::MakeRandomElastic, kInstances, first);
    const double mean = gaps.sum / gaps.compared;
    std::printf("  seeds from %8llu on: mean gap %6.3f %%, worst %6.3f %% (seed %llu)\n",
                static_cast<unsigned long long>(first), 100 * mean, 100 * gaps.worst,
                static_cast<unsigned long long>(gaps.worst_seed));
    std::fflush(stdout);
    sum += mean;
    worst = std::max(worst, gaps.worst);
    worst_mean = std::max(worst_mean, mean);
  }
  std::printf("all: mean %.3f %%, mean of the worst block %.3f %%, worst %.3f %%\n",
              100 * sum / blocks, 100 * worst_mean, 100 * worst);
}

// Each planner chooses site and start; with moves, each other site than the home costs one.
void MeasureSites() {
  const std::vector<int> devices(8, 8);
  MeasureQueue({"10,000 jobs over 8 sites of 8 devices, without moves", 10'000, devices});
  MeasureQueue({"the same with moves from a home", 10'000, devices, 0, 0, true});
  CompareWithExhaustiveSearch(testing::MakeRandomSites, 300, " of sites with moves");
}

// Plans queues in which a share of the jobs may change its width.
void MeasureElastic(double share) {
  char text[80];
  std::snprintf(text, sizeof text, "10,000 jobs, 64 devices, %g %% of the jobs elastic",
                100 * share);
  MeasureQueue({.name = text, .elastic = share});
  MeasureQueue({.name = "the same on 40 devices", .devices = {40}, .elastic = share});
  MeasureQueue(
      {.name = "the same on 64 devices, hours without a pattern", .walk = 1, .elastic = share});
  MeasureQueue({.name = "300 jobs, 3 devices", .jobs = 300, .devices = {3}, .elastic = share});
  CompareWithExhaustiveSearch(testing::MakeRandomElastic, 300, " with elastic jobs");
}

}  // namespace
}  // namespace ebb::plan

int main(int count, char** arguments) {
  if (count > 1 && std::string(arguments[1]) == "--sites") {
    ebb::plan::MeasureSites();
    return 0;
  }
  if (count > 2 && std::string(arguments[1]) == "--elastic-blocks") {
    const auto blocks = ebb::ParseNumber(arguments[2]);
    if (!blocks || !(*blocks >= 1 && *blocks <= 1000)) {
      std::fprintf(stderr, "planner_bench: --elastic-blocks takes a number from 1 to 1000\n");
      return 2;
    }
    ebb::plan::CompareElasticBlocks(static_cast<int>(*blocks));
    return 0;
  }
  if (count > 2 && std::string(arguments[1]) == "--elastic") {
    const auto share = ebb::ParseNumber(arguments[2]);
    if (!share || !(*share >= 0 && *share <= 1)) {
      std::fprintf(stderr, "planner_bench: --elastic takes a share from 0 to 1\n");
      return 2;
    }
    ebb::plan::MeasureElastic(*share);
    return 0;
  }
  ebb::plan::MeasureLargeQueues();
  ebb::plan::MeasureWalks();
  ebb::plan::MeasureBySize();
  ebb::plan::CompareWithExhaustiveSearch(ebb::plan::testing::MakeRandomInstance, 200, "");
}
