#include "config/scenario/scenario_config.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "config/scenario/scenario_policies.h"
#include "core/devices/device_profile.h"
#include "testing/source_tree.h"

namespace ebb::config {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr const char* kSmall = R"(sites:
  - {name: here, profile: DE}
devices:
  - {model: A5000, count: 2}
jobs:
  - {name: a, duration: 1h, power_w: 300}
start_dates: [2023-05-01T17:00Z]
)";

ScenarioContext Context(const std::string& csv = "") {
  ScenarioContext context;
  context.path = "dir/test.yaml";
  context.read_file = [csv](const std::string& path) -> Result<std::string> {
    if (path == "dir/jobs.csv") return csv;
    return Fail({ExitCode::kUnavailable, "cannot be opened", path, ""});
  };
  return context;
}

ScenarioFile Parse(const std::string& text, const std::string& csv = "") {
  const auto file = ParseScenario(text, Context(csv));
  EXPECT_TRUE(file.has_value()) << file.error().Message();
  return file ? *file : ScenarioFile{};
}

std::string ErrorOf(const std::string& text, const std::string& csv = "") {
  const auto file = ParseScenario(text, Context(csv));
  EXPECT_FALSE(file.has_value()) << text;
  return file ? "" : file.error().Message();
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, from.size(), to);
}

