#include "kubernetes/objects/namespace_policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::kubernetes {
namespace {

using std::chrono::hours;
using ::testing::HasSubstr;
using Texts = std::map<std::string, std::string>;

Time At(int hour) { return *ParseTime("2026-05-01T00:00:00Z") + hours{hour}; }

NamespacePolicy Research() {
  NamespacePolicy policy;
  policy.defaults = {{"threshold", "200"}, {"start-by", "12h"}, {"power", "300"}};
  policy.workloads["inference"] = {{"threshold", "400"}};
  policy.limits.threshold = Intensity{350};
  policy.limits.start_by = hours{24};
  policy.limits.priority = 5;
  policy.limits.gpus = 8;
  policy.limits.waits_in_outage = true;
  return policy;
}

GatedObject Read(const Texts& annotations, double gpus = 1) {
  static const NamespacePolicy kPolicy = Research();
  ObjectDefaults defaults;
  defaults.policy_of = [](const std::string& name_space) {
    return name_space == "research" ? &kPolicy : nullptr;
  };
  GatedObject object;
  object.name_space = "research";
  object.name = "training";
  object.created = At(12);
  object.requests.gpus = gpus;
  ReadAnnotations(annotations, defaults, object);
  return object;
}

TEST(NamespacePolicy, SaysWhatAnObjectDoesNotSay) {
  const GatedObject object = Read({});
  EXPECT_EQ(object.job.threshold, Intensity{200});
  EXPECT_EQ(object.job.start_by, At(24));
  EXPECT_EQ(object.job.power, Power{300});
  EXPECT_TRUE(object.problems.empty());
}

TEST(NamespacePolicy, AnObjectsOwnWordsGoFirstTheReferencesToo) {
  EXPECT_EQ(Read({{"ebb/threshold", "90"}}).job.threshold, Intensity{90});
  const std::string theirs(kGardenerPrefix);
  EXPECT_EQ(Read({{theirs + "carbon-intensity-threshold", "80"}}).job.threshold, Intensity{80});
  EXPECT_EQ(Read({{theirs + "max-scheduling-delay", "2h"}}).job.start_by, At(14));
}

// The tier sets its threshold and its wait.
TEST(NamespacePolicy, DoesNotUndoATier) {
  const GatedObject object = Read({{"ebb/tier", "2"}});
  EXPECT_EQ(object.job.threshold, Intensity{175});
}

TEST(NamespacePolicy, ATypeOfWorkloadGoesBeforeTheDefaults) {
  const std::string theirs = std::string(kGardenerPrefix) + "gpu-workload-type";
  for (const std::string& key : {std::string("ebb/workload"), theirs}) {
    const GatedObject object = Read({{key, "inference"}});
    EXPECT_EQ(object.job.threshold, Intensity{350}) << "400, and 350 is the limit";
    EXPECT_EQ(object.job.power, Power{300});
  }
  EXPECT_EQ(Read({{theirs, "training"}}).job.threshold, Intensity{200});
}

TEST(NamespacePolicy, NothingGoesBeyondItsLimits) {
  const GatedObject object = Read({{"ebb/threshold", "500"},
                                   {"ebb/start-by", "48h"},
                                   {"ebb/priority", "9"},
                                   {"ebb/on-outage", "run"}});
  EXPECT_EQ(object.job.threshold, Intensity{350});
  EXPECT_EQ(object.job.start_by, At(36));
  EXPECT_EQ(object.job.priority, 5);
  EXPECT_EQ(object.job.on_outage, core::OnOutage::kWait);
  ASSERT_EQ(object.problems.size(), 4u);
  EXPECT_EQ(
      object.problems[0],
      "ebb/threshold: the policy of namespace research allows at most 350 g/kWh, which holds");
  EXPECT_TRUE(object.lacks.empty());
}

TEST(NamespacePolicy, TooWideAnObjectIsNotReleased) {
  EXPECT_TRUE(Read({}, 8).lacks.empty());
  EXPECT_THAT(Read({}, 16).lacks, HasSubstr("asks for 16 GPUs, and the policy of namespace "
                                            "research allows one object 8"));
}

TEST(NamespacePolicy, AnObjectIsReadAnewWhereThePolicyHasGone) {
  GatedObject object = Read({}, 16);
  object.annotations = {{"ebb/priority", "9"}};
  ReadAgain({}, object);
  EXPECT_EQ(object.job.threshold, std::nullopt);
  EXPECT_EQ(object.job.priority, 9);
  EXPECT_EQ(object.job.name, "research/training");
  EXPECT_TRUE(object.lacks.empty());
}

}  // namespace
}  // namespace ebb::kubernetes
