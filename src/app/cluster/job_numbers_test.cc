#include "app/cluster/job_numbers.h"

#include <gtest/gtest.h>

namespace ebb::app {
namespace {

TEST(JobNumbers, AJobIsFoundByItsObjectAndByTheExecutorsNumber) {
  JobNumbers numbers;
  numbers.Add(40, "uid");
  EXPECT_EQ(numbers.NumberOf(40), std::nullopt);
  numbers.Bind(40, 1);
  EXPECT_EQ(numbers.NumberOf(40), 1);
  EXPECT_EQ(numbers.JobOf(1), 40);
  EXPECT_EQ(numbers.LiveJobOf("uid"), 40);
  numbers.Drop(40);
  EXPECT_EQ(numbers.UidOf(40), nullptr);
  EXPECT_EQ(numbers.JobOf(1), std::nullopt);
  EXPECT_EQ(numbers.LiveJobOf("uid"), std::nullopt);
}

TEST(JobNumbers, AnObjectThatIsOfferedAsAnotherJobHasTwoUntilTheFirstHasEnded) {
  JobNumbers numbers;
  numbers.Add(40, "uid");
  numbers.Bind(40, 1);
  numbers.GiveUp(40);
  EXPECT_EQ(numbers.LiveJobOf("uid"), std::nullopt);
  EXPECT_EQ(numbers.NumberOf(40), 1) << "its end is still to come";
  numbers.Add(41, "uid");
  numbers.Bind(41, 2);
  numbers.Drop(40);
  EXPECT_EQ(numbers.LiveJobOf("uid"), 41);
  EXPECT_EQ(numbers.JobOf(2), 41);
}

// The service takes back the number of a job that it could not store.
TEST(JobNumbers, ANumberThatGoesToAnotherObjectSaysNothingAboutTheFirstOne) {
  JobNumbers numbers;
  numbers.Add(40, "first");
  numbers.Bind(40, 1);
  numbers.Add(40, "second");
  numbers.Bind(40, 2);
  EXPECT_EQ(numbers.JobOf(1), std::nullopt);
  EXPECT_EQ(numbers.LiveJobOf("first"), std::nullopt);
  EXPECT_EQ(*numbers.UidOf(40), "second");
}

}  // namespace
}  // namespace ebb::app
