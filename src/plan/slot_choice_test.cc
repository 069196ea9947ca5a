#include "plan/slot_choice.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace ebb::plan {
namespace {

// Tries every subset of the slots.
double BruteForce(const SlotProblem& p) {
  const int count = static_cast<int>(p.cost.size());
  double best = 1e300;
  for (unsigned mask = 0; mask < (1u << count); ++mask) {
    if (__builtin_popcount(mask) != p.slots) continue;
    double cost = 0;
    int done = 0;
    bool allowed = true;
    for (int t = 0; t < count && allowed; ++t) {
      if (!(mask >> t & 1u)) continue;
      const bool begins = t == 0 || !(mask >> (t - 1) & 1u);
      const auto slot = static_cast<std::size_t>(t);
      const bool goes_on_running = t == 0 && p.running;
      const bool free_start =
          goes_on_running || (done == 0 && !p.running && !p.first_is_resumption);
      if (begins && !free_start) cost += p.resume[slot];
      if (begins && !goes_on_running) {
        int block = 0;
        while (t + block < count && (mask >> (t + block) & 1u)) ++block;
        allowed = block >= std::min(p.minimum_block, p.slots - done);
      }
      cost += p.cost[slot];
      ++done;
    }
    for (int t = 0; p.running && t < std::min(p.running_must, p.slots); ++t)
      allowed = allowed && (mask >> t & 1u);
    if (allowed) best = std::min(best, cost);
  }
  return best;
}

SlotProblem RandomProblem(std::uint64_t seed) {
  Random random(seed);
  SlotProblem problem;
  const int count = 2 + static_cast<int>(random.Below(11));
  for (int i = 0; i < count; ++i) {
    problem.cost.push_back(random.Uniform(10, 100));
    problem.resume.push_back(random.Uniform(0, 40));
  }
  problem.slots = 1 + static_cast<int>(random.Below(static_cast<std::uint64_t>(count)));
  problem.minimum_block = 1 + static_cast<int>(random.Below(4));
  problem.running = random.Below(2) == 0;
  problem.running_must = static_cast<int>(random.Below(3));
  problem.first_is_resumption = random.Below(2) == 0;
  return problem;
}

TEST(ChooseSlotsTest, EqualsBruteForce) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const SlotProblem problem = RandomProblem(seed);
    const auto choice = ChooseSlots(problem);
    ASSERT_TRUE(choice) << "seed " << seed;
    EXPECT_NEAR(choice->cost, BruteForce(problem), 1e-6) << "seed " << seed;
    int chosen = 0;
    for (const SlotBlock& block : choice->blocks) chosen += block.end - block.begin;
    EXPECT_EQ(chosen, problem.slots) << "seed " << seed;
  }
}

TEST(ChooseSlotsTest, EqualSlotsAreTakenFromTheBeginningInOnePiece) {
  SlotProblem problem;
  problem.cost.assign(20, 0.1);
  problem.resume.assign(20, 0.0);
  problem.slots = 7;
  EXPECT_EQ(ChooseSlots(problem)->blocks, (std::vector<SlotBlock>{{0, 7}}));
}

TEST(ChooseSlotsTest, ADearPauseIsNotTaken) {
  SlotProblem problem;
  problem.cost = {1, 9, 1};
  problem.resume = {5, 5, 5};
  problem.slots = 2;
  EXPECT_EQ(ChooseSlots(problem)->blocks.size(), 2u) << "1 + 1 + 5 is less than 1 + 9";
  problem.resume = {9, 9, 9};
  EXPECT_EQ(ChooseSlots(problem)->blocks.size(), 1u);
}

TEST(ChooseSlotsTest, TooFewSlotsAreNoChoice) {
  SlotProblem problem;
  problem.cost = problem.resume = {1, 1};
  problem.slots = 3;
  EXPECT_FALSE(ChooseSlots(problem));
}

}  // namespace
}  // namespace ebb::plan
