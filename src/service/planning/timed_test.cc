#include "service/planning/timed.h"

#include <gtest/gtest.h>

#include <numeric>

#include "plan/make_policy.h"

namespace ebb::service {
namespace {

// A policy that notes which of its functions are called.
class NotingPolicy final : public plan::Policy {
 public:
  explicit NotingPolicy(std::vector<std::string>& notes) : notes_(notes) {}
  std::string_view name() const override { return "noting"; }
  void Update(const plan::Problem&, const plan::Change&, plan::Schedule&) const override {
    notes_.emplace_back("update");
  }
  void PlaceBeside(const plan::Problem&, const plan::Change&, plan::Schedule&) const override {
    notes_.emplace_back("place beside");
  }
  bool places_beside() const override { return true; }
  void PlanEach(const plan::Problem&, std::span<const std::size_t>,
                plan::Schedule&) const override {
    notes_.emplace_back("plan each");
  }
  bool plans_each() const override { return true; }

 private:
  std::vector<std::string>& notes_;
};

std::int64_t Plans(const Counters& counters) {
  const auto& counts = counters.planning.counts;
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

// If TimedPolicy did not pass PlaceBeside on, the base class would make a whole plan instead.
TEST(TimedPolicy, HandsEveryQuestionOnAndCountsWholePlans) {
  std::vector<std::string> notes;
  Counters counters;
  const TimedPolicy timed(std::make_unique<NotingPolicy>(notes), counters);
  plan::Schedule schedule;
  EXPECT_EQ(timed.name(), "noting");
  EXPECT_TRUE(timed.places_beside());
  EXPECT_TRUE(timed.plans_each());
  timed.PlaceBeside({}, {}, schedule);
  timed.PlanEach({}, {}, schedule);
  EXPECT_EQ(Plans(counters), 0) << "a placement is no plan";
  timed.Update({}, {}, schedule);
  EXPECT_EQ(notes, (std::vector<std::string>{"place beside", "plan each", "update"}));
  EXPECT_EQ(Plans(counters), 1);
}

TEST(TimedPolicy, OfEveryPolicyAnswersAsThatDoes) {
  for (const char* name : {"run-now", "edf", "lowest-window", "planner"}) {
    Counters counters;
    const auto bare = *plan::MakePolicy(name, {});
    const TimedPolicy timed(*plan::MakePolicy(name, {}), counters);
    EXPECT_EQ(timed.places_beside(), bare->places_beside()) << name;
    EXPECT_EQ(timed.plans_each(), bare->plans_each()) << name;
    EXPECT_EQ(timed.name(), bare->name());
  }
}

}  // namespace
}  // namespace ebb::service
