#include "core/jobs/tracking.h"

#include <gtest/gtest.h>

namespace ebb::core {
namespace {

TEST(Tracking, AServerIsToldFromADirectory) {
  EXPECT_TRUE(IsMlflowServer("https://x"));
  EXPECT_FALSE(IsMlflowServer("mlruns"));
  for (const char* good : {"mlruns", "/data/mlruns", "file:///data/mlruns", "http://127.0.0.1:5000",
                           "https://mlflow.example.org/team@home"})
    EXPECT_TRUE(CheckMlflowTarget(good)) << good;
  for (const char* bad : {"databricks://profile", "sqlite:///mlflow.db",
                          "https://user:secret@mlflow.example.org", "https://token@host/path"})
    EXPECT_FALSE(CheckMlflowTarget(bad)) << bad;
  EXPECT_EQ(CheckMlflowTarget("https://user:secret@x").error().Message().find("secret"),
            std::string::npos);
}

TEST(Tracking, WhatAJobSaysGoesOverTheDefaults) {
  const Tracking service{"/tb", "https://a", "all", "/token-of-a"};
  const Tracking nothing = Over({}, service);
  EXPECT_EQ(nothing.tensorboard, "/tb");
  EXPECT_EQ(nothing.mlflow, "https://a");
  EXPECT_EQ(nothing.mlflow_token_file, "/token-of-a");
  const Tracking other = Over({"", "https://b", "mine", ""}, service);
  EXPECT_EQ(other.tensorboard, "/tb");
  EXPECT_EQ(other.mlflow, "https://b");
  EXPECT_EQ(other.mlflow_experiment, "mine");
  EXPECT_EQ(other.mlflow_token_file, "") << "a token goes to its own server only";
}

}  // namespace
}  // namespace ebb::core
