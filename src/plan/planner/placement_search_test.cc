// Tests of the search for one task's cheapest window in pools with very many rooms.

#include "plan/planner/placement_search.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "plan/planner/queues_for_test.h"
#include "plan/problem/slot_prices.h"

namespace ebb::plan {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using namespace testing;

constexpr std::size_t kFillers = 900;

// Two sites with two devices each and many short jobs; the other jobs have files at "home".
void FillTwoSites(Instance& instance, std::uint64_t seed) {
  Fill(instance, 2, RandomValues(seed, 120));
  instance.cluster.sites.push_back({"away", "Z", {1.1}});
  instance.cluster.sites.back().set_up = minutes{3};
  instance.cluster.pools.push_back({"gpu", 1, 2, 1.3, 1, {}});
  instance.signals.push_back(ViewOf(RandomValues(seed + 100, 120)));
  Random random(seed);
  for (std::size_t i = 0; i < kFillers + 40; ++i) {
    const auto longest = i < kFillers ? 10 : 200;
    core::Job job = JobOf(static_cast<int>(i), minutes{1 + random.Below(longest)}, hours{96});
    if (i >= kFillers) job.start_by = kNow + hours{1 + random.Below(90)};
    job.devices = random.Below(4) == 0 ? 2 : 1;
    if (i % 3 == 0) {
      job.home = "home";
      job.file_bytes = static_cast<std::int64_t>(random.Uniform(0.1, 60) * 1e9);
    }
    instance.jobs.push_back(job);
  }
}

PlanInput InputOf(const Problem& problem, bool rented) {
  PlanInput input;
  input.now = problem.now;
  input.grid = minutes{1};
  input.tasks = MakeTasks(problem, hours{96});
  // On the grid, the best begin of all minutes is the best of all moments.
  for (Task& task : input.tasks)
    for (Choice& choice : task.choices)
      for (Duration* length : {&choice.length, &choice.move.takes})
        *length = input.GridCeil(Time{*length}).time_since_epoch();
  input.curves = MakePrices(problem, problem.now + hours{110}, minutes{15}, {});
  input.site_of_pool = {0, 1};
  input.devices_in_pool = {2, 2};
  Random random(9);
  for (int pool = 0; rented && pool < 2; ++pool) {
    std::vector<double> rents;
    for (std::size_t i = 0; i < input.curves[0].size(); ++i)
      rents.push_back(random.Below(2) == 0 ? 0 : random.Uniform(0, 100));
    input.rents.emplace_back(input.curves[0].begin(), input.curves[0].step(), rents, 0.0);
  }
  return input;
}

// Places the short jobs at random, so that the pools have many rooms.
Draft RandomDraft(const PlanInput& input, std::uint64_t seed) {
  Draft draft(input);
  Random random(seed);
  Work work;
  for (std::size_t i = 0; i < kFillers; ++i)
    draft.Place(i, EarliestWindow(draft, i, input.now + minutes{random.Below(90 * 60)}, work));
  return draft;
}

// The least cost of all begins on whole minutes.
Cost BruteForce(const Draft& draft, std::size_t index) {
  const PlanInput& input = draft.input();
  Cost best{1e100, 1e100};
  for (const Choice& choice : input.tasks[index].choices)
    for (Time begin = input.now; begin + choice.length <= choice.latest_end; begin += minutes{1}) {
      const Interval window{begin, begin + choice.length};
      if (!draft.ProfileOf(choice.pool).HasFree(input.Held(window), choice.width)) continue;
      const Cost cost = input.CostOf(input.tasks[index], choice, {window});
      if (Lower(cost, best)) best = cost;
    }
  return best;
}

TEST(CheapestWindow, AmongVeryManyRoomsIsThatOfASearchOfEveryMinute) {
  int compared = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Instance instance;
    FillTwoSites(instance, seed);
    const Problem problem = instance.Finish();
    const PlanInput input = InputOf(problem, seed % 2 == 0);
    Draft draft = RandomDraft(input, seed);
    ASSERT_GT(draft.ProfileOf(0).pieces().size(), 512u);
    Work work;
    for (std::size_t i = kFillers; i < input.tasks.size(); ++i) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", job " + std::to_string(i));
      const Cost expected = BruteForce(draft, i);
      const Placement found = CheapestWindow(draft, i, {input.now, Time::max()}, work);
      ASSERT_EQ(found.choice<0, expected.late> 0);
      if (found.choice < 0) continue;
      EXPECT_TRUE(draft.HasRoom(i, found));
      EXPECT_FALSE(Lower(expected, found.cost)) << expected.price << " < " << found.cost.price;
      EXPECT_FALSE(Lower(found.cost, expected)) << expected.price << " > " << found.cost.price;
      draft.Place(i, found);
      ++compared;
    }
  }
  EXPECT_GT(compared, 150);
}

// A choice has the same price at all times, so the first minute with room is its best begin.
TEST(CheapestWindow, AmongVeryManyRoomsOfOnePriceIsTheEarliestOfItsChoice) {
  Instance instance;
  FillTwoSites(instance, 1);
  instance.signals = {ViewOf(std::vector<double>(120, 250)), ViewOf(std::vector<double>(120, 250))};
  const Problem problem = instance.Finish();
  const PlanInput input = InputOf(problem, false);
  const Draft draft = RandomDraft(input, 1);
  int compared = 0;
  for (std::size_t i = kFillers; i < input.tasks.size(); ++i) {
    Work work;
    const Placement found = CheapestWindow(draft, i, {input.now, Time::max()}, work);
    if (found.choice < 0) continue;
    const Choice& choice = input.tasks[i].choices[static_cast<std::size_t>(found.choice)];
    const CapacityProfile& profile = draft.ProfileOf(choice.pool);
    ASSERT_GT(profile.pieces().size(), 512u);
    Time first = input.now;
    while (!profile.HasFree(input.Held({first, first + choice.length}), choice.width))
      first += minutes{1};
    EXPECT_EQ(found.begin(), first) << "job " << i;
    ++compared;
  }
  EXPECT_GE(compared, 25);
}

}  // namespace
}  // namespace ebb::plan
