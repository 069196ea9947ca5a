#include "service/accounting/place_and_time.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "core/jobs/move.h"
#include "core/run/accounting.h"
#include "service/accounting/settlement.h"
#include "testing/builders.h"

namespace ebb::service {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const Time kDay = *ParseTime("2026-05-06T00:00Z");
constexpr int kHours = 30;

// Three sites with a value for each minute, and a job that ran on them in stretches of minutes. All
// that Ebb computes by rows and steps is summed up here minute by minute.
struct SmallWorld {
  core::Cluster cluster;
  std::vector<std::vector<double>> g_per_kwh;  // by site and minute since kDay
  core::Job job;
  int submitted = 0, latest = 0;  // minutes
  std::int64_t checkpoint_bytes = 0;
  std::vector<store::AttemptRecord> attempts;
  std::vector<int> begins;  // of attempts
  std::vector<core::LedgerRow> rows;
  std::vector<double> kwh;  // by minute of running
};

void AddSites(SmallWorld& world, Random& random) {
  const char* const names[]{"here", "north", "south"};
  for (int i = 0; i < 3; ++i) {
    core::Site site{names[i], names[i], Pue{random.Uniform(1, 1.5)}};
    if (random.Below(3) > 0) site.set_up = minutes{random.Below(4)};
    site.set_up_energy = Energy::Joules(random.Uniform(0, 1e5));
    if (i == 0) site.set_up_energy = Energy{};
    world.cluster.sites.push_back(site);
    world.cluster.pools.push_back({"cpu", i, 2, 1, 1, Power{random.Uniform(0, 200)}});
    std::vector<double> values;
    while (values.size() < kHours * 60)
      values.insert(values.end(), 20 + random.Below(100), random.Uniform(10, 800));
    world.g_per_kwh.push_back(std::move(values));
  }
}

// Attempts at random sites, with pauses of whole minutes between some of them.
void AddRun(SmallWorld& world, Random& random, bool at_once_at_home) {
  const int count = at_once_at_home ? 1 : 1 + static_cast<int>(random.Below(3));
  int at = world.submitted + (at_once_at_home ? 0 : 30 + static_cast<int>(random.Below(300)));
  for (int number = 1; number <= count; ++number) {
    store::AttemptRecord attempt;
    attempt.attempt = number;
    attempt.pool = at_once_at_home ? 0 : static_cast<int>(random.Below(3));
    world.attempts.push_back(attempt);
    world.begins.push_back(at);
    for (const int end = at + 5 + static_cast<int>(random.Below(60)); at < end; ++at) {
      core::LedgerRow row;
      row.attempt = number;
      row.device = "cpu";
      row.grid = row.wall = {kDay + minutes{at}, kDay + minutes{at + 1}};
      row.energy = Energy::Joules(random.Uniform(1e3, 1e5));
      row.pue = world.cluster.SiteOf(attempt.pool).pue;
      world.rows.push_back(row);
      world.kwh.push_back(row.energy.kwh());
    }
    at += 20 + static_cast<int>(random.Below(100));
  }
}

SmallWorld RandomWorld(std::uint64_t seed, bool at_once_at_home) {
  Random random(SeedFor(11, seed));
  SmallWorld world;
  AddSites(world, random);
  world.submitted = 60 + static_cast<int>(random.Below(60));
  world.job = testing::AJob(1).Submitted(kDay + minutes{world.submitted});
  // At the speed of the network of 1 Gbit/s these are whole minutes.
  world.job.file_bytes = static_cast<std::int64_t>(7'500'000'000 * random.Below(6));
  world.checkpoint_bytes = static_cast<std::int64_t>(7'500'000'000 * random.Below(3));
  AddRun(world, random, at_once_at_home);
  const int wait = static_cast<int>(random.Below(12 * 60));
  world.latest = world.submitted + wait;
  if (random.Below(2) > 0)
    world.job.start_by = kDay + minutes{world.latest};
  else
    world.job.finish_by = kDay + minutes{world.latest + static_cast<int>(world.kwh.size())};
  if (random.Below(4) == 0) world.job.sites = {"here", "north"};
  return world;
}

std::vector<core::IntensitySeries> SignalsOf(const SmallWorld& world) {
  std::vector<core::IntensitySeries> all;
  for (const auto& values : world.g_per_kwh) {
    std::vector<core::Sample> samples;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i == 0 || values[i] != values[i - 1])
        samples.push_back({{kDay + minutes{i}, kDay + minutes{i + 1}}, {values[i]}});
      samples.back().interval.end = kDay + minutes{i + 1};
    }
    all.push_back(*core::IntensitySeries::Create({}, samples));
  }
  return all;
}

// By hand ----------------------------------------------------------------------------------------

double Mean(const SmallWorld& world, int site, int begin, int length) {
  double sum = 0;
  for (int i = begin; i < begin + length; ++i)
    sum += world.g_per_kwh[static_cast<std::size_t>(site)][static_cast<std::size_t>(i)];
  return sum / length;
}

struct MoveByHand {
  int takes = 0;
  double grams = 0;
};
// A move that ends or begins at a minute, of so many bytes.
MoveByHand Move(const SmallWorld& world, int from, int to, double bytes, int at, bool ends) {
  const core::Site& site = world.cluster.sites[static_cast<std::size_t>(to)];
  MoveByHand move;
  move.takes = static_cast<int>(std::round(bytes / 125e6 / 60)) +
               static_cast<int>(std::chrono::floor<minutes>(site.set_up).count());
  if (from == to) return {};
  if (move.takes == 0) return {};
  const int begin = ends ? at - move.takes : at;
  const double idle_kwh =
      world.cluster.pools[static_cast<std::size_t>(to)].idle.watts * 60 * move.takes / 3.6e6;
  move.grams =
      bytes / 1e9 * 0.06 * Mean(world, from, begin, move.takes) +
      (site.set_up_energy.kwh() + idle_kwh) * site.pue.ratio * Mean(world, to, begin, move.takes);
  return move;
}

double RunFrom(const SmallWorld& world, int site, int start) {
  const MoveByHand move =
      Move(world, 0, site, static_cast<double>(world.job.file_bytes), start, false);
  double grams = move.grams;
  for (std::size_t i = 0; i < world.kwh.size(); ++i)
    grams += world.kwh[i] * world.cluster.sites[static_cast<std::size_t>(site)].pue.ratio *
             world.g_per_kwh[static_cast<std::size_t>(site)]
                            [static_cast<std::size_t>(start + move.takes) + i];
  return grams;
}

bool MayUse(const SmallWorld& world, int site) { return site < 2 || world.job.sites.empty(); }

double BestFrom(const SmallWorld& world, int site) {
  const int takes =
      Move(world, 0, site, static_cast<double>(world.job.file_bytes), 60, false).takes;
  double best = RunFrom(world, site, world.submitted);
  for (int start = world.submitted; start <= world.latest - takes; start += 15)
    best = std::min(best, RunFrom(world, site, start));
  if (world.latest - takes > world.submitted)
    best = std::min(best, RunFrom(world, site, world.latest - takes));
  return best;
}

double Emitted(const SmallWorld& world) {
  double grams = 0;
  for (const core::LedgerRow& row : world.rows) {
    const int pool = world.attempts[static_cast<std::size_t>(row.attempt - 1)].pool;
    const auto minute = std::chrono::floor<minutes>(row.grid.begin - kDay).count();
    grams += row.energy.kwh() * row.pue.ratio *
             world.g_per_kwh[static_cast<std::size_t>(pool)][static_cast<std::size_t>(minute)];
  }
  return grams;
}

double Moves(const SmallWorld& world) {
  double grams = 0;
  int last = -1;
  for (std::size_t i = 0; i < world.attempts.size(); ++i) {
    const int pool = world.attempts[i].pool;
    double bytes = last >= 0 ? static_cast<double>(world.checkpoint_bytes) : 0;
    if (pool > 0) bytes += static_cast<double>(world.job.file_bytes);
    grams += Move(world, std::max(last, 0), pool, bytes, world.begins[i], true).grams;
    last = pool;
  }
  return grams;
}

// A move whose only cost is the energy of the set-up takes a second, and this world has minutes.
bool HasMovesOfASecond(const SmallWorld& world) {
  return world.job.file_bytes == 0 && (world.cluster.sites[1].set_up == Duration{} ||
                                       world.cluster.sites[2].set_up == Duration{});
}

struct Computed {
  Settlement settlement;
  store::SettledSites sites;
  std::optional<PlaceAndTime> places;
};
Computed Compute(const SmallWorld& world, const Hindsight& hindsight) {
  Computed computed;
  computed.sites =
      SitesOf({world.job, world.attempts, world.rows, world.cluster, world.checkpoint_bytes});
  const auto published = SignalsOf(world);
  std::vector<RanAt> places(3);
  for (std::size_t i = 0; i < 3; ++i) places[i].published = published[i];
  for (const core::LedgerRow& row : world.rows)
    places[static_cast<std::size_t>(world.attempts[static_cast<std::size_t>(row.attempt - 1)].pool)]
        .rows.push_back(row);
  const bool is_at_home = places.front().rows.size() == world.rows.size();
  computed.settlement = is_at_home
                            ? SettlementOf(world.job.submitted, world.rows, published.front())
                            : SettlementOf(world.job.submitted, places, published.front(),
                                           world.cluster.sites.front().pue, places.front().rows);
  computed.places = PlaceAndTimeOf(computed.settlement, world.job.submitted,
                                   StartAtOnce(world.job.submitted, world.rows), world.rows,
                                   computed.sites, published, hindsight);
  return computed;
}

const Hindsight kLater{kDay + hours{1000}, false};

TEST(PlaceAndTime, EachFigureIsThatOfASumByTheMinute) {
  int moved = 0, elsewhere = 0, as_it_ran = 0, looked = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    const SmallWorld world = RandomWorld(seed, false);
    if (HasMovesOfASecond(world)) continue;
    const Computed computed = Compute(world, kLater);
    ASSERT_TRUE(computed.places && computed.places->best && computed.places->moves) << seed;
    const PlaceAndTime& places = *computed.places;
    const auto near = [&](double one, double other) {
      EXPECT_NEAR(one, other, 1e-6 * other) << seed;
    };
    near(computed.settlement.emitted->grams, Emitted(world));
    double at_once = RunFrom(world, 0, world.submitted), home = BestFrom(world, 0), best = home;
    near(places.home_at_once.grams, at_once);
    near(places.home_best->grams, home);
    for (int site = 1; site < 3; ++site) {
      if (!MayUse(world, site)) continue;
      at_once = std::min(at_once, RunFrom(world, site, world.submitted));
      best = std::min(best, BestFrom(world, site));
    }
    near(places.place_at_once.grams, at_once);
    EXPECT_NEAR(places.moves->grams, Moves(world), 1e-6 * Moves(world)) << seed;
    near(places.best->grams, std::min(best, Emitted(world) + Moves(world)));
    ++looked;
    moved += computed.sites.moves.size() > 1 ? 1 : 0;
    elsewhere += places.best_site != "here" ? 1 : 0;
    as_it_ran += places.best_is_as_it_ran ? 1 : 0;
  }
  EXPECT_GT(looked, 150);
  EXPECT_GT(moved, 30);
  EXPECT_GT(elsewhere, 30);
  EXPECT_GT(as_it_ran, 3) << "a job that paused and moved can be better than any single piece";
}