TEST(ScenarioConfig, SitesSayWhatMovesTakeAndWhichDataTheyMayHold) {
  const std::string text = R"(sites:
  - {name: home, profile: DE}
  - {name: away, profile: SE, bandwidth_mbit_s: 100, set_up: 5m, set_up_kwh: 0.2, allowed_data: [public, personal], forbidden_data: [secret]}
devices:
  - {model: A5000, site: home}
  - {model: A5000, site: away}
jobs:
  - {name: a, duration: 1h, power_w: 300, home: home, files_gb: 12.5, checkpoint_gb: 2, data: [personal], forbidden_sites: [home]}
start_dates: [2023-05-01T17:00Z]
transfer_kwh_per_gb: 0.0019
)";
  const ScenarioFile file = Parse(text);
  const core::Cluster& cluster = file.scenario.cluster;
  ASSERT_EQ(cluster.sites.size(), 2U);
  EXPECT_EQ(cluster.sites[0].bytes_per_second, std::nullopt);
  EXPECT_EQ(cluster.sites[1].bytes_per_second, 12.5e6);
  EXPECT_EQ(cluster.sites[1].set_up, minutes{5});
  EXPECT_EQ(cluster.sites[1].set_up_energy, Energy::Joules(720'000));
  EXPECT_EQ(cluster.sites[1].allowed_data, (std::vector<std::string>{"public", "personal"}));
  EXPECT_EQ(cluster.sites[1].forbidden_data, (std::vector<std::string>{"secret"}));
  EXPECT_NEAR(*cluster.joules_per_byte, 6.84e-6, 1e-12);
  const core::Job& job = file.scenario.jobs[0];
  EXPECT_EQ(job.home, "home");
  EXPECT_EQ(job.file_bytes, 12'500'000'000);
  EXPECT_EQ(job.checkpoint_bytes, 2'000'000'000);
  EXPECT_EQ(job.data, (std::vector<std::string>{"personal"}));
  EXPECT_EQ(job.forbidden_sites, (std::vector<std::string>{"home"}));

  EXPECT_NE(ErrorOf(Replaced(text, "home: home, ", "")).find("files_gb needs home"),
            std::string::npos);
  EXPECT_NE(ErrorOf(Replaced(text, "home: home", "home: nowhere")).find("no site \"nowhere\""),
            std::string::npos);
  EXPECT_NE(ErrorOf(Replaced(text, "data: [personal]", "data: [secret]")).find("may hold its data"),
            std::string::npos);
}

TEST(ScenarioConfig, APublicationLagIsOfEveryTraceThatHasNoneOfItsOwn) {
  const std::string traces = Replaced(
      kSmall, "  - {name: here, profile: DE}\n",
      "  - {name: here, trace: a.csv}\n  - {name: there, trace: b.csv, publication_lag: none}\n");
  const std::string text = Replaced(traces, "count: 2", "count: 2, site: here");
  const ScenarioFile usual = Parse(text);
  EXPECT_EQ(usual.signals[0].publication, std::nullopt) << "the feed knows what is usual";
  EXPECT_EQ(usual.signals[1].publication, core::Publication::AtBegin());
  const ScenarioFile told = Parse(text + "publication_lag: 20m\n");
  EXPECT_EQ(told.signals[0].publication, core::Publication::AfterEnd(minutes{20}));
  EXPECT_EQ(told.signals[1].publication, core::Publication::AtBegin());
  EXPECT_NE(ErrorOf(text + "publication_lag: soon\n").find("none: known as it begins"),
            std::string::npos);
  EXPECT_NE(ErrorOf(std::string(kSmall) + "publication_lag: 1h\n").find("for traces only"),
            std::string::npos);
  EXPECT_NE(
      ErrorOf(Replaced(kSmall, "profile: DE", "profile: DE, publication_lag: 1h")).find("traces"),
      std::string::npos);
}

TEST(ScenarioConfig, APerfectOrNoisyForecastNeedsTheTruthOfTheHourThatRuns) {
  const std::string text = Replaced(kSmall, "profile: DE", "trace: a.csv");
  EXPECT_EQ(Parse(text).signals[0].forecast, signals::ForecastMode::kHistory);
  EXPECT_EQ(Parse(text + "forecast: perfect\n").signals[0].forecast,
            signals::ForecastMode::kPerfect);
  EXPECT_EQ(Parse(text + "forecast: {source: noise}\n").signals[0].forecast,
            signals::ForecastMode::kPerfect);
}

TEST(ScenarioConfig, IdleDrawIsGivenOrKnownOfTheModelOrUnknown) {
  EXPECT_EQ(Parse(kSmall).scenario.unknown_idle, std::vector<std::string>{"A5000"});
  const auto given = Parse(Replaced(kSmall, "count: 2", "count: 2, idle_w: 22")).scenario;
  EXPECT_TRUE(given.unknown_idle.empty());
  EXPECT_EQ(given.cluster.pools[0].idle.watts, 22);
  const auto table = Parse(Replaced(kSmall, "A5000", "H100 80GB HBM3")).scenario;
  EXPECT_TRUE(table.unknown_idle.empty());
  EXPECT_EQ(table.cluster.pools[0].idle.watts, core::ProfileOf("H100 80GB HBM3").idle->watts);
  EXPECT_EQ(Parse(Replaced(kSmall, "count: 2", "count: 2, idle_w: 0") + "idle_draw: inside\n")
                .scenario.idle_draw,
            sim::IdleDraw::kInside);
  EXPECT_NE(ErrorOf(std::string(kSmall) + "idle_draw: inside\n").find("a free A5000 draws"),
            std::string::npos);
}

TEST(ScenarioConfig, ASmallFileHasDefaults) {
  const ScenarioFile file = Parse(kSmall);
  const sim::Scenario& scenario = file.scenario;
  EXPECT_EQ(scenario.name, "test");
  EXPECT_EQ(scenario.cluster.sites[0].zone, "DE");
  EXPECT_EQ(scenario.cluster.pools[0].count, 2);
  ASSERT_EQ(scenario.policies.size(), 1u);
  EXPECT_EQ(scenario.policies[0].policy, "planner");
  EXPECT_EQ(scenario.forecast, sim::ForecastSource::kOwn);
  EXPECT_EQ(scenario.jobs[0].power.watts, 300);
  EXPECT_FALSE(scenario.jobs[0].start_by.has_value());
}

TEST(ScenarioConfig, GroupsBecomeJobsWithDeadlinesFromSubmission) {
  const ScenarioFile file = Parse(Replaced(
      kSmall, "{name: a, duration: 1h, power_w: 300}",
      "{name: a, count: 3, submit: 2h, submit_every: 5m, duration: 90m, energy_kwh: 3, devices: 2, "
      "max_delay: 24h, finish_by: 30h, checkpointable: true, pause_cost: 1m, tier: x}"));
  ASSERT_EQ(file.scenario.jobs.size(), 3u);
  const core::Job& last = file.scenario.jobs[2];
  EXPECT_EQ(last.name, "a-3");
  EXPECT_EQ(last.id, 3);
  EXPECT_EQ(last.submitted, Time{hours{2} + minutes{10}});
  EXPECT_EQ(*last.start_by, last.submitted + hours{24});
  EXPECT_EQ(*last.finish_by, last.submitted + hours{30});
  EXPECT_DOUBLE_EQ(last.power.watts, 1000);
  EXPECT_TRUE(last.checkpointable);
}

TEST(ScenarioConfig, OlderNamesOfKeysAreReadButNotBesideThePresentOnes) {
  const std::string job = "{name: a, duration: 1h, power_w: 300}";
  const std::string present =
      "{name: a, duration: 90m, power_w: 3, checkpointable: true, pause_cost: 1m}";
  const std::string older =
      "{name: a, run_time: 90m, power_w: 3, pausable: true, pause_overhead: 1m}";
  const auto jobs = Parse(Replaced(kSmall, job, older)).scenario.jobs;
  EXPECT_EQ(jobs, Parse(Replaced(kSmall, job, present)).scenario.jobs);
  EXPECT_EQ(jobs.at(0).duration, Duration{minutes{90}});
  EXPECT_TRUE(jobs.at(0).checkpointable);
  EXPECT_EQ(jobs.at(0).pause_cost, Duration{minutes{1}});
  const auto both = [&](const std::string& names) {
    return ErrorOf(
        Replaced(kSmall, "duration: 1h", "duration: 1h, checkpointable: true, " + names));
  };
  EXPECT_NE(both("run_time: 1h")
                .find("test.yaml:6: duration (line 6) and run_time are the same "
                      "key: leave out run_time"),
            std::string::npos);
  EXPECT_NE(both("pausable: true").find("checkpointable (line 6) and pausable are the same key"),
            std::string::npos);
  EXPECT_NE(both("pause_overhead: 1m, pause_cost: 1m")
                .find("pause_overhead (line 6) and pause_cost are the same key"),
            std::string::npos);
}

TEST(ScenarioConfig, DatesOfJobsCountFromTheOnlyStartDate) {
  const ScenarioFile file =
      Parse(Replaced(kSmall, "duration: 1h",
                     "duration: 1h, submit: 2023-05-01T19:00Z, start_by: 2023-05-02T19:00Z"));
  EXPECT_EQ(file.scenario.jobs[0].submitted, Time{hours{2}});
  EXPECT_EQ(*file.scenario.jobs[0].start_by, Time{hours{26}});
  const std::string two = Replaced(kSmall, "[2023-05-01T17:00Z]", "[2023-05-01, 2023-06-01]");
  EXPECT_NE(ErrorOf(Replaced(two, "duration: 1h", "duration: 1h, submit: 2023-05-01T19:00Z"))
                .find("test.yaml:6: a date needs exactly one start date"),
            std::string::npos);
}

TEST(ScenarioConfig, StartDatesByRuleAreAtALocalClockTime) {
  const ScenarioFile file =
      Parse(Replaced(kSmall, "[2023-05-01T17:00Z]",
                     "{from: 2023-01-01, to: 2023-01-03, every: 1d, local_time: \"17:00\", "
                     "utc_offset_hours: -8}"));
  ASSERT_EQ(file.scenario.start_dates.size(), 3u);
  EXPECT_EQ(file.scenario.start_dates[0], *ParseTime("2023-01-02T01:00Z"));
}

TEST(ScenarioConfig, PoliciesTakeTheirOwnOptions) {
  const ScenarioFile file = Parse(std::string(kSmall) + R"(policies:
  - run-now
  - {policy: threshold, label: low, threshold_g_per_kwh: 200}
  - {policy: tiers, tiers: [{name: x, threshold_g_per_kwh: 150, max_delay: 6h, priority: 2}]}
  - {policy: planner, minimum_saving_percent: 5, risk: 0.7}
  - {policy: run-now, devices: 4}
)");
  const auto& policies = file.scenario.policies;
  ASSERT_EQ(policies.size(), 5u);
  EXPECT_EQ(policies[4].label, "run-now on 4");
  EXPECT_EQ(policies[4].options.run_now_devices, 4);
  EXPECT_EQ(policies[1].label, "low");
  EXPECT_EQ(policies[1].options.threshold.threshold->g_per_kwh, 200);
  EXPECT_EQ(policies[2].options.tiers[0].max_delay, Duration{hours{6}});
  EXPECT_DOUBLE_EQ(policies[3].options.planner.minimum_saving_share, 0.05);
  EXPECT_EQ(policies[3].options.planner.prices.risk, 0.7);
}

TEST(ScenarioConfig, TracesLieBesideTheFile) {
  const ScenarioFile file =
      Parse(Replaced(kSmall, "profile: DE", "trace: ../a.csv, zone: DE, pue: 1.2"));
  EXPECT_EQ(file.signals[0].trace_path, "dir/../a.csv");
  EXPECT_EQ(file.signals[0].forecast, signals::ForecastMode::kHistory);
  EXPECT_EQ(file.scenario.cluster.sites[0].pue.ratio, 1.2);
}

TEST(ScenarioConfig, JobsFromACsv) {
  const std::string text =
      Replaced(kSmall, "  - {name: a, duration: 1h, power_w: 300}",
               "  csv: jobs.csv\n  widest: 2\n  rules: [{duration_up_to: 2h, max_delay: 6h}]");
  const ScenarioFile file = Parse(text, "arrival_time,length,cpus\n0,1,1\n1,1,3\n");
  ASSERT_EQ(file.scenario.jobs.size(), 1u);
  EXPECT_EQ(*file.scenario.jobs[0].start_by, Time{hours{6}});
  ASSERT_EQ(file.notes.size(), 1u);
  EXPECT_NE(ErrorOf(text, "arrival_time,length,cpus\n0,1,1\n1,x,1\n").find("dir/jobs.csv:3"),
            std::string::npos);
  EXPECT_NE(ErrorOf(Replaced(text, "jobs.csv", "none.csv")).find("cannot be opened"),
            std::string::npos);
  EXPECT_NE(ErrorOf(Replaced(text, "\n  widest: 2", ""), "arrival_time,length,cpus\n0,1,9\n")
                .find("1 of 1 jobs cannot run"),
            std::string::npos);
}

TEST(ScenarioConfig, OlderNamesOfKeysOfACsvAreRead) {
  const auto jobs = [](const std::string& keys) {
    return Parse(Replaced(kSmall, "  - {name: a, duration: 1h, power_w: 300}",
                          "  csv: jobs.csv\n  " + keys),
                 "arrival_time,length,cpus\n0,1,1\n")
        .scenario.jobs;
  };
  const auto present = jobs(
      "checkpointable: true\n  pause_cost: 1m\n"
      "  rules: [{duration_up_to: 2h, max_delay: 6h}]");
  EXPECT_EQ(jobs("pausable: true\n  pause_overhead: 1m\n"
                 "  rules: [{run_time_up_to: 2h, max_delay: 6h}]"),
            present);
  EXPECT_TRUE(present.at(0).checkpointable && present.at(0).start_by);
}

struct BadFile {
  const char* from;
  const char* to;
  const char* message;
};

TEST(ScenarioConfig, EveryMistakeIsNamedWithItsLine) {
  const BadFile cases[]{
      {"duration: 1h", "duraton: 1h", "test.yaml:6: unknown key \"duraton\""},
      {"duration: 1h", "duraton: 1h", "did you mean \"duration\""},
      {"duration: 1h", "duration: 0s", "test.yaml:6: duration must be a duration"},
      {"duration: 1h", "duration: -1h", "duration must be a duration"},
      {"power_w: 300", "power_w: -3", "power_w must be a number"},
      {", power_w: 300", "", "the job has no power_w"},
      {"power_w: 300", "power_w: 300, energy_kwh: 1", "say the same"},
      {"duration: 1h", "duration: 1h, max_delay: 1h, start_by: 2h", "say the same"},
      {"duration: 1h", "duration: 1h, finish_by: 30m", "cannot end by its finish_by: it takes 1h"},
      {"duration: 1h", "duration: 1h, submit: 2023-05-01T19:00Z, start_by: 2023-05-01T18:00Z",
       "the latest start is before the submission"},
      {"duration: 1h", "duration: 1h, devices: 3", "test.yaml:6: "},
      {"duration: 1h", "duration: 1h, models: [H100]", "H100"},
      {"duration: 1h", "duration: 1h, sites: [moon]", "moon"},
      {"duration: 1h", "duration: 1h, pause_cost: 1m", "no meaning for a job that is not"},
      {"count: 2", "count: 0", "count must be a whole number"},
      {"model: A5000", "model: A5000, site: her", "did you mean \"here\""},
      {"profile: DE", "profile: DF", "has no profile"},
      {"profile: DE", "profile: DE, constant_g_per_kwh: 3", "exactly one of trace"},
      {"profile: DE", "pue: 0.9", "pue must be a number"},
      {"[2023-05-01T17:00Z]", "[2023-02-30]", "test.yaml:7: a start date must be a time"},
      {"[2023-05-01T17:00Z]", "[2023-05-01, 2023-05-01]", "is given twice"},
      {"[2023-05-01T17:00Z]", "recorded", "needs a job trace with dates"},
      {"[2023-05-01T17:00Z]", "{from: 2023-05-02, to: 2023-05-01, every: 1d}", "end before"},
      {"start_dates: [2023-05-01T17:00Z]\n", "", "start_dates is missing"},
      {"start_dates", "forecast: pefect\nstart_dates", "did you mean \"perfect\""},
      {"start_dates", "policies: [planer]\nstart_dates", "did you mean \"planner\""},
      {"start_dates", "policies: [planner, planner]\nstart_dates", "two policies are called"},
      {"start_dates", "policies: [{policy: run-now, slot: 5m}]\nstart_dates",
       "unknown key \"slot\""},
      {"start_dates", "makespan_limit: 5\nstart_dates", "makespan_limit must be a duration"},
      {"jobs:\n  - {name: a, duration: 1h, power_w: 300}\n", "", "jobs is missing"},
      {"jobs:\n  - {name: a, duration: 1h, power_w: 300}\n", "jobs: []\n", "at least one entry"},
      {"jobs:\n  - {name: a, duration: 1h, power_w: 300}\n", "jobs: {}\n", "have a csv file"},
      {"start_dates",
       "published: {source: x, figures: [{name: a, policy: planner, metric: emission_g, published: "
       "1}]}\nstart_dates",
       "did you mean \"emissions_g\""},
      {"start_dates",
       "published: {source: x, figures: [{name: a, policy: tiers, metric: emissions_g, published: "
       "1}]}\nstart_dates",
       "policy \"tiers\" is not in policies"},
  };
  for (const BadFile& bad : cases) {
    const std::string error = ErrorOf(Replaced(kSmall, bad.from, bad.to));
    EXPECT_NE(error.find(bad.message), std::string::npos) << bad.to << "\n" << error;
  }
}

TEST(ScenarioConfig, AllMistakesAreReportedAtOnce) {
  const std::string error =
      ErrorOf(Replaced(Replaced(kSmall, "duration: 1h", "duration: x"), "count: 2", "count: two"));
  EXPECT_NE(error.find("mistakes"), std::string::npos);
  EXPECT_NE(error.find("test.yaml:4"), std::string::npos);
  EXPECT_NE(error.find("test.yaml:6"), std::string::npos);
}

TEST(ScenarioConfig, AnArchivedForecastNeedsATraceToHoldIt) {
  const std::string error = ErrorOf(std::string(kSmall) + "forecast: archived\n");
  EXPECT_NE(error.find("dir/test.yaml"), std::string::npos) << error;
  EXPECT_NE(error.find("no trace"), std::string::npos) << error;
}

TEST(ScenarioConfig, AQueueFileMayLeaveOutSitesAndStartDates) {
  ScenarioContext context = Context();
  context.use = ScenarioUse::kPlan;
  context.moment = *ParseTime("2023-05-01T17:00Z");
  context.default_signal = signals::SignalOptions{};
  const auto file = ParseScenario(
      "devices: [{model: cpu}]\njobs: [{duration: 1h, power_w: 9, submit: 2023-05-01T16:00Z}]",
      context);
  ASSERT_TRUE(file.has_value()) << file.error().Message();
  EXPECT_EQ(file->scenario.start_dates, std::vector{*context.moment});
  EXPECT_EQ(file->scenario.jobs[0].submitted, Time{-hours{1}});
  EXPECT_EQ(file->scenario.cluster.sites.size(), 1u);
}

// A shipped scenario either has all its data in this project, or says how to get it.
TEST(ShippedScenarios, AllLoad) {
  int count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(SourceTree() + "/configs/scenarios")) {
    ScenarioContext context;
    context.path = entry.path().string();
    const auto file = LoadScenario(context);
    ++count;
    if (!file) {
      EXPECT_NE(file.error().Message().find("gaia_pai_100k.csv: cannot open"), std::string::npos)
          << file.error().Message();
      EXPECT_NE(file.error().Message().find("curl --create-dirs"), std::string::npos)
          << file.error().Message();
      continue;
    }
    for (const signals::SignalOptions& signal : file->signals)
      EXPECT_TRUE(signal.trace_path.empty() || !signal.how_to_get.empty() ||
                  std::filesystem::exists(signal.trace_path))
          << context.path << " needs " << signal.trace_path;
  }
  EXPECT_GE(count, 8);
}

TEST(ScenarioConfig, AMissingFileSaysHowToGetIt) {
  const std::string jobs = Replaced(kSmall, "  - {name: a, duration: 1h, power_w: 300}",
                                    "  csv: none.csv\n  how_to_get: ask GAIA");
  EXPECT_NE(ErrorOf(jobs).find("(ask GAIA)"), std::string::npos);
  const ScenarioFile file =
      Parse(Replaced(kSmall, "profile: DE", "zone: DE, trace: none.csv, how_to_get: import it"));
  EXPECT_EQ(file.signals[0].how_to_get, "import it");
  EXPECT_NE(ErrorOf(Replaced(kSmall, "profile: DE", "profile: DE, how_to_get: x"))
                .find("for traces only"),
            std::string::npos);
}

TEST(ChoosePolicies, TakesLabelsFirstThenNames) {
  const std::vector<sim::PolicyChoice> choices{{"low", "threshold", {}}};
  const auto chosen = ChoosePolicies(choices, {"low", "edf", "window"});
  ASSERT_TRUE(chosen.has_value());
  EXPECT_EQ((*chosen)[2].policy, "lowest-window") << "a short name";
  EXPECT_EQ((*chosen)[0].policy, "threshold");
  EXPECT_EQ((*chosen)[1].policy, "edf");
  EXPECT_FALSE(ChoosePolicies(choices, {"lo"}).has_value());
}

}  // namespace
}  // namespace ebb::config
