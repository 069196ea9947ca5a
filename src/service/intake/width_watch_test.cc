#include "service/intake/width_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/jobs/widths.h"
#include "local/files/attempt_files.h"
#include "testing/builders.h"
#include "testing/scratch_directory.h"

namespace ebb::service {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr Duration kSecond{1000};

class WidthWatchTest : public ::testing::Test {
 protected:
  core::Submission Training(core::JobId id, const std::string& script = "train.py") const {
    core::Submission submission;
    submission.job = testing::AJob(id).Pausable();
    submission.job.devices = 1;
    submission.job.speedup = {{2, 1.9}, {4, 3.4}};
    submission.command = {"python", script, "--seed", "1"};
    return submission;
  }
  void Add(const core::Submission& submission) {
    JobCard card;
    card.submission = std::make_shared<const core::Submission>(submission);
    publisher_.AddJob(std::move(card));
    live_.push_back(submission.job.id);
  }
  // An attempt of two minutes, with a report in every second, and its start-up of ten.
  void Run(core::JobId job, int width, double per_second) {
    core::Attempt attempt;
    attempt.number = ++attempts_;
    attempt.wall = {clock_, clock_ + 120 * kSecond};
    local::AttemptPlan plan;
    plan.job = job;
    plan.attempt = attempt.number;
    plan.pool = 0;
    for (int slot = 0; slot < width; ++slot) plan.slots.push_back(slot);
    const auto folder = DirectoryOf(job);
    std::filesystem::create_directories(folder);
    ASSERT_TRUE(local::WritePlan(local::AttemptPaths{folder, attempt.number}, plan));
    std::ofstream progress(folder / core::kProgressFile, std::ios::app);
    for (int second = 0; second <= 120; ++second) {
      const auto samples = 1000.0 + per_second * std::max(0, second - 10);
      progress << R"({"time_ms":)" << Milliseconds(clock_ + second * kSecond)
               << R"(,"event":"step","step":)" << 100 * second << R"(,"samples_seen":)"
               << static_cast<std::int64_t>(samples) << "}\n";
    }
    progress.close();
    clock_ += 200 * kSecond;
    watch_.OnAttemptEnded(job, attempt);
  }
  std::filesystem::path DirectoryOf(core::JobId job) const {
    return folder_ / ("job-" + std::to_string(job));
  }
  // The facts that went to the engine, also known to the publisher from then on.
  std::vector<engine::SpeedupLearned> TakeFacts() {
    std::vector<engine::SpeedupLearned> learned;
    for (engine::Fact& fact : facts_.TakeAll()) {
      learned.push_back(std::get<engine::SpeedupLearned>(fact));
      auto changed = *publisher_.Find(learned.back().job)->submission;
      changed.job.learned_speedup = learned.back().speedup;
      EXPECT_TRUE(core::CheckWidths(changed.job));
      publisher_.SetSubmission(std::make_shared<const core::Submission>(std::move(changed)));
    }
    return learned;
  }
  std::vector<std::string> Events() {
    publisher_.Publish(clock_);
    std::vector<std::string> texts;
    for (const ServiceEvent& event : publisher_.Latest()->events) texts.push_back(event.text);
    return texts;
  }

