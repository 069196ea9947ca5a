// ebb simulate and ebb plan as a user runs them.

#include <cstdlib>

#include "cli_fixture.h"

namespace ebb {
namespace {

// Two days that are clean from 02:00 to 06:00 and dirty otherwise.
std::string TwoDays() {
  std::string csv = "timestamp,carbon_intensity\n";
  for (int hour = 0; hour < 96; ++hour) {
    char line[64];
    const int clean = hour % 24 >= 2 && hour % 24 < 6;
    std::snprintf(line, sizeof line, "2023-05-%02dT%02d:00:00Z,%d\n", 1 + hour / 24, hour % 24,
                  clean ? 100 : 400);
    csv += line;
  }
  return csv;
}

constexpr const char* kScenario = R"(name: two-days
sites:
  - {name: here, zone: X, trace: X_test_2023_hourly_lifecycle.csv, pue: 1.1}
devices:
  - {model: A, count: 1, idle_w: 10}
  - {model: B, count: 1, speed: 2, power_factor: 3}
jobs:
  - {name: long, count: 2, duration: 3h, power_w: 200, tier: x, max_delay: 20h}
  - {name: short, submit: 1h, duration: 1h, power_w: 100, tier: y, finish_by: 12h}
policies:
  - run-now
  - edf
  - {policy: threshold, threshold_g_per_kwh: 150}
  - lowest-window
forecast: perfect
start_dates: [2023-05-01T20:00Z, 2023-05-02T00:00Z]
published:
  source: nobody
  figures:
    - {name: emitted, published: 1000, policy: threshold, metric: emissions_g}
)";

class Simulation : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    Write("X_test_2023_hourly_lifecycle.csv", TwoDays());
    Write("s.yaml", kScenario);
  }
};

