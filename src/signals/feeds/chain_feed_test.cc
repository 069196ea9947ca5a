#include "signals/feeds/chain_feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <mutex>

#include "signals/feeds/live_feed.h"
#include "signals/make_feed.h"
#include "signals/providers/uk_carbon_intensity.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

Time Now() { return std::chrono::floor<Duration>(std::chrono::system_clock::now()); }

// A provider that answers with one value, or fails; counts how often it was asked.
struct Source {
  std::mutex mutex;
  std::optional<double> value;  ///< nullopt: fails
  int asked = 0;

  void Say(std::optional<double> now_said) {
    const std::lock_guard lock(mutex);
    value = now_said;
  }
  int Asked() {
    const std::lock_guard lock(mutex);
    return asked;
  }
};

class FakeProvider final : public Provider {
 public:
  FakeProvider(Source& source, std::string name) : source_(source), name_(std::move(name)) {
    identity_ = {"GB", core::SignalKind::kAverage, core::Boundary::kDirect, name_};
  }
  const std::string& name() const override { return name_; }
  const core::SignalIdentity& identity() const override { return identity_; }
  Result<Reading> Read(const Question& question) override {
    const std::lock_guard lock(source_.mutex);
    ++source_.asked;
    if (!source_.value) return Fail({ExitCode::kUnavailable, "status 500", name_, ""});
    Reading reading;
    const Time begin = std::chrono::floor<hours>(question.now) - hours{2};
    for (int hour = 0; hour < 3; ++hour)
      reading.known.push_back({{begin + hours{hour}, begin + hours{hour + 1}}, {*source_.value}});
    return reading;
  }

 private:
  Source& source_;
  std::string name_;
  core::SignalIdentity identity_;
};

ChainLink Link(Source& source, const std::string& name,
               core::SignalKind kind = core::SignalKind::kAverage,
               core::Boundary boundary = core::Boundary::kDirect) {
  return {name, {"GB", kind, boundary, name}, [&source, name](Duration first_answer) {
            LiveFeedOptions options;
            options.first_answer = std::max<Duration>(first_answer, Duration{1});
            options.live.refresh = Duration{5};
            auto live = LiveFeed::Start(
                [&source, name](const HttpGetFunction&) {
                  return std::make_unique<FakeProvider>(source, name);
                },
                platform::HttpGet, options);
            OpenLink open;
            open.live = live.get();
            open.feed = std::move(live);
            return Result<OpenLink>(std::move(open));
          }};
}

