#include "service/views/site_choices.h"

#include <gtest/gtest.h>

#include "service/views/publisher.h"
#include "testing/builders.h"

namespace ebb::service {
namespace {

using std::chrono::hours;

const Time kNow = *ParseTime("2023-05-01");

core::SignalView FlatSignal(double value) {
  core::SignalView view;
  view.now = kNow;
  view.known = *core::IntensitySeries::Create({}, {{{kNow, kNow + hours{1}}, {value}}});
  return view;
}

class SiteChoicesOfTest : public ::testing::Test {
 protected:
  void Follow(int sites) {
    state_.now = kNow;
    state_.cluster = testing::ClusterOf(1);
    publisher_.FollowSignal({0, FlatSignal(300), {}});
    if (sites == 2) {
      state_.cluster.sites.push_back({"there", "NO", {1}});
      state_.cluster.pools.push_back({"gpu", 1, 1, 1, 1, {}});
      publisher_.FollowSignal({1, FlatSignal(20), {}});
    }
    core::Submission submission;
    submission.job = testing::AJob(1).Submitted(kNow).Runs(hours{2}).Draws(500).Within(hours{6});
    engine::LiveJob live;
    live.job = submission.job;
    live.remaining = live.job.duration;
    state_.live.emplace_back(live);
    state_.schedule.jobs.resize(1);
    JobCard card;
    card.submission = std::make_shared<const core::Submission>(submission);
    publisher_.AddJob(std::move(card));
    publisher_.SetCluster(state_.cluster);
    FollowJob();
  }
  void FollowJob() {
    engine::Explanation explanation;
    explanation.job = 1;
    publisher_.FollowJob(explanation, state_, [](core::JobId) { return Ids{}; });
    publisher_.Publish(kNow);
  }
  std::vector<plan::SiteChoice> Choices() {
    return SiteChoicesOf(*publisher_.Latest(), *publisher_.Latest()->jobs.Find(1));
  }

  using Ids = std::vector<core::JobId>;
  engine::State state_;
  Publisher publisher_;
};

TEST_F(SiteChoicesOfTest, AreOfTheJobAsTheEngineHasIt) {
  Follow(2);
  const auto choices = Choices();
  ASSERT_EQ(choices.size(), 2u);
  ASSERT_TRUE(choices[0].best && choices[1].best);
  EXPECT_NEAR(choices[0].best->expected.grams, 300, 1e-6);
  EXPECT_NEAR(choices[1].best->expected.grams, 20, 1e-6);
  state_.live.front().Change().remaining = hours{1};
  EXPECT_NEAR(Choices()[0].best->expected.grams, 300, 1e-6) << "what was published stays";
  FollowJob();
  EXPECT_NEAR(Choices()[0].best->expected.grams, 150, 1e-6);
}

TEST_F(SiteChoicesOfTest, OfAJobThatHasEndedAreNone) {
  Follow(2);
  state_.live.clear();
  FollowJob();
  EXPECT_TRUE(Choices().empty());
}

TEST_F(SiteChoicesOfTest, OfAServiceWithOneSiteAreNone) {
  Follow(1);
  EXPECT_TRUE(Choices().empty());
}

}  // namespace
}  // namespace ebb::service
