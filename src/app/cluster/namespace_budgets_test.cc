#include "app/cluster/namespace_budgets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kubernetes/fake_api_server_for_test.h"
#include "platform/http_streams.h"
#include "testing/builders.h"

namespace ebb::app {
namespace {

using engine::Stage;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Time At(const char* text) { return *ParseTime(text); }
const Time kNoon = At("2026-11-24T12:00:00Z");

prices::ZoneClock Clock(const char* name) { return *prices::ZoneClock::Find(name); }

TEST(BudgetMonth, IsThatOfItsTimeZoneThroughChangesOfTheClock) {
  EXPECT_EQ(MonthOf(Clock("UTC"), At("2026-11-30T23:30:00Z")).name, "2026-11");
  const BudgetMonth berlin = MonthOf(Clock("Europe/Berlin"), At("2026-11-30T23:30:00Z"));
  EXPECT_EQ(berlin.name, "2026-12");
  EXPECT_EQ(berlin.end, At("2026-12-31T23:00:00Z"));
  EXPECT_EQ(MonthOf(Clock("Europe/Berlin"), At("2026-03-01T00:00:00Z")).end,
            At("2026-03-31T22:00:00Z"));
  EXPECT_EQ(MonthOf(Clock("America/Los_Angeles"), At("2026-12-31T23:00:00Z")).end,
            At("2027-01-01T08:00:00Z"));
}

// Policies in a fake cluster, and a queue that the test fills. The grid is at 400 g/kWh.
class NamespaceBudgetsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_.Create("/api/v1/configmaps", {{"metadata", {{"name", "p"}, {"namespace", "ebb"}}},
                                          {"data", {{"research.yaml", ""}}}});
    BeginLife();
  }

  void Budget(std::optional<double> kwh, std::optional<double> grams = {}, bool pauses = false) {
    policy_.budget = {};
    if (kwh) policy_.budget.energy = Energy::Joules(*kwh * 3.6e6);
    if (grams) policy_.budget.emissions = Emissions{*grams};
    policy_.budget.time_zone = "Europe/Berlin";
    policy_.budget.pauses = pauses;
    BeginLife();
  }

  // Begins the life of another controller, which knows only what is on the ConfigMap.
  void BeginLife() {
    budgets_.reset();
    watch_.reset();
    watch_ = std::make_unique<kubernetes::PolicyWatch>(
        kubernetes::PolicyWatch::Ports{client_, recorder_, [] { return Duration{}; },
                                       [](const std::string&) {}, [] {}},
        kubernetes::PolicyOptions{"ebb", "p",
                                  [this](const auto&, const auto&) {
                                    return Result<kubernetes::NamespacePolicy>(policy_);
                                  }},
        kubernetes::ReflectorOptions{});
    while (!watch_->ready()) Poll();
    budgets_ = std::make_unique<NamespaceBudgets>(NamespaceBudgets::Ports{
        *watch_, [this] { return view_; },
        [this](service::Request request) {
          std::promise<Result<service::Answer>> answer;
          answer.set_value(service::Answer{});
          const auto& control = std::get<service::ControlJob>(request);
          asked_[control.job] = control;
          return answer.get_future();
        },
        [this](auto shown) { shown_ = std::move(shown); }, [](const std::string&) {}, Pue{1.5}});
  }
  void Poll() {
    watch_->Tick();
    client_.Tick();
    streams_.Poll(Duration{10});
  }

  // A job that draws 1 kW for two hours.
  service::JobCard Card(core::JobId id, Stage stage, const std::string& name_space = "research") {
    core::Submission submission;
    submission.job.id = id;
    submission.job.name = name_space + "/job-" + std::to_string(id);
    submission.job.devices = 4;
    submission.job.power = Power{250};
    submission.job.duration = hours{2};
    submission.key = "kubernetes/" + std::to_string(id);
    service::JobCard card;
    card.submission = std::make_shared<core::Submission>(submission);
    card.explanation.job = id;
    card.explanation.stage = stage;
    if (stage == Stage::kRunning) Ran(card, {kNoon, Time::max()});
    return card;
  }
  static void Ran(service::JobCard& card, Interval time) {
    card.stretches = {time};
    card.first_start = time.begin;
    if (time.end != Time::max()) card.ended = time.end;
  }
  static void HoldFor(service::JobCard& card, const std::string& why) {
    card.explanation.reason.rule = core::GateRule::kHeld;
    card.detail = why;
  }
  void Look(std::vector<service::JobCard> cards, Time now) {
    auto view = std::make_shared<service::View>();
    auto signal = std::make_shared<core::SignalView>();
    signal->now = now;
    signal->known = *core::IntensitySeries::Create(
        {}, {{{kNoon - hours{48}, kNoon + hours{24 * 60}}, Intensity{400}}});
    view->signals = {{signal, ""}};
    for (service::JobCard& card : cards) view->jobs.Put(std::move(card));
    view_ = view;
    asked_.clear();
    budgets_->Look(now);
  }
  const service::BudgetView& Shown() const { return shown_.at(0); }

