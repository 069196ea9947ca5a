#include "report/compare/group_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace ebb::report {
namespace {

using testing::Each;
using testing::ElementsAre;

struct Asked {
  std::string command;
  std::string name = "python3";  ///< the name that early versions gave
  std::string policy = "now";
};

std::vector<std::string> NamesOf(const std::vector<Asked>& asked) {
  std::vector<core::RunSpec> specs;
  for (const Asked& one : asked) {
    core::RunSpec spec;
    spec.name = spec.group = one.name;
    spec.policy = one.policy;
    for (const std::string_view word : Split(one.command, ' ')) spec.command.emplace_back(word);
    specs.push_back(spec);
  }
  std::vector<const core::RunSpec*> runs;
  for (const core::RunSpec& spec : specs) runs.push_back(&spec);
  return GroupNames(runs);
}

TEST(GroupNames, OneCommandIsCalledByItsScript) {
  EXPECT_THAT(NamesOf({{"python3 train.py --lr 1e-3"}, {"python3 train.py --lr 1e-3", "train.py"}}),
              Each("train.py"));
  EXPECT_THAT(NamesOf({{"python3 train.py", "train"}}), ElementsAre("train.py"));
}

TEST(GroupNames, UnlikeCommandsAreApartAndSayHowTheyDiffer) {
  EXPECT_THAT(NamesOf({{"python3 train.py"}, {"python3 eval.py"}}),
              ElementsAre("train.py", "eval.py"));
  EXPECT_THAT(NamesOf({{"python3 train.py --lr 1e-3 --epochs 3 -n 4"},
                       {"python3 train.py --lr 1e-4 --epochs 3 -n 4"},
                       {"python3 train.py --lr 1e-4 --epochs 3 -n 4 --fast"}}),
              ElementsAre("train.py --lr 1e-3", "train.py --lr 1e-4", "train.py --lr 1e-4 --fast"));
  EXPECT_THAT(NamesOf({{"python3 -c pass"}, {"python3 -c exit()"}}),
              ElementsAre("python3 -c pass", "python3 -c exit()"));
}

TEST(GroupNames, ASeedIsNoDifference) {
  EXPECT_THAT(NamesOf({{"python3 train.py --seed 1"},
                       {"python3 train.py --seed=2"},
                       {"python3 train.py --random_seed 3"},
                       {"python3 train.py training.seed=4"}}),
              Each("train.py"));
  EXPECT_THAT(NamesOf({{"python3 train.py --seed-file a"}, {"python3 train.py --seed-file b"}}),
              ElementsAre("train.py --seed-file a", "train.py --seed-file b"));
}

TEST(GroupNames, OneCommandUnderTwoSchedulesIsTwoGroups) {
  EXPECT_THAT(NamesOf({{"python3 train.py"}, {"python3 train.py", "train.py", "window"}}),
              ElementsAre("train.py (now)", "train.py (window)"));
}

TEST(GroupNames, RunsThatTheirUserNamedAlikeBelongTogether) {
  EXPECT_THAT(NamesOf({{"python3 train.py --lr 1", "tuned"},
                       {"python3 train.py --lr 2", "tuned", "window"}}),
              Each("tuned"));
}

TEST(GroupNames, NamesOfUnlikeGroupsAlwaysDiffer) {
  const std::string code(100, 'x');
  const auto names = NamesOf({{"python3 -c " + code + "1"},
                              {"python3 -c " + code + "2"},
                              {"python3 train.py -a -b"},
                              {"python3 train.py -b -a"}});
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 4u);
  EXPECT_THAT(names[1], testing::EndsWith("x\u2026 (2)"));
}

}  // namespace
}  // namespace ebb::report
