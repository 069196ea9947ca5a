#include "kubernetes/reconciler/engine_outbox.h"

#include <gtest/gtest.h>

namespace ebb::kubernetes {
namespace {

const Time kNoon = *ParseTime("2026-05-01T12:00:00Z");

TEST(EngineOutbox, ReportsWaitForTheEventsThatTellOfTheirJobs) {
  EngineOutbox outbox([] { return kNoon; });
  core::Job job;
  job.id = 7;
  outbox.Submit(job);
  engine::JobReport report;
  report.job = 7;
  outbox.Report(report);
  EXPECT_TRUE(outbox.HasReportsOf(7));
  EXPECT_FALSE(outbox.HasReportsOf(8));
  EXPECT_TRUE(outbox.TakeReports().empty());
  ASSERT_EQ(outbox.TakeEvents(kNoon).size(), 1u);
  EXPECT_FALSE(outbox.has_events());
  EXPECT_EQ(outbox.TakeReports().size(), 1u);
  EXPECT_FALSE(outbox.has_reports());
}

TEST(EngineOutbox, NoEventIsLaterThanTheTimeAtWhichItIsTaken) {
  EngineOutbox outbox([] { return kNoon; });
  outbox.Cancel(1, "its object was deleted");
  const Time before = kNoon - std::chrono::seconds{1};
  EXPECT_EQ(outbox.TakeEvents(before).front().at, before);
}

}  // namespace
}  // namespace ebb::kubernetes
