#include "sweep/condition.h"

#include <gtest/gtest.h>

namespace ebb::sweep {
namespace {

std::vector<Setting> Settings() {
  return {
      {"r", Value::From("16")}, {"lr", Value::From("1e-05")}, {"optimizer", Value::From("adam")}};
}

bool Check(const std::string& text) {
  const auto condition = ParseComparison(text);
  EXPECT_TRUE(condition) << text;
  const auto holds = Holds(*condition, Settings());
  EXPECT_TRUE(holds) << text;
  return holds.value_or(false);
}

TEST(Condition, ComparesNumbersAsNumbersAndTheRestAsText) {
  EXPECT_TRUE(Check("r == 16.0"));
  EXPECT_TRUE(Check("lr <= 1e-5"));
  EXPECT_TRUE(Check("lr == 0.00001"));
  EXPECT_FALSE(Check("r != 16"));
  EXPECT_FALSE(Check("r > 16"));
  EXPECT_TRUE(Check("r >= 16"));
  EXPECT_TRUE(Check("r < 17"));
  EXPECT_TRUE(Check("optimizer == adam"));
  EXPECT_TRUE(Check("optimizer != sgd"));
}

TEST(Condition, CombinesAllAndAny) {
  Condition any;
  any.kind = Condition::Kind::kAny;
  any.parts = {*ParseComparison("r == 1"), *ParseComparison("r == 16")};
  Condition all;
  all.kind = Condition::Kind::kAll;
  all.parts = {any, *ParseComparison("optimizer == sgd")};
  EXPECT_TRUE(*Holds(any, Settings()));
  EXPECT_FALSE(*Holds(all, Settings()));
  EXPECT_TRUE(*Holds(Condition{}, Settings()));
  EXPECT_EQ(Comparisons(all).size(), 3u);
}

TEST(Condition, NamesWhatCannotBeCompared) {
  EXPECT_EQ(Holds(*ParseComparison("optimizer < 3"), Settings()).error().what,
            "optimizer is compared by size, and \"adam\" is not a number");
  EXPECT_FALSE(Holds(*ParseComparison("alpha == 1"), Settings()));
}

TEST(Condition, RefusesWhatIsNoComparison) {
  for (const char* text : {"", "r", "r =", "r = 16", "== 16", "r ==", "r === 16", "a b == 1"})
    EXPECT_FALSE(ParseComparison(text)) << text;
}

}  // namespace
}  // namespace ebb::sweep
