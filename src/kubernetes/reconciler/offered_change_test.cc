#include "kubernetes/reconciler/offered_change.h"

#include <gtest/gtest.h>

namespace ebb::kubernetes {
namespace {

core::Job AJob() {
  core::Job job;
  job.name = "default/train";
  job.duration = std::chrono::hours{1};
  job.threshold = Intensity{200};
  job.start_by = Time{std::chrono::hours{12}};
  return job;
}

TEST(OfferedChange, SaysOnlyWhatIsOtherwise) {
  core::Job wanted = AJob();
  EXPECT_EQ(ChangeTo(AJob(), wanted, false), core::JobChange{});
  wanted.threshold.reset();
  wanted.priority = 5;
  wanted.finish_by = Time{std::chrono::hours{20}};
  const auto change = ChangeTo(AJob(), wanted, false);
  ASSERT_TRUE(change);
  EXPECT_TRUE(change->drop_threshold);
  EXPECT_FALSE(change->start_by || change->drop_start_by || change->duration || change->tier);
  EXPECT_EQ(core::Changed(AJob(), *change), wanted);
}

TEST(OfferedChange, OfWhatHasRunTheStartIsOver) {
  core::Job wanted = AJob();
  wanted.start_by.reset();
  wanted.duration *= 2;
  EXPECT_EQ(ChangeTo(AJob(), wanted, true), core::JobChange{});
  EXPECT_EQ(core::Changed(AJob(), *ChangeTo(AJob(), wanted, false)), wanted);
}

// Otherwise another controller would offer an elastic object as another job.
TEST(OfferedChange, MeasuredSpeedsAreNoChangeOfTheObject) {
  core::Job told = AJob();
  told.checkpointable = true;
  told.speedup = {{2, 1.9}};
  core::Job wanted = told;
  told.learned_speedup = {{2, 1.5}};
  EXPECT_EQ(ChangeTo(told, wanted, true), core::JobChange{});
  wanted.speedup = {{4, 3}};
  EXPECT_FALSE(ChangeTo(told, wanted, true));
}

TEST(OfferedChange, WhatNoChangeExpressesNeedsAnotherJob) {
  core::Job wanted = AJob();
  wanted.checkpointable = true;
  EXPECT_FALSE(ChangeTo(AJob(), wanted, false));
  wanted = AJob();
  wanted.devices = 2;
  EXPECT_FALSE(ChangeTo(AJob(), wanted, false));
  wanted = AJob();
  wanted.models = {"A100"};
  EXPECT_FALSE(ChangeTo(AJob(), wanted, true));
}

}  // namespace
}  // namespace ebb::kubernetes
