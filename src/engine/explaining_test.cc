// Tests when jobs are explained. state_json_test.cc tests that kept explanations equal new ones:
// its engines continue from snapshots, with nothing kept from the cycle before.

#include "engine/engine_for_test.h"
#include "engine/journal_json.h"
#include "engine/random_life_for_test.h"

namespace ebb::engine {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::AJob;

TEST(Explaining, WithoutItTheCommandsAreTheSame) {
  for (const std::string& policy : plan::PolicyNames()) {
    if (policy == "planner") continue;  // same code as the other policies, but slow
    SCOPED_TRACE(policy);
    const auto telling = MakeEngineForTest(policy);
    Options options;
    options.ramp_limit_per_5_minutes = Power{350};
    Engine silent(options, MakePolicyForTest(policy), Explaining::kNothing);
    RandomLife life(*telling, 4, [&](const JournalRecord& record) {
      if (const auto* event = std::get_if<Event>(&record)) {
        ASSERT_TRUE(silent.Reapply(*event));
        return;
      }
      const auto& decision = std::get<Decision>(record);
      const Decision same = silent.Decide(decision.at, decision.planning);
      ASSERT_EQ(same.commands, decision.commands);
      ASSERT_TRUE(same.explanations.empty() && same.restated.empty());
    });
    for (int step = 0; step < 200 && !::testing::Test::HasFatalFailure(); ++step) life.Step();
  }
}

class ExplainingTest : public EngineTest {};

TEST_F(ExplainingTest, TellsWhatOnlyTimeChangesAndNothingElse) {
  Make("run-now", 1);
  Submit(AJob(1).Submitted(kNow).Runs(hours{2}));
  Submit(AJob(2).Submitted(kNow).Runs(hours{1}));
  engine_->Decide(kNow);
  Report(1, JobPhase::kRunning, kNow);
  engine_->Decide(kNow);
  const auto told = [&](Time at) {
    const Decision decision = engine_->Decide(at);
    Ids ids;
    for (const auto* list : {&decision.explanations, &decision.restated})
      for (const Explanation& explanation : *list) ids.push_back(explanation.job);
    return ids;
  };
  EXPECT_EQ(told(kNow + minutes{30}), Ids{});
  EXPECT_EQ(told(kNow + hours{2}), (Ids{1, 2})) << "one overruns, and the other waits longer";
  EXPECT_FALSE(engine_->Explain(1)->reason.end);
}

}  // namespace
}  // namespace ebb::engine
