#include "service/intake/power_choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/builders.h"
#include "testing/scratch_directory.h"

namespace ebb::service {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr core::PowerCap kAuto{.automatic = true};
constexpr Duration kHour = std::chrono::hours{1};

class PowerChoicesTest : public ::testing::Test {
 protected:
  core::Submission Training(core::JobId id = 1) const {
    core::Submission submission;
    submission.job = testing::AJob(id);
    submission.job.duration = kHour;
    submission.job.finish_by.reset();
    submission.command = {"python", "train.py", "--seed", std::to_string(id)};
    submission.power_cap = kAuto;
    return submission;
  }
  PowerChoices Choices(std::optional<core::PowerCap> otherwise = std::nullopt) {
    return {store_, otherwise, {}};
  }
  static core::PowerChoice Found() {
    core::PowerChoice choice;
    choice.limit = Power{300};
    choice.cap = Power{200};
    choice.slower = 0.04;
    choice.saved = 0.2;
    return choice;
  }

  store::ServiceStore store_ = *store::ServiceStore::Open(ScratchDirectory("caps") / "ebb.db");
  const core::DevicePool pool_{"NVIDIA L4", 0, 1, 2, 1.5, Power{0}};
  const core::Cluster cluster_{{{"here", "DE", Pue{1}}}, {pool_}};
  const Time now_{std::chrono::hours{1000}};
};

TEST_F(PowerChoicesTest, TheFirstJobSearchesAndLaterOnesStartUnderWhatItFound) {
  PowerChoices choices = Choices();
  EXPECT_THAT(choices.Expected(Training(), cluster_, now_), IsEmpty());
  EXPECT_EQ(choices.ForStart(Training(), pool_, kHour, now_).cap, kAuto);
  choices.Take(Training(1), "NVIDIA L4", Found(), now_);
  const local::JobPower second = choices.ForStart(Training(2), pool_, kHour, now_);
  EXPECT_EQ(second.cap, core::PowerCap{.watts = 200});
  EXPECT_EQ(second.known->found_by, 1);
  const auto expected = choices.Expected(Training(2), cluster_, now_);
  ASSERT_THAT(expected, SizeIs(1));
  EXPECT_DOUBLE_EQ(expected[0].speed, 2 / 1.04);
  EXPECT_DOUBLE_EQ(expected[0].power_factor, 1.5 * 0.8 / 1.04);
  core::Job under = Training(2).job, open = under;
  under.overrides = expected;
  const auto energy = [&](const core::Job& job) {
    return core::EnergyOn(job, pool_, core::TimeOn(job, pool_, kHour)).joules();
  };
  EXPECT_NEAR(energy(under) / energy(open), 0.8, 1e-6) << "as the fit says";
}

TEST_F(PowerChoicesTest, OtherProgramsModelsAndWidthsSearchForThemselves) {
  PowerChoices choices = Choices();
  choices.Take(Training(1), "NVIDIA L4", Found(), now_);
  core::Submission other = Training(2);
  other.command[1] = "evaluate.py";
  EXPECT_EQ(choices.ForStart(other, pool_, kHour, now_).cap, kAuto);
  other = Training(2);
  other.job.devices = 2;
  EXPECT_EQ(choices.ForStart(other, pool_, kHour, now_).cap, kAuto);
  other = Training(2);
  other.slower_by = core::Slowdown{20};
  EXPECT_EQ(choices.ForStart(other, pool_, kHour, now_).cap, kAuto);
  core::DevicePool a10 = pool_;
  a10.model = "NVIDIA A10";
  EXPECT_EQ(choices.ForStart(Training(2), a10, kHour, now_).cap, kAuto);
  core::Submission shell = Training(1);
  shell.command = {"bash", "-c", "train"};
  choices.Take(shell, "NVIDIA L4", Found(), now_);
  shell.command.back() = "something else";
  EXPECT_EQ(choices.ForStart(shell, pool_, kHour, now_).cap, kAuto);
}

TEST_F(PowerChoicesTest, ANearDeadlineMeansFullSpeed) {
  PowerChoices choices = Choices();
  core::Submission job = Training(2);
  const Duration full_speed = kHour / 2;  // on this pool
  job.job.finish_by = now_ + full_speed + std::chrono::minutes{1};
  EXPECT_FALSE(choices.ForStart(job, pool_, kHour, now_).cap) << "a search takes time, too";
  choices.Take(Training(1), "NVIDIA L4", Found(), now_);
  job.job.overrides = choices.Expected(job, cluster_, now_);
  EXPECT_FALSE(choices.ForStart(job, pool_, kHour, now_).cap);
  EXPECT_TRUE(choices.ForStart(job, pool_, kHour / 2, now_).cap) << "half of it is done";
  job.job.finish_by = now_ + kHour;
  EXPECT_TRUE(choices.ForStart(job, pool_, kHour, now_).cap) << "the deadline is far away";
  job.job.overrides.clear();
  EXPECT_FALSE(choices.ForStart(job, pool_, kHour, now_).cap) << "plans count on the full speed";
}

TEST_F(PowerChoicesTest, TheCapOfAJobGoesBeforeThatOfTheService) {
  PowerChoices choices = Choices(kAuto);
  core::Submission job = Training();
  job.power_cap = core::PowerCap{.percent = 70};
  EXPECT_EQ(choices.ForStart(job, pool_, kHour, now_).cap, core::PowerCap{.percent = 70});
  job.power_cap.reset();
  EXPECT_EQ(choices.ForStart(job, pool_, kHour, now_).cap, kAuto);
  EXPECT_FALSE(Choices().ForStart(job, pool_, kHour, now_).cap);
}

TEST_F(PowerChoicesTest, AreKeptForAMonthOverRestartsIfTheyCanBeTrue) {
  PowerChoices first = Choices();
  core::PowerChoice forged = Found();
  forged.cap = Power{400};
  first.Take(Training(1), "NVIDIA L4", forged, now_);
  EXPECT_EQ(first.ForStart(Training(2), pool_, kHour, now_).cap, kAuto);
  first.Take(Training(1), "NVIDIA L4", Found(), now_);
  ASSERT_TRUE(store_.Commit());
  const PowerChoices later = Choices();
  EXPECT_EQ(later.ForStart(Training(2), pool_, kHour, now_).cap, core::PowerCap{.watts = 200});
  const Time next_month = now_ + std::chrono::days{31};
  EXPECT_EQ(later.ForStart(Training(2), pool_, kHour, next_month).cap, kAuto);
}

}  // namespace
}  // namespace ebb::service
