#include "sweep/successive_halving.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.h"

namespace ebb::sweep {
namespace {

TEST(SuccessiveHalving, HasRungsBelowTheWholeRun) {
  EXPECT_EQ(Rungs({3, 1, 9}), (std::vector<int>{1, 3}));
  EXPECT_EQ(Rungs({2, 2, 17}), (std::vector<int>{2, 4, 8, 16}));
  EXPECT_EQ(Rungs({100, 1, 1'000'000}), (std::vector<int>{1, 100, 10'000}));
}

TEST(SuccessiveHalving, LetsTheFirstOnesPassAndThenOnlyTheBest) {
  SuccessiveHalving halving({3, 1, 9});
  EXPECT_FALSE(halving.Report("a", 1, 0.9)->stop);
  EXPECT_FALSE(halving.Report("b", 1, 0.8)->stop);
  const auto third = halving.Report("c", 1, 0.85);
  EXPECT_TRUE(third->stop);
  EXPECT_EQ(Sentence(*third, 0.85),
            "stopped at epoch 1: loss 0.8500 is 2nd of 3, the best 1 goes on");
  EXPECT_FALSE(halving.Report("d", 1, 0.7)->stop);
}

TEST(SuccessiveHalving, DecidesOncePerRungAndOnlyThere) {
  SuccessiveHalving halving({3, 2, 9});
  EXPECT_FALSE(halving.Report("a", 1, 0.9));
  EXPECT_TRUE(halving.Report("a", 2, 0.8));
  EXPECT_FALSE(halving.Report("a", 2, 0.8));
  EXPECT_FALSE(halving.Report("a", 3, 0.8));
  EXPECT_EQ(halving.Report("a", 7, 0.7)->rung, 6);
}

TEST(SuccessiveHalving, RanksALossThatIsNoNumberLast) {
  SuccessiveHalving halving({2, 1, 4});
  EXPECT_FALSE(halving.Report("a", 1, 0.9)->stop);
  EXPECT_TRUE(halving.Report("b", 1, std::numeric_limits<double>::quiet_NaN())->stop);
}

TEST(SuccessiveHalving, SavesWhatWasNotRun) {
  const EstimatedSaving saving =
      SavedBy({std::chrono::hours{2}, Power{500}, 3, Intensity{200}}, {3, 1, 12}, Pue{1.5});
  EXPECT_NEAR(saving.energy.kwh(), 0.75, 1e-9);
  EXPECT_NEAR(saving.emissions.grams, 0.75 * 1.5 * 200, 1e-6);
}

// The benchmark of issue 3: it uses the published losses of part 2 of the sweep. Fifteen losses
// were not published (only that they are worse than the best five), and no learning curves were.
// Both are synthetic here, seeded, and only a stand-in. All runs take their estimated time, at one
// intensity, two at a time in the published order.
struct Row {
  const char* name;
  double hours;
  double final_loss;  ///< 0: not published
};
constexpr Row kPublished[]{
    {"r16-a32-lr1e-04-d10", 1.4, 0.7899},  {"r16-a64-lr1e-04-d10", 1.4, 0.749},
    {"r16-a128-lr1e-04-d10", 1.4, 0.7059}, {"r16-a32-lr5e-05-d10", 1.4, 0},
    {"r16-a32-lr1e-05-d10", 1.4, 0},       {"r16-a32-lr1e-04-d5", 1.4, 0},
    {"r16-a32-lr1e-04-d15", 1.4, 0},       {"r16-a64-lr5e-05-d10", 1.4, 0},
    {"r32-a32-lr1e-04-d10", 1.6, 0},       {"r32-a64-lr1e-04-d5", 1.6, 0},
    {"r32-a64-lr1e-04-d10", 1.6, 0},       {"r32-a64-lr5e-05-d10", 1.6, 0},
    {"r32-a128-lr1e-04-d10", 1.6, 0.701},  {"r32-a64-lr1e-05-d10", 1.6, 0},
    {"r32-a64-lr1e-04-d15", 1.6, 0},       {"r32-a128-lr5e-05-d10", 1.6, 0},
    {"r32-a128-lr1e-04-d5", 1.6, 0.697},   {"r32-a128-lr1e-04-d15", 1.6, 0.7037},
    {"r32-a32-lr1e-04-d15", 1.6, 0},       {"r32-a128-lr1e-05-d10", 1.6, 0},
    {"r32-a32-lr5e-05-d15", 1.6, 0}};
constexpr int kEpochs = 9;

// A loss that falls from 1.4 to the final loss, with a little noise that dies out.
double SyntheticLoss(std::size_t row, int epoch, std::uint64_t seed) {
  Random random(SeedFor(seed, row));
  const double published = kPublished[row].final_loss;
  const double final_loss = published > 0 ? published : random.Uniform(0.71, 0.9);
  Random noise(SeedFor(seed ^ 0x5eed, row * 100 + static_cast<std::size_t>(epoch)));
  const double left = std::exp(-0.6 * epoch);
  return final_loss + 0.7 * left + 0.02 * noise.Normal() * left;
}

struct Outcome {
  std::string best;
  double hours = 0;
};

Outcome RunBenchmark(std::uint64_t seed) {
  SuccessiveHalving halving({3, 1, kEpochs});
  struct Slot {
    std::size_t row = 0;
    int epoch = 0;
    double busy_until = 0;
  };
  Outcome outcome;
  double best_loss = 1e9;
  std::size_t next = 0;
  std::vector<Slot> slots;
  const auto start = [&](double now) {
    if (next < std::size(kPublished))
      slots.push_back({next, 0, now + kPublished[next].hours / kEpochs}), ++next;
  };
  start(0);
  start(0);
  while (!slots.empty()) {
    auto slot = std::min_element(slots.begin(), slots.end(), [](const Slot& a, const Slot& b) {
      return std::pair(a.busy_until, a.row) < std::pair(b.busy_until, b.row);
    });
    const Row& row = kPublished[slot->row];
    const double now = slot->busy_until;
    const double loss = SyntheticLoss(slot->row, ++slot->epoch, seed);
    outcome.hours += row.hours / kEpochs;
    const auto verdict = halving.Report(row.name, slot->epoch, loss);
    slot->busy_until += row.hours / kEpochs;
    if (slot->epoch == kEpochs && loss < best_loss) {
      best_loss = loss;
      outcome.best = row.name;
    }
    if (slot->epoch == kEpochs || (verdict && verdict->stop)) {
      slots.erase(slot);
      start(now);
    }
  }
  return outcome;
}

TEST(SuccessiveHalving, ReachesTheBestPublishedConfigurationWithFarFewerGrams) {
  double all_hours = 0;
  for (const Row& row : kPublished) all_hours += row.hours;
  double most_hours = 0;
  int best_found = 0;
  constexpr int kSeeds = 20;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Outcome outcome = RunBenchmark(seed);
    if (outcome.best == "r32-a128-lr1e-04-d5") ++best_found;
    most_hours = std::max(most_hours, outcome.hours);
  }
  RecordProperty("best_found", best_found);
  // Equal power and one intensity: grams are proportional to hours.
  EXPECT_EQ(RunBenchmark(1).best, "r32-a128-lr1e-04-d5");
  EXPECT_GE(best_found, 18);
  EXPECT_LE(most_hours, 0.6 * all_hours);
}

}  // namespace
}  // namespace ebb::sweep