TEST(PlaceAndTime, TheBestInHindsightIsNeverAboveTheOthers) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Computed computed = Compute(RandomWorld(seed, seed % 5 == 0), kLater);
    ASSERT_TRUE(computed.places && computed.places->best && computed.places->home_best) << seed;
    const PlaceAndTime& places = *computed.places;
    EXPECT_LE(places.best->grams, places.home_best->grams) << seed;
    EXPECT_LE(places.best->grams, places.place_at_once.grams) << seed;
    EXPECT_LE(places.home_best->grams, places.home_at_once.grams) << seed;
    EXPECT_LE(places.place_at_once.grams, places.home_at_once.grams) << seed;
    EXPECT_LE(places.best->grams, computed.settlement.emitted->grams + places.moves->grams) << seed;
  }
}

TEST(PlaceAndTime, AJobThatStartedAtOnceAtHomeHasSavedExactlyNothing) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Computed computed = Compute(RandomWorld(seed, true), kLater);
    ASSERT_TRUE(computed.places) << seed;
    EXPECT_EQ(computed.places->home_at_once.grams, computed.settlement.emitted->grams) << seed;
    EXPECT_EQ(computed.places->moves, Emissions{}) << seed;
  }
}

TEST(PlaceAndTime, BestStartsAreKnownWhenAllOfThemAreOver) {
  const SmallWorld world = RandomWorld(3, false);
  const Time end = EndOfStarts(Compute(world, kLater).sites, world.rows);
  EXPECT_EQ(end, kDay + minutes{world.latest + static_cast<int>(world.kwh.size())});
  const auto before = Compute(world, {end - Duration{1}, false}).places;
  ASSERT_TRUE(before);
  EXPECT_FALSE(before->best || before->home_best);
  EXPECT_TRUE(Compute(world, {end, true}).places->best);
}

