// `ebb track` as a user of CodeCarbon runs it: its settings, its habits, its emissions.csv.

#include <map>

#include "cli_fixture.h"

namespace ebb {
namespace {

class CodeCarbon : public Cli {
 protected:
  void SetUp() override {
    Cli::SetUp();
    ::setenv("HOME", directory_.c_str(), 1);
    for (const char* name : {"CODECARBON_PROJECT_NAME", "CODECARBON_PUE", "CODECARBON_API_KEY"})
      ::unsetenv(name);
  }

  using Row = std::map<std::string, std::string>;
  static std::vector<std::string> Fields(const std::string& line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        fields.emplace_back();
      else
        fields.back() += c;
    }
    return fields;
  }
  std::vector<Row> Rows(const std::string& file) {
    std::istringstream text(Read(directory_ / file));
    std::string line;
    std::getline(text, line);
    const auto names = Fields(line);
    std::vector<Row> rows;
    while (std::getline(text, line)) {
      const auto fields = Fields(line);
      EXPECT_EQ(fields.size(), names.size()) << line;
      Row row;
      for (std::size_t i = 0; i < names.size() && i < fields.size(); ++i) row[names[i]] = fields[i];
      rows.push_back(row);
    }
    return rows;
  }
};

TEST_F(CodeCarbon, OfflineByCountryAddsARowPerRun) {
  for (const char* code : {"0", "3"}) {
    const Outcome outcome = Ebb({"track", "--offline", "--country-iso-code", "FRA", "--cpu-tdp",
                                 "100", "--ram-power", "3600", "--interval", "20ms", "--", "sh",
                                 "-c", "sleep 0.1; exit " + std::string(code)});
    EXPECT_EQ(outcome.code, std::atoi(code)) << outcome.err;
    EXPECT_TRUE(Contains(outcome.err, "yearly average 2023 of France")) << outcome.err;
  }
  const auto rows = Rows("emissions.csv");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_NE(rows[0].at("run_id"), rows[1].at("run_id"));
  for (const Row& row : rows) {
    EXPECT_EQ(row.size(), 38u);
    EXPECT_EQ(row.at("country_iso_code"), "FRA");
    EXPECT_EQ(row.at("country_name"), "France");
    EXPECT_EQ(row.at("tracking_mode"), "process");
    const double kwh = std::atof(row.at("energy_consumed").c_str());
    EXPECT_GT(kwh, 0);
    EXPECT_NEAR(std::atof(row.at("emissions").c_str()) / kwh, 0.056039, 1e-6);
  }
}

TEST_F(CodeCarbon, UpdateReplacesTheRowOfAResumedRunAndAppendAddsOne) {
  // The program pauses the first time and completes the second time.
  const std::vector<std::string> command{"sh", "-c", "[ \"$EBB_RESUME\" = 1 ] || exit 75"};
  const auto track = [&](std::vector<std::string> flags) {
    flags.insert(flags.begin(), "track");
    flags.push_back("--");
    flags.insert(flags.end(), command.begin(), command.end());
    return Ebb(flags).code;
  };
  EXPECT_EQ(track({"--emissions-file", "u.csv", "--csv-write", "update", "--run-dir", "u"}), 75);
  EXPECT_EQ(track({"--emissions-file", "a.csv", "--run-dir", "a"}), 75);
  EXPECT_EQ(Ebb({"resume", "u"}).code, 0);
  EXPECT_EQ(Ebb({"resume", "a"}).code, 0);
  EXPECT_EQ(Rows("u.csv").size(), 1u);
  ASSERT_EQ(Rows("a.csv").size(), 2u);
  EXPECT_EQ(Rows("a.csv")[0].at("run_id"), Rows("a.csv")[1].at("run_id"));
}

TEST_F(CodeCarbon, SettingsComeFromFlagsThenTheEnvironmentThenFiles) {
  Write(".codecarbon.config",
        "[codecarbon]\nproject_name = from_file\npue = 1.5\noutput_file = mine.csv\n"
        "country_iso_code = DEU\napi_key = s3cret\nexperiment_id = e1\n");
  ::setenv("CODECARBON_PROJECT_NAME", "from_environment", 1);
  const Outcome outcome = Ebb({"track", "--pue", "1.1", "--", "true"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Contains(outcome.err, "api_key")) << outcome.err;
  EXPECT_FALSE(Contains(outcome.err, "s3cret")) << outcome.err;
  const auto rows = Rows("mine.csv");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("project_name"), "from_environment");
  EXPECT_EQ(rows[0].at("pue"), "1.1");
  EXPECT_EQ(rows[0].at("country_iso_code"), "DEU");
  EXPECT_EQ(rows[0].at("experiment_id"), "e1");
}

TEST_F(CodeCarbon, WithoutSettingsThereIsNoSharedFile) {
  EXPECT_EQ(Ebb({"track", "--constant", "1", "--", "true"}).code, 0);
  EXPECT_FALSE(fs::exists(directory_ / "emissions.csv"));
}

TEST_F(CodeCarbon, MistakesAreNamedBeforeTheCommandRuns) {
  ::setenv("CODECARBON_PUE", "lots", 1);
  Outcome outcome = Ebb({"track", "--", "touch", "ran"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(Contains(outcome.err, "CODECARBON_PUE: pue: \"lots\" is not accepted"))
      << outcome.err;
  ::unsetenv("CODECARBON_PUE");
  outcome = Ebb({"track", "--offline", "--country-iso-code", "UK", "--", "touch", "ran"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(Contains(outcome.err, "did you mean \"GBR\"")) << outcome.err;
  outcome = Ebb({"track", "--emissions-file", "no/such/e.csv", "--", "touch", "ran"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(Contains(outcome.err, "no/such: the directory does not exist")) << outcome.err;
  EXPECT_FALSE(fs::exists(directory_ / "ran"));
}

TEST_F(CodeCarbon, AFileThatCannotBeWrittenInTheEndLosesNoRun) {
  const Outcome outcome = Ebb({"track", "--emissions-file", "e.csv", "--run-dir", "r", "--", "sh",
                               "-c", "mkdir e.csv; exit 5"});
  EXPECT_EQ(outcome.code, 5) << "the command's own";
  EXPECT_TRUE(Contains(outcome.err, "ebb summary r --emissions-file e.csv")) << outcome.err;
  EXPECT_TRUE(fs::exists(directory_ / "r" / "summary.json"));
  fs::remove(directory_ / "e.csv");
  EXPECT_EQ(Ebb({"summary", "r", "--emissions-file", "e.csv"}).code, 0);
  EXPECT_EQ(Rows("e.csv").size(), 1u);
}

TEST_F(CodeCarbon, WithoutACommandTheMachineIsMeasuredUntilCtrlC) {
  const pid_t pid = Start({"track", "--no-api", "--country-iso-code", "FRA", "--interval", "20ms",
                           "--run-dir", "r", "--prometheus-file", "ebb.prom"});
  WaitFor(directory_ / "ebb.prom");
  ::kill(pid, SIGINT);
  const Outcome outcome = Finish(pid);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto rows = Rows("emissions.csv");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("tracking_mode"), "machine");
  EXPECT_EQ(rows[0].at("project_name"), "machine");
  EXPECT_TRUE(Contains(Read(directory_ / "ebb.prom"), "\ncodecarbon_energy_total{"));
}

TEST_F(CodeCarbon, CtrlCEndsACommandThatDoesNotHear) {
  const pid_t pid =
      Start({"track", "--constant", "1", "--stop-grace", "40ms", "--run-dir", "r", "--", "sh", "-c",
             "trap '' INT TERM; touch ready; while :; do sleep 0.02; done"});
  WaitFor(directory_ / "ready");
  ::kill(pid, SIGINT);
  EXPECT_EQ(Finish(pid).code, 130);
  EXPECT_TRUE(fs::exists(directory_ / "r" / "summary.json")) << "what was measured is kept";
}

}  // namespace
}  // namespace ebb
