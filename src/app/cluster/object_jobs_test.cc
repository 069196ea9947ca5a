#include "app/cluster/object_jobs.h"

#include <gtest/gtest.h>

namespace ebb::app {
namespace {

TEST(ObjectJobs, AJobIsFoundByItsObjectAndByTheExecutorsNumber) {
  ObjectJobs jobs;
  jobs.Add(40, "uid");
  EXPECT_EQ(jobs.NumberOf(40), std::nullopt);
  jobs.Bind(40, 1);
  EXPECT_EQ(jobs.NumberOf(40), 1);
  EXPECT_EQ(jobs.JobOf(1), 40);
  EXPECT_EQ(jobs.LiveJobOf("uid"), 40);
  jobs.Drop(40);
  EXPECT_EQ(jobs.UidOf(40), nullptr);
  EXPECT_EQ(jobs.JobOf(1), std::nullopt);
  EXPECT_EQ(jobs.LiveJobOf("uid"), std::nullopt);
}

TEST(ObjectJobs, AnObjectThatIsOfferedAsAnotherJobHasTwoUntilTheFirstHasEnded) {
  ObjectJobs jobs;
  jobs.Add(40, "uid");
  jobs.Bind(40, 1);
  jobs.GiveUp(40);
  EXPECT_EQ(jobs.LiveJobOf("uid"), std::nullopt);
  EXPECT_EQ(jobs.NumberOf(40), 1) << "its end is still to come";
  jobs.Add(41, "uid");
  jobs.Bind(41, 2);
  jobs.Drop(40);
  EXPECT_EQ(jobs.LiveJobOf("uid"), 41);
  EXPECT_EQ(jobs.JobOf(2), 41);
}

// The service takes back the number of a job that it could not store.
TEST(ObjectJobs, ANumberThatGoesToAnotherObjectSaysNothingAboutTheFirstOne) {
  ObjectJobs jobs;
  jobs.Add(40, "first");
  jobs.Bind(40, 1);
  jobs.Add(40, "second");
  jobs.Bind(40, 2);
  EXPECT_EQ(jobs.JobOf(1), std::nullopt);
  EXPECT_EQ(jobs.LiveJobOf("first"), std::nullopt);
  EXPECT_EQ(*jobs.UidOf(40), "second");
}

}  // namespace
}  // namespace ebb::app
