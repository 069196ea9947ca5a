#include "train/learning/micro_batch_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

namespace ebb::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kTokens = 4096;  // of an update

// A device with a speed and a power at each size, and memory for some sizes.
struct Device {
  std::function<double(double)> tokens_per_second = [](double) { return 1000.0; };
  std::function<double(double)> watts{};  ///< empty: no counter
  std::size_t largest_that_fits = 1 << 20;
};

// Does one update. If memory runs out, the update begins again, as in a training.
void Update(MicroBatchSearch& search, const Device& device) {
  while (search.size() > device.largest_that_fits) search.RunOutOfMemory();
  const auto size = static_cast<double>(search.size());
  const double seconds = kTokens / device.tokens_per_second(size);
  search.Add({kTokens, seconds,
              device.watts ? std::optional(device.watts(size) * seconds) : std::nullopt});
}

struct Outcome {
  std::vector<std::size_t> used;  // the size of each update until the choice
  MicroBatchSearch search;

  std::vector<std::size_t> tried() const {
    std::vector<std::size_t> sizes;
    for (const MicroBatchTrial& trial : search.state().trials) sizes.push_back(trial.size);
    return sizes;
  }
};

Outcome Found(const Device& device, const MicroBatchLimits& limits) {
  Outcome outcome{{}, MicroBatchSearch(limits)};
  while (outcome.search.searching()) {
    Update(outcome.search, device);
    outcome.used.push_back(outcome.search.size());
    EXPECT_LE(outcome.used.size(), static_cast<std::size_t>(limits.most_updates));
    if (outcome.used.size() > 1000) break;
  }
  return outcome;
}

// Launches take a constant time, so that rates rise to what the arithmetic allows.
double Saturating(double size) { return 8000 * size / (size + 4); }

TEST(MicroBatchSearch, GoesUpToTheWholeUpdateWhileThatPays) {
  const Outcome outcome = Found({.tokens_per_second = Saturating}, {1, 24, 100});
  EXPECT_THAT(outcome.tried(), ElementsAre(1, 2, 4, 8, 16, 24));
  EXPECT_EQ(outcome.search.size(), 24U);
  EXPECT_FALSE(outcome.search.searching());
}

TEST(MicroBatchSearch, EqualRatesKeepTheSmallestThatWasTried) {
  const Device device{
      .tokens_per_second = [](double size) { return size >= 4 ? 1010.0 : 250 * size; }};
  const Outcome outcome = Found(device, {1, 256, 200});
  EXPECT_THAT(outcome.tried(), ElementsAre(1, 2, 4, 8, 16)) << "two without gain are enough";
  EXPECT_EQ(outcome.search.size(), 4U);
}

TEST(MicroBatchSearch, ALargerSizeThatIsClearlyWorseEndsTheWayUp) {
  const Device device{
      .tokens_per_second = [](double size) { return size <= 8 ? Saturating(size) : 1000; }};
  const Outcome outcome = Found(device, {2, 64, 100});
  EXPECT_THAT(outcome.tried(), ElementsAre(2, 4, 8, 16));
  EXPECT_EQ(outcome.search.size(), 8U);
}

TEST(MicroBatchSearch, GoesDownIfNothingLargerIsBetter) {
  const Device device{
      .tokens_per_second = [](double size) { return 1000 - 20 * std::abs(size - 4); }};
  EXPECT_EQ(Found(device, {16, 32, 100}).search.size(), 4U);
  EXPECT_EQ(Found(device, {32, 32, 100}).search.size(), 4U) << "the update is one micro-batch";
  EXPECT_EQ(Found(device, {4, 32, 100}).search.size(), 4U);
}

TEST(MicroBatchSearch, JoulesCountBeforeSeconds) {
  // Twice the speed at three times the power.
  const Device device{.tokens_per_second = [](double size) { return size < 8 ? 500.0 : 1000.0; },
                      .watts = [](double size) { return size < 8 ? 100 : 300; }};
  EXPECT_EQ(Found(device, {4, 16, 100}).search.size(), 4U);
  Device no_counter = device;
  no_counter.watts = {};
  EXPECT_EQ(Found(no_counter, {4, 16, 100}).search.size(), 8U);
}