  kubernetes::FakeApiServer server_;
  platform::HttpStreams streams_ = *platform::HttpStreams::Open();
  kubernetes::ApiClient client_{streams_, {.url = server_.url()}, [] { return Duration{}; }};
  kubernetes::EventRecorder recorder_{client_, [] { return kNoon; }, [] { return Duration{}; },
                                      [](const std::string&) {}};
  kubernetes::NamespacePolicy policy_;
  std::unique_ptr<kubernetes::PolicyWatch> watch_;
  std::shared_ptr<const service::View> view_;
  std::map<core::JobId, service::ControlJob> asked_;
  std::vector<service::BudgetView> shown_;
  std::unique_ptr<NamespaceBudgets> budgets_;
};

// The expected use is 1 kW for an hour, times the PUE, at 400 g/kWh.
TEST_F(NamespaceBudgetsTest, WhatNobodyMeasuresIsEstimatedAndMarked) {
  Budget(100);
  Look({Card(1, Stage::kRunning)}, kNoon);
  Look({Card(1, Stage::kRunning)}, kNoon + hours{1});
  EXPECT_NEAR(Shown().energy.kwh(), 1.5, 1e-9);
  EXPECT_NEAR(Shown().estimated.kwh(), 1.5, 1e-9);
  EXPECT_NEAR(Shown().emissions.grams, 600, 1e-6);
  EXPECT_EQ(Shown().month, "2026-11");
  EXPECT_THAT(Shown().why, IsEmpty());
  EXPECT_TRUE(asked_.empty());
}

TEST_F(NamespaceBudgetsTest, WhatIsMeasuredTakesThePlaceOfTheEstimate) {
  Budget(100);
  Look({Card(1, Stage::kRunning)}, kNoon);
  Look({Card(1, Stage::kRunning)}, kNoon + hours{1});
  service::JobCard card = Card(1, Stage::kRunning);
  card.energy = Energy::Joules(0.5 * 3.6e6);
  card.emissions = Emissions{111};
  Look({card}, kNoon + hours{1} + minutes{1});
  EXPECT_NEAR(Shown().energy.kwh(), 0.75, 1e-9);
  EXPECT_EQ(Shown().estimated, Energy());
  EXPECT_NEAR(Shown().emissions.grams, 111, 1e-6);
  card.energy = Energy::Joules(0.6 * 3.6e6);
  Look({card}, kNoon + hours{2});
  EXPECT_NEAR(Shown().energy.kwh(), 0.9, 1e-9);
}

TEST_F(NamespaceBudgetsTest, EmissionsOfAMeasuredJobWithoutAnIntensityHaveThePue) {
  Budget(100);
  service::JobCard card = Card(1, Stage::kRunning);
  card.energy = Energy::Joules(0.5 * 3.6e6);
  card.emissions.reset();
  Look({}, kNoon);
  Look({card}, kNoon);
  EXPECT_NEAR(Shown().emissions.grams, 0.75 * 400, 1e-6);
}

