#include "config/cluster/namespace_policy.h"

#include <gtest/gtest.h>

namespace ebb::config {
namespace {

TEST(NamespacePolicy, IsReadFromYaml) {
  const auto policy = ParseNamespacePolicy(R"(
defaults: {threshold: 200, start-by: 12h, checkpointable: true}
workloads:
  inference: {threshold: 400}
limits: {threshold: 350, start-by: 48h, priority: 5, gpus: 8, on-outage: wait}
budget: {energy_kwh: 500, emissions_g: 120000, time_zone: Europe/Berlin, when_used_up: pause}
)",
                                           "research.yaml", {});
  ASSERT_TRUE(policy) << policy.error().Message();
  EXPECT_EQ(policy->defaults.at("threshold"), "200");
  EXPECT_EQ(policy->workloads.at("inference").at("threshold"), "400");
  EXPECT_EQ(policy->limits.start_by, std::chrono::hours{48});
  EXPECT_EQ(policy->limits.gpus, 8);
  EXPECT_TRUE(policy->limits.waits_in_outage);
  EXPECT_EQ(policy->budget.energy, Energy::Joules(500 * 3.6e6));
  EXPECT_EQ(policy->budget.emissions, Emissions{120'000});
  EXPECT_EQ(policy->budget.time_zone, "Europe/Berlin");
  EXPECT_TRUE(policy->budget.pauses);
  EXPECT_TRUE(ParseNamespacePolicy("", "a.yaml", {}));
}

TEST(NamespacePolicy, WhatIsWrongIsSaidWithItsLine) {
  const std::vector<std::pair<std::string, std::string>> cases{
      {"limit: {}\n", "p.yaml:1: unknown key \"limit\""},
      {"defaults: {wait: true}\n", "unknown key \"wait\""},
      {"defaults:\n  threshold: low\n", "p.yaml:2: ebb/threshold: \"low\" is not a number"},
      {"defaults: {tier: 9}\n", "\"9\" is not a tier"},
      {"defaults: {start-by: 2026-10-01T09:30Z}\n", "needs a duration"},
      {"workloads: {a: {threshold: -1}}\n", "p.yaml:1"},
      {"limits: {gpus: many}\n", "gpus"},
      {"budget: {time_zone: UTC}\n", "budget limits nothing"},
      {"budget: {energy_kwh: 1, time_zone: Europe/Berlim}\n", "Europe/Berlim"}};
  for (const auto& [text, said] : cases) {
    const auto policy = ParseNamespacePolicy(text, "p.yaml", {});
    ASSERT_FALSE(policy) << text;
    EXPECT_NE(policy.error().Message().find(said), std::string::npos) << policy.error().Message();
  }
}

}  // namespace
}  // namespace ebb::config