// A counter that moves ten times in a second says nothing about a tenth of a second.
TEST(MicroBatchSearch, TrialsThatAreTooShortForACounterAreComparedBySeconds) {
  const Device device{.tokens_per_second = [](double size) { return size < 8 ? 5e5 : 1e6; },
                      .watts = [](double size) { return size < 8 ? 100 : 300; }};
  EXPECT_EQ(Found(device, {4, 16, 12}).search.size(), 8U);
  EXPECT_EQ(Found(device, {4, 16, 2000}).search.size(), 4U) << "enough updates for a second each";
}

TEST(MicroBatchSearch, MemoryThatRunsOutEndsTheWayUpAndIsNotTriedAgain) {
  const Outcome outcome =
      Found({.tokens_per_second = Saturating, .largest_that_fits = 8}, {2, 64, 100});
  EXPECT_THAT(outcome.tried(), ElementsAre(2, 4, 8, 16));
  EXPECT_FALSE(outcome.search.state().trials.back().fits);
  EXPECT_EQ(outcome.search.size(), 8U);
}

TEST(MicroBatchSearch, AFirstSizeThatDoesNotFitIsHalved) {
  const Outcome outcome =
      Found({.tokens_per_second = Saturating, .largest_that_fits = 3}, {13, 64, 100});
  EXPECT_THAT(outcome.tried(), ElementsAre(13, 7, 4, 2, 1));
  EXPECT_EQ(outcome.search.size(), 2U);
}

TEST(MicroBatchSearch, ASizeThatDoesNotFitLaterIsHalvedToo) {
  MicroBatchSearch fixed(6);
  EXPECT_FALSE(fixed.searching());
  fixed.RunOutOfMemory();
  EXPECT_EQ(fixed.size(), 3U);
  MicroBatchSearch found = Found({.tokens_per_second = Saturating}, {1, 8, 100}).search;
  found.RunOutOfMemory();
  EXPECT_EQ(found.size(), 4U);
  EXPECT_FALSE(found.searching());
}

// Longer sequences come while a smaller size is tried: a size that was enough before is not.
TEST(MicroBatchSearch, ASizeAboveOneThatFailedIsNeverChosen) {
  MicroBatchSearch search({4, 4, 100});
  const Device device{.tokens_per_second = [](double) { return 1000.0; }};
  while (search.size() == 4) Update(search, device);
  ASSERT_EQ(search.size(), 2U);
  search.RunOutOfMemory();
  EXPECT_EQ(search.size(), 1U);
  while (search.searching()) Update(search, device);
  EXPECT_EQ(search.size(), 1U);
}

