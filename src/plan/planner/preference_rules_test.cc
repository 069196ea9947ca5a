// Tests rules for thresholds and priorities on whole plans, against every way to run jobs of an
// hour each on like devices. The rules do not use the prices and weights of preferences
// (plan/problem/preferences.h): preferences_test.cc compares with those.

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/random.h"
#include "plan/planner/planner.h"
#include "plan/planner/queues_for_test.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using namespace testing;

// Values by hour, and jobs of one hour and the same power.
struct HourlyQueue {
  int devices = 1;
  std::vector<double> values;
  std::vector<core::Job> jobs;

  int LatestHour(std::size_t job) const {
    return static_cast<int>((*jobs[job].start_by - kNow) / hours{1});
  }
  double ValueAt(int hour) const { return values[static_cast<std::size_t>(hour)]; }
  bool IsAbove(std::size_t job, int hour) const {
    return jobs[job].threshold && ValueAt(hour) > jobs[job].threshold->g_per_kwh;
  }
};

// One to three devices, 6 to 12 hours, three to five jobs with maximum delays.
HourlyQueue RandomQueue(std::uint64_t seed) {
  Random random(SeedFor(seed, 5));
  HourlyQueue queue;
  queue.devices = static_cast<int>(1 + random.Below(3));
  const auto hour_count = static_cast<int>(6 + random.Below(7));
  // Few different values, so that some hours cost the same.
  for (int hour = 0; hour < hour_count; ++hour)
    queue.values.push_back(50 * static_cast<double>(1 + random.Below(10)));
  const auto jobs = static_cast<int>(3 + random.Below(3));
  for (int id = 0; id < jobs; ++id) {
    const auto latest = random.Below(static_cast<std::uint64_t>(hour_count));
    queue.jobs.push_back(JobOf(id, hours{1}, hours{latest}));
    if (random.Below(3) > 0)
      queue.jobs.back().threshold = Intensity{25 + 50 * static_cast<double>(1 + random.Below(10))};
  }
  return queue;
}

// Calls `visit` with the hours of every way that keeps all maximum delays.
class EveryWay {
 public:
  EveryWay(const HourlyQueue& queue, std::function<void(const std::vector<int>&)> visit)
      : queue_(queue), visit_(std::move(visit)), used_(queue.values.size()) {
    Try();
  }

 private:
  void Try() {
    const std::size_t job = way_.size();
    if (job == queue_.jobs.size()) return visit_(way_);
    for (int hour = 0; hour <= queue_.LatestHour(job); ++hour) {
      int& used = used_[static_cast<std::size_t>(hour)];
      if (used == queue_.devices) continue;
      ++used;
      way_.push_back(hour);
      Try();
      way_.pop_back();
      --used;
    }
  }

  const HourlyQueue& queue_;
  std::function<void(const std::vector<int>&)> visit_;
  std::vector<int> used_, way_;
};

// Number of hours above thresholds, then the sum of values.
using Outcome = std::tuple<int, double>;

Outcome OutcomeOf(const HourlyQueue& queue, const std::vector<int>& way) {
  int above = 0;
  double sum = 0;
  for (std::size_t job = 0; job < way.size(); ++job) {
    above += queue.IsAbove(job, way[job]) ? 1 : 0;
    sum += queue.ValueAt(way[job]);
  }
  return {above, sum};
}

std::optional<Outcome> BestOutcome(const HourlyQueue& queue) {
  std::optional<Outcome> best;
  const EveryWay every(queue, [&](const std::vector<int>& way) {
    const Outcome outcome = OutcomeOf(queue, way);
    if (!best || outcome < *best) best = outcome;
  });
  return best;
}

