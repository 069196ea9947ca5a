#include "service/intake/pending_answers.h"

#include <gtest/gtest.h>

namespace ebb::service {
namespace {

using Due = PendingAnswers::Due;
using namespace std::chrono_literals;

const Time kNow = *ParseTime("2026-05-01T10:00Z");
const Error kRefused{ExitCode::kUsage, "is not known", "job 2", ""};

class PendingAnswersTest : public ::testing::Test {
 protected:
  // Somebody asks for the end of this job.
  runtime::Ticket Ask(core::JobId job, Due due = Due::kStored) {
    Inbox::Promise asker;
    heard_[job] = asker.get_future();
    const engine::Event event{kNow, engine::JobCancelled{job}};
    const runtime::Submitted submitted = answers_.HandOut(event, std::move(asker), {job}, due);
    EXPECT_EQ(static_cast<const engine::Event&>(submitted), event);
    return submitted.ticket;
  }
  bool HasHeard(core::JobId job) {
    return heard_.at(job).wait_for(0s) == std::future_status::ready;
  }
  static engine::Decision DecisionAt(Time at, Time wake_at) {
    engine::Decision decision;
    decision.at = at;
    decision.wake_at = wake_at;
    return decision;
  }

  PendingAnswers answers_;
  std::map<core::JobId, std::future<Result<Answer>>> heard_;
};

// The engine's answers come back in another order than the events were handed out in: whoever
// matched them by their order would give the refusal to the second asker.
TEST_F(PendingAnswersTest, AreGivenByTicketWhateverTheOrder) {
  const auto first = Ask(1), second = Ask(2), third = Ask(3);
  answers_.Taken(third);
  EXPECT_TRUE(answers_.Refused(first, kRefused));
  answers_.Taken(second);
  answers_.OnStored();
  const auto refused = heard_[1].get();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().what, kRefused.what);
  for (const core::JobId job : {2, 3}) {
    const auto taken = heard_[job].get();
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->job, job);
  }
}

TEST_F(PendingAnswersTest, WaitUntilWhatTheySpeakOfIsStored) {
  const auto first = Ask(1), second = Ask(2);
  answers_.Taken(first);
  EXPECT_FALSE(HasHeard(1));
  answers_.OnStored();
  EXPECT_TRUE(HasHeard(1));
  EXPECT_FALSE(HasHeard(2)) << "the engine has not answered";
  answers_.Taken(second);
  answers_.OnStored();
  EXPECT_TRUE(HasHeard(2));
}

TEST_F(PendingAnswersTest, ThatDependOnADecisionWaitForOneThatIsNotFollowedByAnotherAtOnce) {
  answers_.Taken(Ask(1, Due::kDecided));
  answers_.OnStored();
  EXPECT_FALSE(HasHeard(1));
  answers_.OnDecided(DecisionAt(kNow, kNow));
  EXPECT_FALSE(HasHeard(1));
  answers_.OnDecided(DecisionAt(kNow, kNow + 1h));
  EXPECT_TRUE(HasHeard(1));
}

TEST_F(PendingAnswersTest, TellWhetherSomebodyWaits) {
  const auto nobody =
      answers_.HandOut({kNow, engine::JobCancelled{1}}, std::nullopt, Answer{}).ticket;
  EXPECT_FALSE(answers_.Refused(nobody, kRefused));
  const auto somebody = Ask(2);
  EXPECT_TRUE(answers_.Refused(somebody, kRefused));
  EXPECT_FALSE(answers_.Refused(somebody, kRefused)) << "it has its answer";
}

TEST_F(PendingAnswersTest, AllFailWhenNothingCanBeStoredButRefusalsKeepTheirReason) {
  Ask(1);
  EXPECT_TRUE(answers_.Refused(Ask(2), kRefused));
  answers_.Taken(Ask(3));
  answers_.Taken(Ask(4, Due::kDecided));
  answers_.FailAll({ExitCode::kUnavailable, "the disk is full", "", ""});
  for (const core::JobId job : {1, 3, 4})
    EXPECT_EQ(heard_[job].get().error().what, "the disk is full");
  EXPECT_EQ(heard_[2].get().error().what, kRefused.what);
}

}  // namespace
}  // namespace ebb::service