// A year-long job is re-planned every hour, which takes long enough to be interrupted.
TEST_F(Simulation, CtrlCEndsItSoonAndWritesNothing) {
  Write("long.yaml", R"(sites: [{profile: DE}]
devices: [{model: A}]
jobs: [{count: 3, duration: 9000h, power_w: 1}]
start_dates: [2022-01-05]
)");
  const pid_t pid = Start({"simulate", "long.yaml", "--html", "page.html"});
  std::this_thread::sleep_for(std::chrono::seconds(1));
  ::kill(pid, SIGINT);
  const auto asked = std::chrono::steady_clock::now();
  const Outcome outcome = Finish(pid);
  EXPECT_EQ(outcome.code, 75) << outcome.err;
  EXPECT_LT(std::chrono::steady_clock::now() - asked, std::chrono::seconds(10));
  EXPECT_NE(outcome.err.find("nothing was written"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_FALSE(fs::exists(directory_ / "page.html"));
}

TEST_F(Simulation, AResultThatCannotBePrintedIsAnError) {
  const std::string errors = (directory_ / "errors.txt").string();
  const std::string command = std::string(EBB_PROGRAM) + " simulate " +
                              (directory_ / "s.yaml").string() + " > /dev/full 2> " + errors;
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 4);
  EXPECT_NE(Read(errors).find("standard output: cannot write"), std::string::npos) << Read(errors);
}

TEST_F(Simulation, IsTheSameAsTheGoldenFile) {
  const Outcome outcome = Ebb({"simulate", "s.yaml", "--format", "json", "--jobs", "1"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const fs::path golden = fs::path(EBB_SOURCE_DIR) / "tests" / "golden" / "simulation.json";
  if (const char* update = std::getenv("EBB_UPDATE_GOLDEN"); update && *update == '1')
    std::ofstream(golden) << outcome.out;
  std::ifstream stream(golden);
  const std::string expected{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(outcome.out, expected) << "run with EBB_UPDATE_GOLDEN=1 if the change is meant";
}

// The clean hours begin at 02:00, but they are not known before they are published. B's idle power
// is not given, so it cannot be included.
TEST_F(Simulation, KnowsLaterWithALagAndCountsIdleDrawOnRequest) {
  std::string own = kScenario;
  own.replace(own.find("forecast: perfect"), 17, "forecast: own");
  Write("own.yaml", own);
  const auto emitted = [&](const char* lag) {
    const Outcome outcome = Ebb({"simulate", "own.yaml", "--policy", "threshold", "--format",
                                 "json", "--publication-lag", lag});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_TRUE(Contains(json.at("signals").at(0).at("source"), "each value known")) << lag;
    return json.at("policies").at(2).at("emissions_g").get<double>();
  };
  EXPECT_EQ(emitted("none"), emitted("1h")) << "yesterday tells when it will be clean";
  EXPECT_LT(emitted("none"), emitted("2d"));
  const Outcome unknown = Ebb({"simulate", "s.yaml", "--idle-draw", "inside"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_TRUE(Contains(unknown.err, "nobody knows what a free B draws")) << unknown.err;
  std::string known = kScenario;
  known.replace(known.find("count: 1, speed"), 8, "idle_w: 20");
  Write("known.yaml", known);
  const Outcome inside =
      Ebb({"simulate", "known.yaml", "--idle-draw", "inside", "--format", "json"});
  ASSERT_EQ(inside.code, 0) << inside.err;
  const auto told = nlohmann::json::parse(inside.out);
  for (const auto& policy : told.at("policies"))
    EXPECT_EQ(policy.at("saving_percent"), policy.at("saving_with_idle_percent"));
}

TEST_F(Simulation, DoesNotDependOnTheNumberOfThreads) {
  const auto with = [&](const char* jobs) {
    return Ebb({"simulate", "s.yaml", "--policy", "planner,tiers", "--format", "json", "--jobs",
                jobs})
        .out;
  };
  const std::string one = with("1");
  EXPECT_TRUE(Contains(one, "\"planner\""));
  EXPECT_EQ(one, with("2"));
}

TEST_F(Simulation, WritesAPageWithAChartPerPolicyAndNoRequest) {
  const Outcome outcome = Ebb({"simulate", "s.yaml", "--html", "page.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Contains(outcome.out, "lowest-window")) << outcome.out;
  EXPECT_TRUE(Contains(outcome.out, "published")) << outcome.out;
  std::ifstream stream(directory_ / "page.html");
  const std::string page{std::istreambuf_iterator<char>(stream), {}};
  for (const char* text :
       {"<svg", "A</text>", "tier x", "best in hindsight", "class=\"forecast\"",
        "long-1, x: submitted 2023-05-01T20:00:00Z", "prefers-color-scheme:dark"})
    EXPECT_TRUE(Contains(page, text)) << text;
  for (const char* text : {"http://", "https://", "<script", "src="})
    EXPECT_FALSE(Contains(page, text)) << text;
}

TEST_F(Simulation, ATruthThatEndsTooEarlyIsNamed) {
  Write("late.yaml",
        std::string(kScenario).replace(std::string(kScenario).find("2023-05-02T00:00Z"), 17,
                                       "2023-05-04T20:00Z"));
  const Outcome outcome = Ebb({"simulate", "late.yaml"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(Contains(outcome.err, "covers 2023-05-01 00:00 to 2023-05-05 00:00")) << outcome.err;
}

TEST_F(Simulation, MistakesInTheFileAreNamedWithTheirLines) {
  Write("bad.yaml", "sites: [{profile: DE}]\ndevices: [{model: A, cont: 2}]\njobs: []\n");
  const Outcome outcome = Ebb({"simulate", "bad.yaml"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(Contains(outcome.err, "did you mean \"count\"")) << outcome.err;
  EXPECT_TRUE(Contains(outcome.err, "bad.yaml:3")) << outcome.err;
  EXPECT_TRUE(outcome.out.empty());
}

TEST_F(Simulation, PlanSaysWhenAndWhyAndStartsNothing) {
  const Outcome outcome = Ebb({"plan", "s.yaml", "--html", "plan.html"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Contains(outcome.out, "plan at 2023-05-01 20:00 (UTC)")) << outcome.out;
  EXPECT_TRUE(Contains(outcome.out, "no schedule under this forecast emits less")) << outcome.out;
  EXPECT_TRUE(Contains(outcome.out, "waiting: 400 g/kWh now")) << outcome.out;
  EXPECT_TRUE(Contains(outcome.out, "1 jobs are submitted later")) << outcome.out;
  EXPECT_TRUE(fs::exists(directory_ / "plan.html"));
}

TEST_F(Simulation, PlanRefusesWhatCannotBeMetAndNamesWhatCan) {
  Write("queue.yaml",
        "devices: [{model: A}]\n"
        "jobs: [{name: a, duration: 2h, power_w: 1, finish_by: 2h},\n"
        "       {name: b, duration: 2h, power_w: 1, finish_by: 3h}]\n");
  const Outcome outcome = Ebb({"plan", "queue.yaml", "--at", "2023-05-01T00:00Z"});
  EXPECT_EQ(outcome.code, 5) << outcome.out << outcome.err;
  EXPECT_TRUE(Contains(outcome.out, "refused")) << outcome.out;
}

}  // namespace
}  // namespace ebb