// The hours of the plan. Every begin is on an hour, because nothing else is cheaper. With
// `one_by_one`, each job is submitted after those before it are planned.
std::vector<int> Planned(const HourlyQueue& queue, bool one_by_one) {
  Instance instance;
  Fill(instance, queue.devices, queue.values);
  Schedule schedule;
  for (const core::Job& job : queue.jobs) {
    instance.jobs.push_back(job);
    schedule.jobs.emplace_back();
    if (!one_by_one && instance.jobs.size() < queue.jobs.size()) continue;
    MakePlanner({})->Update(instance.Finish(), {false, false, {job.id}}, schedule);
  }
  ExpectSound(instance, schedule);
  std::vector<int> way;
  for (const JobPlan& plan : schedule.jobs) {
    EXPECT_EQ((BeginOf(plan) - kNow) % hours{1}, Duration::zero());
    way.push_back(static_cast<int>((BeginOf(plan) - kNow) / hours{1}));
  }
  return way;
}

// Expects a plan with the fewest hours above thresholds among all ways that run all jobs in time,
// also when a job's maximum delay has run out; and among those, a plan with the fewest grams.
void ExpectFewestHoursAbove(bool one_by_one) {
  int compared = 0, some_above = 0;
  for (std::uint64_t seed = 1; compared < 100; ++seed) {
    const HourlyQueue queue = RandomQueue(seed);
    const auto best = BestOutcome(queue);
    if (!best) continue;
    ++compared;
    SCOPED_TRACE("seed " + std::to_string(seed));
    EXPECT_EQ(OutcomeOf(queue, Planned(queue, one_by_one)), *best);
    some_above += std::get<0>(*best) > 0 ? 1 : 0;
  }
  EXPECT_GE(some_above, 10) << "where no way avoids it";
}

TEST(PreferenceRules, HoursAboveThresholdsAreAsFewAsAnyWayInTimeAllows) {
  ExpectFewestHoursAbove(false);
}

TEST(PreferenceRules, HoursAboveThresholdsAreAsFewAlsoWhereJobsComeOneByOne) {
  ExpectFewestHoursAbove(true);
}

// True if job `high` would rather have the hour of job `low`: at or below its threshold, cleaner,
// or as clean and earlier.
bool Prefers(const HourlyQueue& queue, std::size_t high, int own, int other) {
  return std::tuple(queue.IsAbove(high, other), queue.ValueAt(other), other) <
         std::tuple(queue.IsAbove(high, own), queue.ValueAt(own), own);
}

// Two jobs can exchange their hours if both stay in time. Expects the job with the higher priority
// to have the hour that it prefers, unless the lower one has it for its own threshold. Returns the
// number of pairs that could exchange.
int ExpectPreferredHours(const HourlyQueue& queue, const std::vector<int>& way) {
  int pairs = 0;
  for (std::size_t high = 0; high < way.size(); ++high)
    for (std::size_t low = 0; low < way.size(); ++low) {
      if (queue.jobs[high].priority <= queue.jobs[low].priority) continue;
      if (way[low] > queue.LatestHour(high) || way[high] > queue.LatestHour(low)) continue;
      ++pairs;
      const bool saves_threshold = queue.IsAbove(high, way[high]) && !queue.IsAbove(high, way[low]);
      const bool costs_threshold = !queue.IsAbove(low, way[low]) && queue.IsAbove(low, way[high]);
      if (costs_threshold && !saves_threshold) continue;
      EXPECT_FALSE(Prefers(queue, high, way[high], way[low]))
          << "job " << high << " in hour " << way[high] << ", job " << low << " in hour "
          << way[low];
    }
  return pairs;
}

TEST(PreferenceRules, NoJobHasAnHourThatAHigherPriorityCouldHaveAndPrefers) {
  int compared = 0, pairs = 0;
  for (std::uint64_t seed = 1; compared < 100; ++seed) {
    HourlyQueue queue = RandomQueue(seed);
    Random random(SeedFor(seed, 6));
    for (core::Job& job : queue.jobs) job.priority = static_cast<int>(random.Below(3));
    if (!BestOutcome(queue)) continue;
    ++compared;
    for (const bool one_by_one : {false, true}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + (one_by_one ? ", one by one" : ""));
      pairs += ExpectPreferredHours(queue, Planned(queue, one_by_one));
    }
  }
  EXPECT_GE(pairs, 200);
}

}  // namespace
}  // namespace ebb::plan
