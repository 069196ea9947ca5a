#include "local/power/cap_search.h"

#include <gmock/gmock.h>

#include "local/power/capped_load_for_test.h"

namespace ebb::local {
namespace {

using ::testing::HasSubstr;

constexpr Power kLimit{300}, kLeast{100};

CapSearchTerms Terms(double slower_by_percent = 5) {
  return {.limit = kLimit, .least = kLeast, .slower_by = {slower_by_percent}};
}

struct Outcome {
  core::PowerChoice choice;
  Power cap;
  double seconds = 0;  ///< until the search was done
  int changes = 0;     ///< of the limit
};

Outcome Search(const CappedLoad& load, const CapSearchTerms& terms, std::uint64_t seed = 1) {
  CappedRun run(load, seed);
  CapSearch search(terms, Time{});
  Outcome outcome;
  for (Time now{}; !search.done() && now < Time{std::chrono::hours{2}}; now += Duration{1000}) {
    run.Run(
        now, search.cap().watts, [&](const ProgressMark& mark) { search.Take(mark); },
        [&](const core::EnergyReading& reading) { search.Take(reading); });
    if (search.Look(now)) ++outcome.changes;
    outcome.seconds = Seconds(now - Time{});
  }
  outcome.choice = search.Choice();
  outcome.cap = search.cap();
  return outcome;
}

// The best limit in whole watts, by trying all of them without noise.
double BruteForce(const CappedLoad& load, double slower_by_percent) {
  double best = kLimit.watts;
  for (double cap = kLeast.watts; cap <= kLimit.watts; ++cap) {
    const double slower = load.MeanStepSeconds(cap) / load.MeanStepSeconds(kLimit.watts) - 1;
    if (slower <= slower_by_percent / 100 && load.MeanStepJoules(cap) < load.MeanStepJoules(best))
      best = cap;
  }
  return best;
}

double Excess(const CappedLoad& load, double cap, double slower_by_percent) {
  return load.MeanStepJoules(cap) / load.MeanStepJoules(BruteForce(load, slower_by_percent)) - 1;
}

CappedLoad AnyLoad(Random& random) {
  CappedLoad load;
  load.idle_w = random.Uniform(20, 90);
  load.draw_w = random.Uniform(130, 300);
  load.exponent = random.Uniform(2, 4);
  load.fixed_share = random.Uniform(0, 0.9);
  load.step_s = random.Uniform(0.02, 1.5);
  load.other_w = random.Uniform(5, 200);
  load.power_noise = random.Uniform(0, 0.02);
  return load;
}

double Slower(const CappedLoad& load, double cap) {
  return load.MeanStepSeconds(cap) / load.MeanStepSeconds(kLimit.watts) - 1;
}

TEST(CapSearch, FindsTheBestLimitOfSteadyLoads) {
  Random random(7);
  for (int i = 0; i < 300; ++i) {
    const CappedLoad load = AnyLoad(random);
    const double slower_by = random.Uniform(2, 40);
    const Outcome outcome = Search(load, Terms(slower_by), random.Next());
    const double cap = outcome.cap.watts;
    EXPECT_LT(Excess(load, cap, slower_by), 0.02)
        << i << ": " << cap << " W instead of " << BruteForce(load, slower_by) << " W by "
        << slower_by << "; " << Describe(outcome.choice);
    EXPECT_LT(Slower(load, cap), slower_by / 100 + 0.005) << i;
    EXPECT_LT(outcome.seconds, 400) << i << ": " << Describe(outcome.choice);
  }
}

TEST(CapSearch, FindsNearlyTheBestLimitOfNoisyLoads) {
  Random random(8);
  double sum = 0;
  constexpr int kLoads = 500;
  for (int i = 0; i < kLoads; ++i) {
    CappedLoad load = AnyLoad(random);
    load.step_noise = random.Uniform(0.01, 0.05);
    const double slower_by = random.Uniform(2, 40);
    const Outcome outcome = Search(load, Terms(slower_by), random.Next());
    const double cap = outcome.cap.watts, excess = Excess(load, cap, slower_by);
    sum += std::max(excess, 0.0);
    EXPECT_LT(excess, 0.06) << i << ": " << cap << " W instead of " << BruteForce(load, slower_by)
                            << " W by " << slower_by << "; " << Describe(outcome.choice);
    EXPECT_LT(Slower(load, cap), slower_by / 100 + 0.02) << i;
    EXPECT_LT(outcome.seconds, 1000) << i << ": " << Describe(outcome.choice);
  }
  EXPECT_LT(sum / kLoads, 0.005);
}

TEST(CapSearch, ASpeedThatDoesNotDependOnTheLimitAllowsTheLowest) {
  const CappedLoad load{.fixed_share = 1, .step_noise = 0.01, .power_noise = 0.01};
  const Outcome outcome = Search(load, Terms());
  EXPECT_EQ(outcome.cap, kLeast) << Describe(outcome.choice);
  EXPECT_NEAR(outcome.choice.saved, 1 - 160.0 / 360, 0.01);
  EXPECT_NEAR(outcome.choice.slower, 0, 0.01);
}

TEST(CapSearch, BurstsAndPausesAreMeasuredForLongEnough) {
  CappedLoad load{.step_noise = 0.02, .power_noise = 0.02, .steps_per_report = 25};
  const Outcome bursts = Search(load, Terms());
  EXPECT_LT(Excess(load, bursts.cap.watts, 5), 0.02) << Describe(bursts.choice);
  load.steps_per_pause = 100;
  load.pause_s = 3;
  const Outcome pauses = Search(load, Terms());
  EXPECT_LT(Excess(load, pauses.cap.watts, 5), 0.02) << Describe(pauses.choice);
}

TEST(CapSearch, WithoutProgressTheLimitIsLeftAlone) {
  const Outcome none = Search({.steps_per_report = 1'000'000'000}, Terms());
  EXPECT_EQ(none.cap, kLimit);
  EXPECT_EQ(none.changes, 0) << "no other limit was tried";
  EXPECT_THAT(none.choice.why, HasSubstr("progress.jsonl"));
  EXPECT_LT(none.seconds, 700);
  const Outcome rare = Search({.steps_per_report = 4000}, Terms());
  EXPECT_EQ(rare.changes, 0);
  EXPECT_THAT(rare.choice.why, HasSubstr("too rarely"));
  const Outcome wild = Search({.step_s = 2, .step_noise = 2}, Terms());
  EXPECT_EQ(wild.changes, 0);
  EXPECT_THAT(wild.choice.why, HasSubstr("varies by itself"));
}

TEST(CapSearch, APowerThatNoLimitCanLowerIsLeftAlone) {
  const Outcome outcome = Search({.idle_w = 40, .draw_w = 95}, Terms());
  EXPECT_EQ(outcome.changes, 0);
  EXPECT_THAT(outcome.choice.why, HasSubstr("95.0 W"));
}

TEST(CapSearch, ASpeedThatChangesByItselfTellsNothing) {
  const Outcome outcome = Search({.drift = 5}, Terms());
  EXPECT_EQ(outcome.cap, kLimit) << Describe(outcome.choice);
  EXPECT_THAT(outcome.choice.why, HasSubstr("changed by"));
}

TEST(CapSearch, ProcessorsCountToo) {
  const CappedLoad lean{.fixed_share = 0, .other_w = 5}, heavy{.fixed_share = 0, .other_w = 500};
  const double low = Search(lean, Terms(40)).cap.watts, high = Search(heavy, Terms(40)).cap.watts;
  EXPECT_LT(low + 30, high) << "a slower step pays longer for them";
}

TEST(CapSearch, AWindowBeginsAgainAfterAStop) {
  CapSearch search(Terms(), Time{});
  const auto report = [&](int from_s, int to_s) {
    for (int s = from_s; s < to_s; ++s) {
      const Time at{std::chrono::seconds{s}};
      search.Take(ProgressMark{at, static_cast<double>(s)});
      search.Take(core::EnergyReading{"gpu:0",
                                      core::Component::kGpu,
                                      core::EnergySource::kCounter,
                                      {at, at + std::chrono::seconds{1}},
                                      Energy::Joules(200)});
    }
  };
  report(0, 10);
  search.Interrupt(Time{std::chrono::seconds{10}});
  report(10, 15);
  EXPECT_FALSE(search.Look(Time{std::chrono::seconds{15}})) << "only three seconds count";
  report(15, 60);
  EXPECT_TRUE(search.Look(Time{std::chrono::seconds{60}}));
  EXPECT_EQ(search.Choice().why, "the program ended before a limit was found");
}

}  // namespace
}  // namespace ebb::local