TEST(PlaceAndTime, AStartWithoutValuesIsWaitedForAsLongAsTheyMayCome) {
  SmallWorld world = RandomWorld(3, false);
  const auto published = SignalsOf(world);
  const Computed computed = Compute(world, kLater);
  auto signals = published;
  signals[0] = published[0].Slice({kDay, kDay + minutes{world.latest}});
  const auto figures = [&](bool may_be_published) {
    return *PlaceAndTimeOf(computed.settlement, world.job.submitted, world.job.submitted,
                           world.rows, computed.sites, signals,
                           {kDay + hours{1000}, may_be_published});
  };
  EXPECT_FALSE(figures(true).best);
  EXPECT_TRUE(figures(false).best);
  EXPECT_GE(figures(false).home_best->grams, computed.places->home_best->grams);
}

TEST(PlaceAndTime, FiguresAreKeptExactly) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const PlaceAndTime figures = *Compute(RandomWorld(seed, false), kLater).places;
    EXPECT_EQ(PlaceAndTimeFrom(PlaceAndTimeText(figures)), figures);
  }
  EXPECT_FALSE(PlaceAndTimeFrom(""));
  EXPECT_FALSE(PlaceAndTimeFrom("{\"home_at_once_g\":\"x\"}"));
}

}  // namespace
}  // namespace ebb::service