  Time clock_{std::chrono::hours{1000}};
  int attempts_ = 0;
  std::vector<core::JobId> live_;
  const std::filesystem::path folder_ = ScratchDirectory("widths");
  store::ServiceStore store_ = *store::ServiceStore::Open(folder_ / "ebb.db");
  Publisher publisher_;
  EventLog events_{publisher_, [this] { return clock_; }};
  FactQueue facts_{[] {}};
  WidthHistory history_{store_};
  WidthWatch watch_{{.history = history_,
                     .publisher = publisher_,
                     .events = events_,
                     .facts = facts_,
                     .directory_of = [this](core::JobId job) { return DirectoryOf(job); },
                     .model_of = [](int) { return "GPU"; },
                     .live_jobs = [this] { return live_; },
                     .now = [this] { return clock_; }}};
};

TEST_F(WidthWatchTest, TwoWidthsOfAJobTellItsSpeedupAndAnEventSaysSo) {
  Add(Training(1));
  Run(1, 1, 100);
  EXPECT_THAT(TakeFacts(), IsEmpty()) << "one width tells nothing";
  Run(1, 4, 200);
  const auto learned = TakeFacts();
  ASSERT_THAT(learned, SizeIs(1));
  EXPECT_EQ(learned[0].job, 1);
  EXPECT_NEAR(learned[0].speedup[1].speed, 2, 0.2) << "cautious after one attempt";
  EXPECT_LT(learned[0].speedup[1].speed, 2);
  ASSERT_THAT(Events(), SizeIs(1));
  EXPECT_THAT(Events()[0], HasSubstr("on 4 devices (given 3.40; 1 attempt)"));
  for (int i = 0; i < 2; ++i) {
    Run(1, 1, 100);
    Run(1, 4, 200);
  }
  const auto later = TakeFacts();
  ASSERT_FALSE(later.empty());
  EXPECT_NEAR(later.back().speedup[1].speed, 2, 0.01) << "believed after three";
}

TEST_F(WidthWatchTest, TheNextJobOfTheProgramHasTheSpeedupFromTheStart) {
  Add(Training(1));
  for (int i = 0; i < 3; ++i) {
    Run(1, 1, 100);
    Run(1, 2, 150);
  }
  ASSERT_TRUE(store_.Commit());
  WidthHistory another_life(store_);
  const core::Submission next = Training(2);
  const auto learned = core::LearnedSpeedup(next.job, another_life.Measured(next, clock_));
  ASSERT_THAT(learned, SizeIs(2));
  EXPECT_NEAR(learned[0].speed, 1.5, 0.01);
  EXPECT_NEAR(learned[1].speed, 1.5 * 3.4 / 1.9, 0.01) << "in proportion to what is given";
  EXPECT_THAT(another_life.Measured(Training(2, "other.py"), clock_), IsEmpty());
  EXPECT_THAT(another_life.Measured(next, clock_ + std::chrono::days{40}), IsEmpty());
  core::Submission wide = next;
  wide.job.devices = 2;
  EXPECT_THAT(another_life.Measured(wide, clock_), IsEmpty()) << "relative to another width";
}

TEST_F(WidthWatchTest, JobsOfTheProgramThatWaitLearnToo) {
  Add(Training(1));
  Add(Training(2));
  Add(Training(3, "other.py"));
  Run(1, 1, 100);
  Run(1, 4, 200);
  const auto learned = TakeFacts();
  ASSERT_THAT(learned, SizeIs(2));
  EXPECT_EQ(learned[1].job, 2);
}

TEST_F(WidthWatchTest, AMeasuredValueNearTheGivenOneIsNotNews) {
  Add(Training(1));
  for (int i = 0; i < 3; ++i) {
    Run(1, 1, 100);
    Run(1, 2, 185);
  }
  EXPECT_FALSE(TakeFacts().empty());
  EXPECT_THAT(Events(), IsEmpty());
}

TEST_F(WidthWatchTest, AJobThatIsNotElasticIsNotFollowed) {
  core::Submission rigid = Training(1);
  rigid.job.speedup.clear();
  Add(rigid);
  Run(1, 1, 100);
  Run(1, 4, 200);
  EXPECT_THAT(TakeFacts(), IsEmpty());
  EXPECT_THAT(history_.Measured(rigid, clock_), IsEmpty());
}

TEST_F(WidthWatchTest, SamplesCountBeforeSteps) {
  Add(Training(1));
  Run(1, 2, 150);
  std::string unit;
  const auto points =
      ProgressWithin(DirectoryOf(1) / core::kProgressFile, {Time::min(), Time::max()}, unit);
  EXPECT_EQ(unit, "samples");
  EXPECT_NEAR(*core::SteadyRate(points), 150, 1e-6);
}

}  // namespace
}  // namespace ebb::service
