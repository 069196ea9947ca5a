#include "service/views/publisher.h"

#include <gtest/gtest.h>

#include "testing/builders.h"

namespace ebb::service {
namespace {

using std::chrono::hours;

const Time kNow = *ParseTime("2023-05-01");

class PublisherTest : public ::testing::Test {
 protected:
  void Run(core::Job job, int devices) {
    state_.now = kNow;
    state_.cluster = testing::ClusterOf(4);
    core::Submission submission;
    submission.job = std::move(job);
    engine::LiveJob live;
    live.job = submission.job;
    live.remaining = live.job.duration;
    live.stage = engine::Stage::kRunning;
    live.attempt = 1;
    live.pool = 0;
    live.devices = devices;
    live.segment_begin = kNow;
    state_.live.emplace_back(live);
    state_.schedule.jobs.resize(1);
    JobCard card;
    card.submission = std::make_shared<const core::Submission>(submission);
    publisher_.AddJob(std::move(card));
    FollowJob();
  }
  void FollowJob() {
    engine::Explanation explanation;
    explanation.job = 1;
    publisher_.FollowJob(explanation, state_,
                         [](core::JobId) { return std::vector<core::JobId>{}; });
  }
  const std::vector<int>& Widths() const { return publisher_.Find(1)->widths; }

  engine::State state_;
  Publisher publisher_;
};

TEST_F(PublisherTest, AJobThatWasRefusedItsOnlyOtherWidthHasItsOwn) {
  core::Job job = testing::AJob(1).Submitted(kNow).Runs(hours{2});
  job.speedup = {{2, 1.9}};
  Run(job, 2);
  EXPECT_EQ(Widths(), std::vector<int>{2});
  engine::LiveJob& live = state_.live.front().Change();
  live.job.speedup.clear();
  live.devices = 1;
  FollowJob();
  EXPECT_EQ(Widths(), std::vector<int>{1});
}

TEST_F(PublisherTest, AJobThatWasNeverElasticHasNoWidths) {
  Run(testing::AJob(1).Submitted(kNow).Runs(hours{2}), 0);
  EXPECT_TRUE(Widths().empty());
}

}  // namespace
}  // namespace ebb::service
