#include "service/planning/plan_thread.h"

#include <gtest/gtest.h>

#include <future>

#include "engine/journal_json.h"
#include "engine/random_life_for_test.h"
#include "plan/make_policy.h"
#include "testing/builders.h"

namespace ebb::service {
namespace {

using engine::Planning;
using testing::AJob;

const Time kNow = *ParseTime("2023-05-01");

// An engine, a plan thread that the test lets go on, and a clock that stands still.
class PlanThreadTest : public ::testing::Test {
 protected:
  // Plans like the planner, once the test lets it go on.
  class Held final : public plan::Policy {
   public:
    Held(std::shared_future<void> go, std::unique_ptr<plan::Policy> policy)
        : go_(std::move(go)), policy_(std::move(policy)) {}
    std::string_view name() const override { return policy_->name(); }
    void Update(const plan::Problem& problem, const plan::Change& change,
                plan::Schedule& schedule) const override {
      go_.wait();
      policy_->Update(problem, change, schedule);
    }
    bool places_beside() const override { return policy_->places_beside(); }

   private:
    std::shared_future<void> go_;
    std::unique_ptr<plan::Policy> policy_;
  };

  void Make(const std::string& policy, int jobs) {
    engine_ = engine::MakeEngineForTest(policy);
    Apply(engine::ClusterChanged{testing::ClusterOf(2)});
    Apply(engine::SignalObserved{0, engine::RandomView(kNow, random_), kNow + Duration{3600'000}});
    for (int i = 1; i <= jobs; ++i)
      Apply(engine::JobSubmitted{AJob(i).Submitted(kNow).Within(std::chrono::hours{40})});
    desk_ = std::make_unique<PlanThread>(
        PlanThread::Ports{std::make_unique<Held>(let_on_, *plan::MakePolicy(policy, {})),
                          [this] { answered_.set_value(); }, [](auto) { return kNow; }, counters_,
                          std::chrono::nanoseconds{0}});
  }
  void Apply(engine::Fact fact) {
    engine::Event event{kNow, std::move(fact)};
    ASSERT_TRUE(engine_->Apply(event));
    history_.push_back(event);
  }
  Planning Decide() {
    const Planning planning = desk_->Choose(*engine_);
    history_.push_back(engine_->Decide(kNow, planning));
    desk_->OnDecided(*engine_);
    return planning;
  }
  void AwaitAnswer() {
    go_.set_value();
    answered_.get_future().wait();
    EXPECT_EQ(desk_->NextAt(), Time::min());
  }
  // The plan is the one that the engine would have made by itself.
  void ExpectReplayed(const std::string& policy) {
    const auto again = engine::MakeEngineForTest(policy);
    const Status replayed = engine::Replay(history_, *again);
    ASSERT_TRUE(replayed) << replayed.error().Message();
    ASSERT_EQ(again->state().schedule.jobs.size(), engine_->state().schedule.jobs.size());
    for (std::size_t i = 0; i < again->state().schedule.jobs.size(); ++i)
      EXPECT_EQ(again->state().schedule.jobs[i].segments,
                engine_->state().schedule.jobs[i].segments);
  }

  Random random_{5};
  Counters counters_;
  std::promise<void> go_, answered_;
  std::shared_future<void> let_on_ = go_.get_future().share();
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<PlanThread> desk_;
  std::vector<engine::JournalRecord> history_;
};

TEST_F(PlanThreadTest, AsksOnceTakesTheAnswerUpAndPlacesWhatCameMeanwhile) {
  Make("planner", 40);
  EXPECT_EQ(Decide(), Planning::kAsk);
  ASSERT_TRUE(engine_->question());
  EXPECT_EQ(desk_->NextAt(), Time::max());
  Apply(engine::JobSubmitted{AJob(41).Submitted(kNow).Within(std::chrono::hours{30})});
  EXPECT_EQ(Decide(), Planning::kBeside) << "it is being worked on";
  AwaitAnswer();
  EXPECT_EQ(Decide(), Planning::kTake);
  EXPECT_FALSE(engine_->question());
  for (const plan::JobPlan& plan : engine_->state().schedule.jobs)
    EXPECT_FALSE(plan.segments.empty());
  ExpectReplayed("planner");
}

TEST_F(PlanThreadTest, APlanForAClusterThatIsGoneIsNotTakenUpAndAskedForAgain) {
  Make("planner", 40);
  EXPECT_EQ(Decide(), Planning::kAsk);
  Apply(engine::ClusterChanged{testing::ClusterOf(1)});
  AwaitAnswer();
  EXPECT_EQ(Decide(), Planning::kTake);
  EXPECT_TRUE(engine_->has_unplanned());
  EXPECT_NE(desk_->NextAt(), Time::max());
  ExpectReplayed("planner");
}

TEST_F(PlanThreadTest, ShortQueuesAndOtherPoliciesArePlannedAtOnce) {
  Make("planner", 3);
  EXPECT_EQ(Decide(), Planning::kWhole);
  Make("lowest-window", 60);
  EXPECT_EQ(Decide(), Planning::kWhole);
  EXPECT_EQ(desk_->NextAt(), Time::max());
  go_.set_value();
}

}  // namespace
}  // namespace ebb::service
