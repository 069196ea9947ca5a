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