// Energy of nodes without an agent is in no job's account.
TEST_F(NamespaceBudgetsTest, IdleTimeOfNodesThatWereAddedCountsAsAnEstimate) {
  Budget(1);
  Look({}, kNoon);
  budgets_->AddIdle("others", Energy::Joules(3.6e6), Emissions{1'000}, kNoon);
  budgets_->AddIdle("research", Energy::Joules(0.2 * 3.6e6), Emissions{100}, kNoon);
  budgets_->AddIdle("research", Energy::Joules(0.2 * 3.6e6), std::nullopt, kNoon);
  Look({}, kNoon + minutes{1});
  EXPECT_NEAR(Shown().energy.kwh(), 0.6, 1e-9) << "of the facility";
  EXPECT_NEAR(Shown().estimated.kwh(), 0.6, 1e-9);
  EXPECT_NEAR(Shown().emissions.grams, 100 + 0.3 * 400, 1e-6);
  budgets_->AddIdle("research", Energy::Joules(3.6e6), Emissions{400}, kNoon);
  Look({Card(1, Stage::kWaiting)}, kNoon + minutes{2});
  EXPECT_TRUE(asked_.contains(1)) << "it is used up";
}

TEST_F(NamespaceBudgetsTest, AnotherControllerGoesOnAndCountsNothingTwice) {
  Budget(100);
  Look({Card(1, Stage::kRunning)}, kNoon);
  Look({Card(1, Stage::kRunning)}, kNoon + hours{1});
  service::JobCard measured = Card(2, Stage::kRunning);
  measured.energy = Energy::Joules(2 * 3.6e6);
  Look({Card(1, Stage::kRunning), measured}, kNoon + hours{1} + minutes{30});
  const Energy before = Shown().energy;
  for (int i = 0; i < 100; ++i) Poll();  // writes the annotation
  BeginLife();
  Look({Card(1, Stage::kRunning), measured}, kNoon + hours{1} + minutes{30});
  EXPECT_NEAR(Shown().energy.kwh(), before.kwh(), 1e-6);
  Look({Card(1, Stage::kRunning), measured}, kNoon + hours{2} + minutes{30});
  EXPECT_NEAR(Shown().energy.kwh(), before.kwh() + 1.5, 1e-6);
}

TEST_F(NamespaceBudgetsTest, OneThatIsUsedUpHoldsWhatIsNewUntilTheNextMonth) {
  Budget(1);
  const auto others = Card(3, Stage::kWaiting, "others");
  Look({Card(1, Stage::kRunning), Card(2, Stage::kWaiting), others}, kNoon);
  Look({Card(1, Stage::kRunning), Card(2, Stage::kWaiting), others}, kNoon + hours{1});
  ASSERT_TRUE(asked_.contains(2));
  EXPECT_FALSE(asked_.contains(1)) << "what runs is finished";
  EXPECT_FALSE(asked_.contains(3));
  EXPECT_EQ(asked_[2].control, engine::JobControl::kHold);
  const std::string why = asked_[2].why;
  EXPECT_EQ(why,
            "the budget of namespace research for 2026-11 is used up: 1.50 kWh of 1.00 kWh are "
            "used; it starts again on 2026-12-01 (Europe/Berlin)");
  EXPECT_EQ(budgets_->WhyHeld(others.submission->job), "");
  service::JobCard held = Card(2, Stage::kWaiting), by_person = Card(4, Stage::kWaiting);
  HoldFor(held, why);
  HoldFor(by_person, "");
  Look({held, by_person}, At("2026-11-30T22:59:00Z"));
  EXPECT_TRUE(asked_.empty());
  Look({held, by_person}, At("2026-11-30T23:00:00Z"));
  ASSERT_TRUE(asked_.contains(2)) << "midnight in Berlin";
  EXPECT_EQ(asked_[2].control, engine::JobControl::kNone);
  EXPECT_FALSE(asked_.contains(4)) << "a person holds it";
  EXPECT_EQ(Shown().energy, Energy());
}

// The running job needs 3 kWh more.
TEST_F(NamespaceBudgetsTest, WhatRunsKeepsWhatItNeeds) {
  Budget(2.9);
  Look({Card(1, Stage::kRunning), Card(2, Stage::kWaiting)}, kNoon);
  ASSERT_TRUE(asked_.contains(2));
  EXPECT_THAT(asked_[2].why, HasSubstr("are used, and what runs needs the rest"));
}

TEST_F(NamespaceBudgetsTest, GramsAreABudgetToo) {
  Budget({}, 500);
  Look({Card(1, Stage::kRunning), Card(2, Stage::kWaiting)}, kNoon);
  Look({Card(1, Stage::kRunning), Card(2, Stage::kWaiting)}, kNoon + hours{1});
  ASSERT_TRUE(asked_.contains(2));
  EXPECT_THAT(asked_[2].why, HasSubstr("600 g of 500 g"));
}

TEST_F(NamespaceBudgetsTest, WhatCanBePausedIsPausedIfThePolicySaysSo) {
  Budget(1, {}, true);
  service::JobCard can = Card(1, Stage::kRunning);
  core::Submission submission = *can.submission;
  submission.job.checkpointable = true;
  can.submission = std::make_shared<core::Submission>(submission);
  Look({can, Card(2, Stage::kRunning)}, kNoon);
  EXPECT_TRUE(asked_.empty()) << "nothing is used yet";
  Look({can, Card(2, Stage::kRunning)}, kNoon + hours{1});
  EXPECT_TRUE(asked_.contains(1));
  EXPECT_FALSE(asked_.contains(2)) << "it cannot be paused";
}

// Each job is expected to use 3 kWh.
TEST_F(NamespaceBudgetsTest, OfManyThatStartAtOnceNoMoreAreLetThroughThanTheBudgetHas) {
  Budget(5);
  Look({}, kNoon);
  const auto may = [&](core::JobId id, bool is_released = false) {
    const core::Job job = Card(id, Stage::kWaiting).submission->job;
    return static_cast<bool>(budgets_->MayStart(job, job.devices, is_released, kNoon));
  };
  EXPECT_TRUE(may(1));
  EXPECT_TRUE(may(2));
  EXPECT_FALSE(may(3));
  EXPECT_TRUE(may(4, true)) << "another controller let it through";
  Look({Card(1, Stage::kStarting), Card(3, Stage::kWaiting)}, kNoon);
  EXPECT_TRUE(may(3)) << "2 did not start after all";
}

}  // namespace
}  // namespace ebb::app