// Waits until the chain's value is as expected, two seconds at most: other threads bring it.
double ValueWhen(ChainFeed& chain, const std::function<bool(const core::Sample&)>& is) {
  for (int look = 0; look < 200; ++look) {
    const auto view = chain.Observe(Now(), hours{1});
    if (view && view->Current() && is(*view->Current()))
      return view->Current()->intensity.g_per_kwh;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return -1;
}

TEST(Chain, TheFirstThatStandsAnswersAndTheNextIsNotEvenAsked) {
  Source first, second;
  first.Say(100);
  second.Say(200);
  const auto chain =
      ChainFeed::Start({Link(first, "first"), Link(second, "second")}, std::chrono::seconds{5});
  const auto view = chain->Observe(Now(), hours{1});
  ASSERT_TRUE(view) << view.error().Message();
  EXPECT_EQ(view->Current()->intensity.g_per_kwh, 100);
  EXPECT_EQ(core::LinkOf(view->known.identity(), *view->Current()), "first");
  EXPECT_EQ(second.Asked(), 0);
  EXPECT_EQ(chain->identity().source, "first, else second");
}

TEST(Chain, TheNextAnswersWhenTheFirstFailsAndTheFirstAgainWhenItIsBack) {
  Source first, second;
  second.Say(200);
  const auto chain =
      ChainFeed::Start({Link(first, "first"), Link(second, "second")}, std::chrono::seconds{5});
  const auto view = chain->Observe(Now(), hours{1});
  ASSERT_TRUE(view) << view.error().Message();
  EXPECT_EQ(core::LinkOf(view->known.identity(), *view->Current()), "second");
  EXPECT_THAT(chain->State(Now())->text, HasSubstr("first: missing (first: status 500"));
  first.Say(100);
  EXPECT_EQ(ValueWhen(*chain, [](const core::Sample& sample) { return sample.link == 0; }), 100);
  const Time hour = std::chrono::floor<hours>(Now());
  const auto settled = chain->Believed({hour - hours{1}, hour});
  ASSERT_TRUE(settled);
  ASSERT_EQ(settled->samples().size(), 1u) << "each moment once";
  EXPECT_EQ(settled->samples()[0].link, 0) << "what the first published meanwhile counts";
}

TEST(Chain, WithoutAnyTheErrorSaysWhatBecameOfEach) {
  Source first, second;
  const auto chain =
      ChainFeed::Start({Link(first, "first"), Link(second, "second")}, std::chrono::seconds{5});
  const auto view = chain->Observe(Now(), hours{1});
  ASSERT_FALSE(view);
  EXPECT_THAT(view.error().Message(), HasSubstr("first: first: status 500"));
  EXPECT_THAT(view.error().Message(), HasSubstr("second: second: status 500"));
}

TEST(Chain, AverageAndMarginalAreNotMixedNorAreBoundaries) {
  Source source;
  const auto mixed =
      CheckChain({Link(source, "a"), Link(source, "b", core::SignalKind::kMarginal)});
  ASSERT_FALSE(mixed);
  EXPECT_THAT(mixed.error().Message(), HasSubstr("average and marginal"));
  const auto bounds = CheckChain({Link(source, "a", {}, core::Boundary::kUnknown),
                                  Link(source, "b", {}, core::Boundary::kLifecycle),
                                  Link(source, "c", {}, core::Boundary::kDirect)});
  ASSERT_FALSE(bounds);
  EXPECT_THAT(bounds.error().Message(), HasSubstr("b and c"));
  EXPECT_TRUE(CheckChain({Link(source, "a"), Link(source, "b", {}, core::Boundary::kUnknown)}));
}

SignalOptions Options(std::vector<SignalSource> sources) {
  SignalOptions options;
  options.zone = "GB";
  options.cache_directory = "";
  options.source = sources.front();
  options.fallbacks.assign(sources.begin() + 1, sources.end());
  return options;
}

std::string WhyNot(const SignalOptions& options) {
  const auto feed = MakeFeed(options, [](const platform::HttpRequest&) {
    return Result<platform::HttpResponse>(platform::HttpResponse{503, ""});
  });
  return feed ? "made" : feed.error().Message();
}

TEST(Chain, WhatCannotBeAChainIsRefusedBeforeAnythingIsAsked) {
  using S = SignalSource;
  EXPECT_THAT(WhyNot(Options({S::kUkCarbonIntensity, S::kProfile})), HasSubstr("life cycle"));
  EXPECT_THAT(WhyNot(Options({S::kProfile, S::kUkCarbonIntensity})),
              HasSubstr("nothing is asked after profile"));
  EXPECT_THAT(WhyNot(Options({S::kUkCarbonIntensity, S::kReplay})), HasSubstr("replay"));
  SignalOptions sdk = Options({S::kCarbonAwareSdk, S::kProfile});
  sdk.url = "https://sdk.example";
  EXPECT_THAT(WhyNot(sdk), HasSubstr("--signal-kind"));
  sdk.kind = core::SignalKind::kMarginal;
  EXPECT_THAT(WhyNot(sdk), HasSubstr("average"));
}

TEST(Chain, ATypicalDayIsTheLastResortAndSaysThatItIsModelled) {
  SignalOptions options = Options({SignalSource::kCarbonAwareSdk, SignalSource::kProfile});
  options.kind = core::SignalKind::kAverage;
  options.url = "https://sdk.example";
  const auto feed = MakeFeed(options, [](const platform::HttpRequest&) {
    return Result<platform::HttpResponse>(platform::HttpResponse{403, "{}"});
  });
  ASSERT_TRUE(feed) << feed.error().Message();
  const auto view = (*feed)->Observe(Now(), hours{24});
  ASSERT_TRUE(view) << view.error().Message();
  EXPECT_EQ(view->Current()->status, core::SampleStatus::kModelled);
  EXPECT_EQ(core::LinkOf(view->known.identity(), *view->Current()), "profile");
  EXPECT_FALSE(view->forecast.series.empty());
  EXPECT_THAT((*feed)->State(Now())->text, HasSubstr("carbon-aware-sdk: missing"));
}

TEST(Sources, AreReadFromText) {
  const auto chain = SignalSourcesFromText("electricity-maps, profile");
  ASSERT_TRUE(chain);
  EXPECT_EQ(*chain,
            (std::vector<SignalSource>{SignalSource::kElectricityMaps, SignalSource::kProfile}));
  EXPECT_THAT(SignalSourcesFromText("electricity-map,profile").error().Message(),
              HasSubstr("did you mean \"electricity-maps\"?"));
  EXPECT_THAT(SignalSourcesFromText("profile,profile").error().Message(), HasSubstr("twice"));
  EXPECT_FALSE(SignalSourcesFromText("profile,"));
}

}  // namespace
}  // namespace ebb::signals