TEST(MicroBatchSearch, ShortRunsSearchLess) {
  EXPECT_EQ(SearchUpdates(10'000), 500);
  EXPECT_EQ(SearchUpdates(100), 12);
  EXPECT_EQ(SearchUpdates(9), 4);
  EXPECT_EQ(SearchUpdates(1), 0);
  EXPECT_FALSE(MicroBatchSearch({4, 32, 0}).searching());
  EXPECT_FALSE(MicroBatchSearch({1, 1, 100}).searching()) << "there is nothing to try";
  const Outcome outcome = Found({.tokens_per_second = Saturating}, {2, 4, 4});
  EXPECT_EQ(outcome.used.size(), 4U);
  EXPECT_EQ(outcome.search.size(), 4U);
}

TEST(MicroBatchSearch, TheFirstUpdateOfASizeDoesNotCount) {
  MicroBatchSearch search({1, 2, 100});
  search.Add({kTokens, 1000, std::nullopt});
  search.Add({kTokens, 1, std::nullopt});
  search.Add({kTokens, 3, std::nullopt});
  const MicroBatchTrial& first = search.state().trials.front();
  EXPECT_EQ(first.updates, 3);
  EXPECT_EQ(first.counted, 2);
  EXPECT_EQ(*first.TokensPerSecond(), kTokens / 2.0);
  EXPECT_FALSE(first.TokensPerJoule());
  EXPECT_EQ(search.size(), 2U);
}

// Whenever a process ends, the next one comes to the same choice from what was stored.
TEST(MicroBatchSearch, GoesOnFromWhatWasStored) {
  const Device device{
      .tokens_per_second = [](double size) { return size <= 8 ? Saturating(size) : 900; },
      .watts = [](double size) { return 100 + size; }};
  const MicroBatchLimits limits{2, 64, 60};
  const Outcome whole = Found(device, limits);
  for (int before = 0; before <= static_cast<int>(whole.used.size()); ++before) {
    MicroBatchSearch first(limits);
    for (int i = 0; i < before; ++i) Update(first, device);
    const auto text = ToJson(first.state()).dump();
    MicroBatchSearch second(limits);
    second.Resume(MicroBatchStateFromJson(nlohmann::json::parse(text)));
    EXPECT_EQ(second.size(), first.size());
    EXPECT_EQ(second.searching(), first.searching());
    while (second.searching()) Update(second, device);
    EXPECT_EQ(second.size(), whole.search.size()) << "after " << before;
  }
}

TEST(MicroBatchSearch, AResumedSizeStaysWhateverThisProcessWouldDo) {
  const MicroBatchState chosen{8, false, {}};
  MicroBatchSearch fixed(2), searching({2, 64, 60});
  fixed.Resume(chosen);
  searching.Resume(chosen);
  EXPECT_EQ(fixed.size(), 8U);
  EXPECT_EQ(searching.size(), 8U);
  EXPECT_FALSE(searching.searching());
  // A checkpoint of an older version does not say it.
  MicroBatchSearch old({2, 64, 60});
  old.Resume({});
  EXPECT_EQ(old.size(), 2U);
  EXPECT_FALSE(old.searching());
  // A process that must not search takes the best of what is known.
  MicroBatchSearch half({1, 64, 100});
  while (half.size() < 8) Update(half, {.tokens_per_second = Saturating});
  MicroBatchSearch ends(1);
  ends.Resume(half.state());
  EXPECT_FALSE(ends.searching());
  EXPECT_EQ(ends.size(), 4U);
}

// The choice is within 3 % of the best of all sizes, for curves of every kind.
TEST(MicroBatchSearch, TheChoiceIsCloseToTheBestOfAll) {
  for (const double half_at : {0.5, 2.0, 8.0, 32.0}) {
    for (const double fall : {0.0, 0.001, 0.01}) {
      const auto rate = [&](double size) {
        return 1e4 * size / (size + half_at) * std::exp(-fall * size);
      };
      for (const std::size_t first : {1U, 4U, 64U}) {
        const Outcome outcome = Found({.tokens_per_second = rate}, {first, 64, 500});
        double best = 0;
        for (double size = 1; size <= 64; size *= 2) best = std::max(best, rate(size));
        EXPECT_GE(rate(static_cast<double>(outcome.search.size())), 0.97 * best)
            << half_at << " " << fall << " from " << first;
      }
    }
  }
}

TEST(MicroBatch, IsToldToPeopleAndPrograms) {
  const Outcome outcome = Found({.tokens_per_second = Saturating,
                                 .watts = [](double) { return 500; },
                                 .largest_that_fits = 2},
                                {1, 8, 100});
  const std::string text = ChoiceText(outcome.search.state());
  EXPECT_EQ(text,
            "micro-batches of 2 sequences from now on: 5.33 tokens/J (1: 3.20, 4: out of memory)");
  const auto json = TriedJson(outcome.search.state());
  ASSERT_EQ(json.size(), 3U);
  EXPECT_EQ(json[0].at("size"), 1);
  EXPECT_NEAR(json[0].at("tokens_per_second").get<double>(), 1600, 1e-9);
  EXPECT_NEAR(json[0].at("tokens_per_joule").get<double>(), 3.2, 1e-12);
  EXPECT_TRUE(json[2].at("tokens_per_second").is_null());
  EXPECT_EQ(ChoiceText({1, false, {}}), "micro-batches of 1 sequence from now on");
}

}  // namespace
}  // namespace ebb::train
