// Tests that written values read back as the same values: random values of every field of every
// type in fields.h. The test compares values, because equal texts would not show a field that is
// never written.

#include <gtest/gtest.h>

#include "base/random.h"
#include "engine/fields.h"
#include "engine/journal_json.h"

namespace ebb::engine {
namespace {

constexpr int kRounds = 300;

class RandomFields {
 public:
  explicit RandomFields(std::uint64_t seed) : random_(seed) {}

  template <typename T>
  void operator()(std::string_view, T& value, std::string_view = {}) {
    Fill(value);
  }
  template <typename T>
  void InStores(std::string_view, T& value) {
    Fill(value);
  }
  template <typename T>
  void Note(std::string_view, const T&) {}
  static constexpr bool complete() { return false; }

  template <typename T>
  T Make() {
    T value{};
    Fill(value);
    return value;
  }

  template <typename T>
  void Fill(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = random_.Below(2) == 1;
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(random_.Below(100));
    } else if constexpr (std::is_same_v<T, double>) {
      value = random_.Uniform() * std::pow(10.0, random_.Uniform(-6, 6));
    } else if constexpr (std::is_same_v<T, std::string>) {
      value = kTexts[random_.Below(kTexts.size())];
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(random_.Below(std::is_same_v<T, core::SignalKind> ? 2 : 3));
    } else if constexpr (std::is_same_v<T, Time>) {
      value = Time{Make<Duration>()};
    } else if constexpr (std::is_same_v<T, Duration>) {
      value = Duration{static_cast<std::int64_t>(random_.Below(2'000'000'000'000))};
    } else if constexpr (std::is_same_v<T, Energy>) {
      value = Energy::Microjoules(static_cast<std::int64_t>(random_.Next() >> 2));
    } else if constexpr (Quantity<T>) {
      Fill(RawNumber(value));
    } else if constexpr (kIsOptional<T>) {
      if (random_.Below(2) == 1) Fill(value.emplace());
    } else if constexpr (kIsPair<T>) {
      Fill(value.first);
      Fill(value.second);
    } else if constexpr (kIsVector<T>) {
      value.resize(random_.Below(4));
      for (auto& entry : value) Fill(entry);
    } else if constexpr (std::is_same_v<T, core::IntensitySeries>) {
      value = MakeSeries();
    } else {
      Visit(*this, value);
    }
  }

 private:
  // Samples of varying length in order, some with a gap between them.
  core::IntensitySeries MakeSeries() {
    std::vector<core::Sample> samples;
    Time at{Make<Duration>()};
    while (random_.Below(6) != 0) {
      if (random_.Below(4) == 0) at += std::chrono::minutes{30};
      const Time end = at + std::chrono::minutes{random_.Below(3) == 0 ? 5 : 60};
      samples.push_back({{at, end},
                         Make<Intensity>(),
                         Make<core::SampleStatus>(),
                         static_cast<std::uint8_t>(random_.Below(2))});
      at = end;
    }
    // An unknown band has no identity either.
    if (samples.empty()) return {};
    return *core::IntensitySeries::Create(Make<core::SignalIdentity>(), std::move(samples));
  }

  static constexpr std::array<std::string_view, 4> kTexts{"", "plain", "\"\\\n\t", "gr\xc3\xbcn"};
  Random random_;
};

template <typename T>
void ExpectSameFields() {
  RandomFields random(7);
  for (int i = 0; i < kRounds; ++i) {
    const T value = random.Make<T>();
    const std::string text = ToFieldText(value);
    const auto read = FromFieldText<T>(text, "test");
    ASSERT_TRUE(read) << read.error().Message() << "\n" << text;
    ASSERT_TRUE(*read == value) << text;
  }
}

void ExpectSameRecord(const JournalRecord& record) {
  const std::string line = ToJsonLine(record);
  const auto read = FromJsonLine(line);
  ASSERT_TRUE(read) << read.error().Message() << "\n" << line;
  ASSERT_TRUE(*read == record) << line;
}

TEST(RoundTrip, WhatTheStoreKeepsReadsBackTheSame) {
  ExpectSameFields<core::Submission>();
  ExpectSameFields<core::RecurringJob>();
  ExpectSameFields<core::Cluster>();
  ExpectSameFields<core::SignalView>();
  ExpectSameFields<Explanation>();
}

JobReport RandomReport(RandomFields& random) {
  return {random.Make<core::JobId>(), random.Make<int>(),  random.Make<JobPhase>(),
          random.Make<int>(),         random.Make<Time>(), random.Make<int>(),
          random.Make<std::string>()};
}

Fact RandomFact(RandomFields& random, std::size_t kind) {
  switch (kind) {
    case 0:
      return ClusterChanged{random.Make<core::Cluster>()};
    case 1:
      return JobSubmitted{random.Make<core::Job>()};
    case 2:
      return JobCancelled{random.Make<core::JobId>(), random.Make<std::string>()};
    case 3:
      return JobControlled{random.Make<core::JobId>(), random.Make<JobControl>()};
    case 4:
      return SignalObserved{random.Make<int>(), random.Make<core::SignalView>(),
                            random.Make<Time>()};
    case 5:
      return SignalLost{random.Make<int>(), random.Make<std::string>(), random.Make<Time>()};
    case 6:
      return RandomReport(random);
    case 7:
      return ExecutorObserved{{RandomReport(random), RandomReport(random)}, random.Make<bool>()};
    case 8:
      return Tick{};
    case 9:
      return EndedForgotten{random.Make<Time>()};
    case 10:
      return ClockSet{random.Make<Time>(), random.Make<Time>()};
    case 11:
      return JobChanged{random.Make<core::JobId>(), random.Make<core::JobChange>()};
    case 12:
      return DrainSet{random.Make<std::optional<Drain>>()};
    default:
      return SpeedupLearned{random.Make<core::JobId>(),
                            random.Make<std::vector<core::WidthSpeed>>()};
  }
}

TEST(RoundTrip, EveryRecordOfTheJournalReadsBackTheSame) {
  RandomFields random(11);
  constexpr std::size_t kFacts = std::variant_size_v<Fact>;
  for (std::size_t i = 0; i < kRounds * kFacts; ++i) {
    const Fact fact = RandomFact(random, i % kFacts);
    ASSERT_EQ(fact.index(), i % kFacts);
    ExpectSameRecord(Event{random.Make<Time>(), fact});
  }
  for (int i = 0; i < kRounds; ++i) {
    const auto id = [&] { return random.Make<core::JobId>(); };
    ExpectSameRecord(Decision{random.Make<Time>(),
                              {StartJob{id(), 2, 3}, PauseJob{id(), 4}, CancelJob{id(), 5}},
                              {random.Make<Explanation>(), random.Make<Explanation>()},
                              random.Make<Time>(),
                              random.Make<Planning>()});
  }
}

}  // namespace
}  // namespace ebb::engine
