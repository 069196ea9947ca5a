// The command line as a user runs it: real processes, real files, wrong inputs, Ctrl-C in the
// middle.

#include "cli_fixture.h"

namespace ebb {
namespace {

// 00:00-01:00 dirty, 01:00-02:00 dirtier, 02:00-06:00 clean, then dirty again.
std::string Trace() {
  std::string csv = "timestamp,carbon_intensity\n";
  for (int day = 1; day <= 4; ++day) {
    for (int hour = 0; hour < 24; ++hour) {
      char line[64];
      const int value = hour < 1 ? 400 : hour < 2 ? 500 : hour < 6 ? 100 : 450;
      std::snprintf(line, sizeof line, "2023-05-%02dT%02d:00:00Z,%d\n", day, hour, value);
      csv += line;
    }
  }
  return csv;
}

TEST_F(Cli, VersionAndHelp) {
  EXPECT_TRUE(Contains(Ebb({"--version"}).out, "ebb "));
  const Outcome help = Ebb({"run", "--help"});
  EXPECT_EQ(help.code, 0);
  EXPECT_TRUE(Contains(help.out, "Examples:"));
  EXPECT_EQ(Ebb({}).code, 2);
}

TEST_F(Cli, HelpAndVersionAreWords) {
  EXPECT_EQ(Ebb({"version"}).out, Ebb({"--version"}).out);
  EXPECT_EQ(Ebb({"help"}).out, Ebb({"--help"}).out);
  EXPECT_EQ(Ebb({"help"}).code, 0);
  EXPECT_EQ(Ebb({"help", "submit"}).out, Ebb({"submit", "--help"}).out);
  EXPECT_EQ(Ebb({"help", "sbmit"}).code, 2);
}

// -- is needed for a command whose name begins with a dash. Any other command begins at its first
// word.
TEST_F(Cli, TheCommandBeginsAtTheFirstWordThatIsNotAFlag) {
  const std::vector<std::string> flags{"track", "--constant", "360", "--interval=20ms", "--quiet"};
  const auto run = [&](const std::string& directory, const std::vector<std::string>& command) {
    std::vector<std::string> words = flags;
    words.insert(words.end(), {"--run-dir", directory});
    words.insert(words.end(), command.begin(), command.end());
    return Ebb(words);
  };
  EXPECT_EQ(run("a", {"echo", "--quiet", "--", "-x"}).out, "--quiet -- -x\n");
  EXPECT_EQ(run("b", {"--", "sh", "-c", "echo $0", "--help"}).out, "--help\n");
  EXPECT_EQ(run("c", {"sh", "-c", "exit 3"}).code, 3);
  const Outcome unknown = run("d", {"--trehsold", "200", "true"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(Contains(unknown.err, "--trehsold")) << unknown.err;
  EXPECT_FALSE(fs::exists(directory_ / "d")) << "a misspelt flag is not a command";
  EXPECT_TRUE(Contains(Ebb({"run", "--help"}).out, "[COMMAND...]")) << Ebb({"run", "--help"}).out;
}

TEST_F(Cli, WhatIsNotACommandIsRefusedWhateverFollows) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"top", "--help"},
                                                {"quue"},
                                                {"quue", "--help"},
                                                {"help", "quue"},
                                                {"quue", "--", "--help"}}) {
    const Outcome outcome = Ebb(words);
    EXPECT_EQ(outcome.code, 2) << words[0];
    EXPECT_EQ(outcome.out, "") << words[0];
    EXPECT_TRUE(Contains(outcome.err, "is not a command")) << outcome.err;
    EXPECT_EQ(Contains(outcome.err, "did you mean \"queue\"?"), words[0] != "top") << outcome.err;
  }
}

TEST_F(Cli, CommandsAreInGroups) {
  const std::string help = Ebb({"--help"}).out;
  std::size_t last = 0;
  for (const char* heading :
       {"One run", "The queue", "Results", "Clusters", "Grid and data", "Set-up"}) {
    const std::size_t at = help.find("\n" + std::string(heading) + ":\n");
    ASSERT_NE(at, std::string::npos) << heading << "\n" << help;
    EXPECT_GT(at, last) << heading;
    last = at;
  }
  EXPECT_FALSE(Contains(help, "supervise")) << help;
}

TEST_F(Cli, ANumberWithoutAUnitIsRefusedWithBothReadings) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"run", "--start-by", "24", "true"},
        {"run", "--duration", "24", "true"},
        {"track", "--stop-grace", "24", "true"},
        {"submit", "--dry-run", "--start-by", "24", "true"},
        {"submit", "--dry-run", "--time-limit", "24", "true"},
        {"submit", "--dry-run", "--name", "n", "--cron", "@daily", "--flexibility", "24",
         "true"}}) {
    const Outcome outcome = Ebb(words);
    EXPECT_EQ(outcome.code, 2) << words[1];
    EXPECT_TRUE(Contains(outcome.err, "24h") && Contains(outcome.err, "24s")) << outcome.err;
  }
}

// docs/commands.md, Exit codes: the same code for every kind of missing thing.
TEST_F(Cli, WhatIsNotThereIsUnavailable) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"summary", "nosuch"},
           {"resume", "no/such"},
           {"compare", "nosuch"},
           {"audit", "nosuch"},
           {"plan", "nosuch.yaml"},
           {"simulate", "nosuch.yaml"},
           {"train", "nosuch.yaml"},
           {"submit", "nosuch.yaml"},
           {"sweep", "run", "nosuch.yaml"},
           {"sweep", "report", "nosuch"},
           {"report", "merge", "nosuch"},
           {"report", "settle", "nosuch"},
           {"report", "period", "--from", "2026-10-01", "--to", "2026-10-02", "nosuch"},
           {"prices", "nosuch"},
           {"data", "import", "nosuch"},
           {"store", "check", "--store", "nosuch"},
           {"queue", "--store", "nosuch"},
           {"grid", "--trace", "nosuch", "--grid-start", "2023-01-01"}}) {
    const Outcome outcome = Ebb(words);
    EXPECT_EQ(outcome.code, 4) << words[0] << ": " << outcome.err;
    EXPECT_TRUE(Contains(outcome.err, "such")) << outcome.err;
  }
}

// The zone decides every figure in grams, so Ebb says which zone it uses and why.
TEST_F(Cli, TheZoneIsNeverGuessedSilently) {
  const std::vector<std::string> track{"track", "--interval", "20ms", "true"};
  EXPECT_TRUE(Contains(Ebb({"grid"}).out, "zone of EBB_ZONE"));
  ::unsetenv("EBB_ZONE");
  ::setenv("TZ", "Europe/Berlin", 1);
  const Outcome berlin = Ebb(track);
  EXPECT_EQ(berlin.code, 0) << berlin.err;
  EXPECT_TRUE(Contains(berlin.err, "DE, average")) << berlin.err;
  EXPECT_TRUE(Contains(berlin.err, "a guess")) << berlin.err;
  EXPECT_TRUE(Contains(berlin.err, "run ebb init, or give --zone DE")) << berlin.err;
  ::setenv("TZ", "Europe/Rome", 1);
  const Outcome rome = Ebb(track);
  EXPECT_EQ(rome.code, 0) << rome.err;
  EXPECT_TRUE(Contains(rome.err, "--zone IT")) << rome.err;
  ::setenv("TZ", "UTC", 1);
  const Outcome nowhere = Ebb(track);
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_TRUE(Contains(nowhere.err, "run ebb init")) << nowhere.err;
  EXPECT_EQ(Ebb({"track", "--constant", "100", "true"}).code, 0) << "it needs none";
  EXPECT_EQ(Ebb({"track", "--zone", "FR", "true"}).code, 0);
  ::unsetenv("TZ");
}

TEST_F(Cli, ATimeOfDayIsByTheClockOfThePerson) {
  ::setenv("TZ", "Asia/Kolkata", 1);
  const Outcome outcome =
      Ebb({"submit", "--dry-run", "--start-by", "tomorrow 06:00", "--finish-by", "+30h", "true"});
  ::unsetenv("TZ");
  const auto job = nlohmann::json::parse(outcome.out);
  EXPECT_TRUE(job.at("start_by").get<std::string>().ends_with("T00:30:00Z")) << job;
  EXPECT_EQ(job.at("finish_by"), "108000000ms") << job;
}

TEST_F(Cli, TooManyAndTooFewWordsAreSaidPlainly) {
  const std::map<std::vector<std::string>, std::string> said{
      {{"queue", "--limit", "3", "--limit", "4"}, "--limit is given more than once"},
      {{"queue", "--limit"}, "--limit needs a value: N"},
      {{"serve", "extra"}, "\"extra\" is not expected here"},
      {{"serve", "two", "words"}, "not expected here:"}};
  for (const auto& [arguments, text] : said) {
    const Outcome outcome = Ebb(arguments);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    EXPECT_TRUE(Contains(outcome.err, text)) << outcome.err;
  }
}

TEST_F(Cli, MisspeltCommandsAndFlagsGetASuggestion) {
  const Outcome command = Ebb({"trian", "x.yaml"});
  EXPECT_EQ(command.code, 2);
  EXPECT_TRUE(Contains(command.err, "did you mean \"train\"")) << command.err;
  const Outcome flag = Ebb({"run", "--treshold", "200", "--", "true"});
  EXPECT_EQ(flag.code, 2);
  EXPECT_TRUE(Contains(flag.err, "did you mean \"--threshold\"")) << flag.err;
}

TEST_F(Cli, TrackMeasuresAndPassesTheExitCodeThrough) {
  const Outcome outcome =
      Ebb({"track", "--constant", "360", "--interval", "20ms", "--run-dir", "r", "--", "sh", "-c",
           "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo hello; exit 7"});
  EXPECT_EQ(outcome.code, 7);
  EXPECT_EQ(outcome.out, "hello\n") << "the command's own output is untouched";
  const auto summary = Summary("r");
  EXPECT_EQ(summary.at("schema"), "ebb.summary/1");
  EXPECT_GT(summary.at("energy").at("it_j").get<double>(), 0);
  EXPECT_TRUE(fs::exists(directory_ / "r" / "emissions.csv"));
}

TEST_F(Cli, ACommandThatIsNotThereIs127AndOneThatIsKilledIs128PlusN) {
  const Outcome missing = Ebb({"track", "--run-dir", "a", "--", "ebb-no-such-command"});
  EXPECT_EQ(missing.code, 127);
  EXPECT_TRUE(Contains(missing.err, "ebb-no-such-command: command not found")) << missing.err;
  EXPECT_FALSE(fs::exists(directory_ / "a")) << "a run that cannot start leaves nothing";
  const Outcome waiting =
      Ebb({"run", "--threshold", "1", "--start-by", "1h", "ebb-no-such-command"});
  EXPECT_EQ(waiting.code, 127) << "said before anything waits";
  EXPECT_EQ(Ebb({"track", "--run-dir", "b", "--", "sh", "-c", "kill -9 $$"}).code, 137);
  EXPECT_TRUE(fs::exists(directory_ / "b" / "summary.json")) << "what was measured is kept";
  EXPECT_EQ(Ebb({"track", "--scope", "process"}).code, 2);
}

TEST_F(Cli, CompareCallsRunsByTheirScriptAndSkipsWhatNeverStarted) {
  Write("train.sh", "exit 0");
  Write("eval.sh", "exit 0");
  for (const char* script : {"train.sh", "eval.sh"})
    ASSERT_EQ(Ebb({"track", "--constant", "100", "--quiet", "--", "sh", script}).code, 0);
  // A program that exists and is executable, but cannot be started.
  Write("gone", "#!/no/such/interpreter\n");
  fs::permissions(directory_ / "gone", fs::perms::owner_all);
  EXPECT_EQ(Ebb({"track", "--constant", "100", "--quiet", "--name", "gone", "--", "./gone"}).code,
            127);
  std::vector<std::string> arguments{"compare"};
  for (const auto& entry : fs::directory_iterator(directory_ / "runs"))
    arguments.push_back(entry.path());
  EXPECT_EQ(arguments.size(), 4u);
  const Outcome refused = Ebb(arguments);
  EXPECT_EQ(refused.code, 2) << refused.out;
  EXPECT_TRUE(Contains(refused.err, "unlike programs")) << refused.err;
  arguments.push_back("--unlike");
  const Outcome outcome = Ebb(arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Contains(outcome.out, "one run each: no verdict")) << outcome.out;
  EXPECT_TRUE(Contains(outcome.out, "train.sh (1 run)")) << outcome.out;
  EXPECT_TRUE(Contains(outcome.out, "eval.sh (1 run)")) << outcome.out;
  EXPECT_TRUE(Contains(outcome.out, ": its program never started.")) << outcome.out;
  EXPECT_FALSE(Contains(outcome.out, "n = 0")) << outcome.out;
}

TEST_F(Cli, ThresholdWaitsForTheCleanHoursAndTellsWhatItSaved) {
  Write("trace.csv", Trace());
  const Outcome outcome = Ebb({"run", "--threshold", "150", "--trace", "trace.csv", "--grid-start",
                               "2023-05-02T00:00Z", "--skip-waits", "--run-dir", "r", "--", "sh",
                               "-c", "echo $CG_SCHEDULED_AT $CG_CARBON_INTENSITY"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "2023-05-02T02:00:00Z 100.0\n");
  EXPECT_TRUE(Contains(outcome.err, "replayed")) << outcome.err;
  EXPECT_TRUE(Contains(Read(directory_ / "r" / "decisions.jsonl"), "above_threshold"));
  EXPECT_TRUE(fs::exists(directory_ / "r" / "summary_sh.json"));
}

// An hour is not known before it has been published, so a gate that waits for the first hour after
// the dirty ones starts at its publication.
TEST_F(Cli, AReplayedHourIsKnownOnlyOnceItWasPublished) {
  std::string csv = "timestamp,carbon_intensity\n";
  for (int hour = 0; hour < 24; ++hour) {
    char line[64];
    std::snprintf(line, sizeof line, "2023-05-01T%02d:00:00Z,%d\n", hour, hour < 6 ? 400 : 100);
    csv += line;
  }
  Write("trace.csv", csv);
  const auto started = [&](const char* lag) {
    const Outcome outcome =
        Ebb({"run", "--threshold", "150", "--trace", "trace.csv", "--publication-lag", lag,
             "--grid-start", "2023-05-01T03:00Z", "--start-by", "20h", "--skip-waits", "--run-dir",
             std::string("r-") + lag, "--", "sh", "-c", "echo $CG_SCHEDULED_AT"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return outcome.out;
  };
  EXPECT_EQ(started("none"), "2023-05-01T06:00:00Z\n");
  EXPECT_EQ(started("20m"), "2023-05-01T07:20:00Z\n");
  EXPECT_EQ(started("1h"), "2023-05-01T08:00:00Z\n");
}

TEST_F(Cli, WindowAvoidsAStartThatEndsInTheRamp) {
  Write("trace.csv", Trace());
  // At 05:00 the present minute is clean, but the next four hours are not. Tomorrow's 02:00-06:00
  // is clean.
  const Outcome outcome =
      Ebb({"run", "--policy", "window", "--duration", "4h", "--start-by", "24h", "--trace",
           "trace.csv", "--grid-start", "2023-05-02T05:00Z", "--skip-waits", "--run-dir", "r", "--",
           "sh", "-c", "echo $CG_SCHEDULED_AT"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "2023-05-03T02:00:00Z\n");
}

TEST_F(Cli, StoppingAtTheDeadlineIsTryLater) {
  const Outcome outcome = Ebb({"run", "--threshold", "10", "--constant", "400", "--start-by", "2h",
                               "--at-deadline", "stop", "--grid-start", "2023-05-01",
                               "--skip-waits", "--run-dir", "r", "--", "touch", "started"});
  EXPECT_EQ(outcome.code, 75) << outcome.err;
  EXPECT_FALSE(fs::exists(directory_ / "started"));
}

TEST_F(Cli, AnUnreachableAddressNeverBecomesMadeUpData) {
  // Port 9 on loopback refuses at once.
  const Outcome outcome =
      Ebb({"run", "--threshold", "300", "--api-url", "http://127.0.0.1:9/x", "--start-by", "300ms",
           "--refresh", "100ms", "--run-dir", "r", "--", "true"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(Contains(Read(directory_ / "r" / "decisions.jsonl"), "signal_missing"));
  EXPECT_TRUE(Contains(Read(directory_ / "r" / "decisions.jsonl"), "latest_start"));
  EXPECT_TRUE(Contains(outcome.err, "unknown")) << outcome.err;
  EXPECT_FALSE(Contains(outcome.err, "modelled")) << outcome.err;
}

TEST_F(Cli, CtrlCWhileWaitingEndsCleanlyAndTheRunCanBeContinued) {
  const pid_t pid = Start({"run", "--threshold", "10", "--constant", "400", "--start-by", "10h",
                           "--run-dir", "r", "--", "true"});
  WaitFor(directory_ / "r" / "decisions.jsonl");
  while (!Contains(Read(directory_ / "r" / "decisions.jsonl"), "threshold_out_of_reach"))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(pid, SIGINT);
  const Outcome outcome = Finish(pid);
  EXPECT_EQ(outcome.code, 130);
  EXPECT_TRUE(Contains(outcome.err, "ebb resume r")) << outcome.err;
  const Outcome resumed = Ebb({"resume", "r", "--policy", "now"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
}

TEST_F(Cli, APausedRunResumesAsOneRunAndItsLedgerAddsUp) {
  const std::string program =
      "if [ \"$EBB_RESUME\" = 1 ]; then [ -f \"$EBB_CHECKPOINT_DIR/state\" ] || exit 3; exit 0; fi;"
      "mkdir -p \"$EBB_CHECKPOINT_DIR\"; trap 'echo x > \"$EBB_CHECKPOINT_DIR/state\"; exit 75' "
      "TERM;"
      "touch up; while :; do sleep 0.01; done";
  const pid_t pid = Start({"run", "--constant", "200", "--interval", "20ms", "--run-dir", "r", "--",
                           "sh", "-c", program});
  WaitFor(directory_ / "up");
  ::kill(pid, SIGTERM);
  EXPECT_EQ(Finish(pid).code, 75);
  const auto first = Summary("r");
  const Outcome resumed = Ebb({"resume", "r"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  const auto both = Summary("r");
  std::int64_t in_ledger = 0;
  std::istringstream ledger(Read(directory_ / "r" / "ledger.jsonl"));
  for (std::string line; std::getline(ledger, line);)
    in_ledger += nlohmann::json::parse(line).at("energy_uj").get<std::int64_t>();
  const auto microjoules = [](const nlohmann::json& summary) {
    return std::llround(summary.at("energy").at("it_j").get<double>() * 1e6);
  };
  EXPECT_EQ(microjoules(both), in_ledger);
  EXPECT_GT(in_ledger, microjoules(first));
  EXPECT_EQ(Ebb({"resume", "r"}).code, 2) << "a run that is done is not run again";
}

TEST_F(Cli, ASecondSignalWaterAndEmbodiedEmissionsStandBesideTheTotals) {
  Write("marginal.csv", Trace());
  const Outcome outcome = Ebb({"track",
                               "--scope",
                               "machine",
                               "--cpu-tdp",
                               "1",
                               "--ram-power",
                               "3600",
                               "--interval",
                               "20ms",
                               "--constant",
                               "100",
                               "--grid-start",
                               "2023-05-02T00:30Z",
                               "--other-trace",
                               "marginal.csv",
                               "--other-kind",
                               "marginal",
                               "--pue",
                               "1.5",
                               "--wue",
                               "2",
                               "--embodied-kg",
                               "3504",
                               "--embodied-share",
                               "0.5",
                               "--run-dir",
                               "r",
                               "--",
                               "sleep",
                               "0.2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto summary = Summary("r");
  const double kwh = summary.at("energy").at("it_kwh").get<double>();
  EXPECT_NEAR(summary.at("emissions_g").get<double>(), kwh * 1.5 * 100, 1e-9);
  const auto& other = summary.at("other_signal");
  EXPECT_EQ(other.at("kind"), "marginal");
  EXPECT_NEAR(other.at("emissions_g").get<double>(), kwh * 1.5 * 400, 1e-9);
  EXPECT_NEAR(summary.at("water_l").get<double>(), kwh * 2, 1e-12) << "IT energy, not facility";
  const double hours = summary.at("running_time_s").get<double>() / 3600;
  EXPECT_NEAR(summary.at("embodied").at("emissions_g").get<double>(), 3504e3 * hours / 35040 / 2,
              1e-9);
  const Outcome same = Ebb({"track", "--constant", "100", "--other-constant", "9", "--", "true"});
  EXPECT_EQ(same.code, 3);
  EXPECT_TRUE(Contains(same.err, "both signals are average")) << same.err;
}

TEST_F(Cli, RanksThatMeterOneMachineMergeIntoOneRun) {
  const std::vector<std::string> rank{
      "track",        "--scope", "machine", "--interval", "20ms",  "--constant", "100",
      "--output-dir", "runs",    "--quiet", "--",         "sleep", "0.1"};
  ASSERT_EQ(Ebb(rank).code, 0);
  ASSERT_EQ(Ebb(rank).code, 0);
  std::vector<std::string> merge{"report", "merge"};
  double joules = 0;
  for (const auto& entry : fs::directory_iterator(directory_ / "runs")) {
    merge.push_back(entry.path().string());
    joules +=
        Summary("runs/" + entry.path().filename().string()).at("energy").at("it_j").get<double>();
  }
  for (const char* word : {"--output-dir", "whole", "--name", "job"}) merge.push_back(word);
  const Outcome merged = Ebb(merge);
  ASSERT_EQ(merged.code, 0) << merged.err;
  EXPECT_NEAR(Summary("whole").at("energy").at("it_j").get<double>(), joules, 1e-6)
      << "one after the other: nothing overlaps";
  EXPECT_EQ(Summary("whole").at("attempts"), 2);
  const Outcome again = Ebb({"report", "merge", "whole", merge[2], "--format", "json"});
  EXPECT_NEAR(nlohmann::json::parse(again.out).at("energy").at("it_j").get<double>(), joules, 1e-6)
      << "a member given twice counts once";
  EXPECT_EQ(Ebb(merge).code, 3) << "a directory that holds a run is not written over";
  EXPECT_EQ(Ebb({"report", "merg", "whole"}).code, 2);
  EXPECT_EQ(Ebb({"report", "merge", "nothing"}).code, 4);
}

TEST_F(Cli, ABudgetStopsARunOnceAndOnlyMoreOfItContinuesIt) {
  // The memory draws 3.6 kW whatever runs, so 0.0005 kWh last half a second.
  const Outcome stopped =
      Ebb({"track", "--scope", "machine", "--cpu-tdp", "1", "--ram-power", "3600", "--interval",
           "20ms", "--constant", "100", "--budget-kwh", "0.0005", "--run-dir", "r", "--", "sh",
           "-c", "trap 'exit 75' TERM; while :; do sleep 0.01; done"});
  EXPECT_EQ(stopped.code, 75) << stopped.err;
  EXPECT_TRUE(Contains(stopped.err, "budget warning")) << stopped.err;
  auto summary = Summary("r");
  EXPECT_EQ(summary.at("outcome"), "stopped_by_budget");
  EXPECT_LE(summary.at("energy").at("facility_j").get<double>(), 1800 + 100)
      << "at most one sample (72 J) more";
  const Outcome refused = Ebb({"resume", "r"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(Contains(refused.err, "stopped by its budget of 1800 J")) << refused.err;
  EXPECT_TRUE(Contains(refused.err, "--budget-kwh with more than 0.000500")) << refused.err;
  EXPECT_TRUE(Contains(refused.err, "--budget-kwh")) << refused.err;
  EXPECT_EQ(Ebb({"resume", "r", "--budget-kwh", "0.001"}).code, 75);
  summary = Summary("r");
  EXPECT_EQ(summary.at("attempts"), 2);
  EXPECT_LE(summary.at("energy").at("facility_j").get<double>(), 3600 + 100);
  const std::string events = Read(directory_ / "r" / "budget.jsonl");
  EXPECT_TRUE(Contains(events, "\"event\":\"reached\",\"attempt\":2")) << events;
  EXPECT_TRUE(Contains(Ebb({"resume", "r"}).err, "its budget of 1.00 Wh"))
      << "the raised one is the one in force";
  EXPECT_EQ(Ebb({"track", "--on-budget", "log", "--run-dir", "x", "--", "true"}).code, 3)
      << "what happens to a budget that is not there";
}

TEST_F(Cli, ABudgetPausesARunAndAResumeGoesOnBeyondIt) {
  const Outcome paused = Ebb({"track",
                              "--scope",
                              "machine",
                              "--cpu-tdp",
                              "1",
                              "--ram-power",
                              "3600",
                              "--interval",
                              "20ms",
                              "--constant",
                              "100",
                              "--budget-g",
                              "0.05",
                              "--on-budget",
                              "pause",
                              "--run-dir",
                              "r",
                              "--",
                              "sh",
                              "-c",
                              "trap 'exit 75' TERM; [ \"$EBB_RESUME\" = 1 ] && exit 0; "
                              "while :; do sleep 0.01; done"});
  EXPECT_EQ(paused.code, 75) << paused.err;
  EXPECT_EQ(Summary("r").at("outcome"), "paused");
  const Outcome resumed = Ebb({"resume", "r"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_FALSE(Contains(resumed.err, "budget warning")) << resumed.err;
  EXPECT_EQ(Summary("r").at("outcome"), "done");
}

TEST_F(Cli, KillNineOfEbbLeavesAReadableRun) {
  const pid_t pid = Start({"track", "--constant", "200", "--interval", "20ms", "--run-dir", "r",
                           "--", "sh", "-c", "echo $$ > pid; sleep 30"});
  while (!Contains(Read(directory_ / "r" / "ledger.jsonl"), "\n"))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ::kill(pid, SIGKILL);
  Finish(pid);
  ::kill(std::stoi(Read(directory_ / "pid")), SIGKILL);
  const Outcome summary = Ebb({"summary", "r"});
  EXPECT_EQ(summary.code, 0) << summary.err;
}

TEST_F(Cli, AnOutputDirectoryThatCannotBeWrittenIsNamedBeforeAnythingRuns) {
  const Outcome outcome = Ebb({"track", "--output-dir", "/proc/ebb", "--", "touch", "started"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(Contains(outcome.err, "/proc/ebb")) << outcome.err;
  EXPECT_FALSE(fs::exists(directory_ / "started"));
}

TEST_F(Cli, BadTracesAreNamedWithFileAndLine) {
  Write("bad.csv",
        "timestamp,carbon_intensity\n2023-05-01T00:00:00Z,100\n2023-05-01T01:00:00Z,-5\n");
  const Outcome outcome = Ebb({"grid", "--trace", "bad.csv", "--grid-start", "2023-05-01"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(Contains(outcome.err, "bad.csv:3")) << outcome.err;
}

TEST_F(Cli, GridShowsNowTheHoursAheadAndTheCleanestWindow) {
  Write("trace.csv", Trace());
  const Outcome text = Ebb({"grid", "--trace", "trace.csv", "--grid-start", "2023-05-03T00:00Z",
                            "--hours", "24", "--run-time", "4h"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(Contains(text.out, "400 g/kWh")) << text.out;
  EXPECT_TRUE(Contains(text.out, "cleanest 4h 0m: 02:00, in 2h, 100 g/kWh")) << text.out;
  const Outcome json = Ebb({"grid", "--zone", "ZA", "--format", "json"});
  ASSERT_EQ(json.code, 0) << json.err;
  EXPECT_EQ(nlohmann::json::parse(json.out).at("zone"), "ZA");
}

TEST_F(Cli, TimesAreOfThePersonsClockAndInUtcWhereThatIsAskedFor) {
  Write("trace.csv", Trace());
  ::setenv("TZ", "America/New_York", 1);
  const std::vector<std::string> grid{
      "grid", "--trace", "trace.csv", "--grid-start", "2023-05-03T00:00Z", "--run-time", "4h"};
  const Outcome local = Ebb(grid);
  EXPECT_TRUE(Contains(local.out, "2023-05-02 20:00 (America/New_York)  now")) << local.out;
  EXPECT_TRUE(Contains(local.out, "cleanest 4h 0m: 22:00, in 2h")) << local.out;
  for (const bool first : {true, false}) {
    std::vector<std::string> words = grid;
    words.insert(first ? words.begin() : words.end(), "--utc");
    const Outcome utc = Ebb(words);
    EXPECT_TRUE(Contains(utc.out, "2023-05-03 00:00 (UTC)  now")) << utc.out << utc.err;
  }
  // The zone of the grid is still guessed from the machine's clock, and --utc after the program's
  // name belongs to the program.
  ::unsetenv("EBB_ZONE");
  ::setenv("TZ", "Europe/Berlin", 1);
  EXPECT_TRUE(Contains(Ebb({"track", "--utc", "true"}).err, "DE, average"));
  const Outcome track = Ebb({"track", "--zone", "DE", "sh", "-c", "echo \"$0\"", "--utc"});
  EXPECT_TRUE(Contains(track.out, "--utc")) << track.out << track.err;
}

// The value of --keep is a duration or a word. An earlier version accepted only two words.
TEST_F(Cli, HowLongTheServiceKeepsJobsIsADurationOrForEver) {
  for (const char* keep : {"30d", "for-ever"})
    EXPECT_TRUE(Contains(Ebb({"serve", "--keep", keep, "--policy", "nosuch"}).err, "nosuch"));
  const Outcome bare = Ebb({"serve", "--keep", "30"});
  EXPECT_EQ(bare.code, 2);
  EXPECT_TRUE(Contains(bare.err, "has no unit")) << bare.err;
}

// For a signal with one value for all hours, an earlier version said that no later hour is cleaner.
TEST_F(Cli, OfHoursThatAreNotKnownNothingIsSaid) {
  const std::vector<std::string> signal{"--signal", "yearly-average", "--zone", "KE"};
  const auto with_signal = [&](std::vector<std::string> words, std::vector<std::string> command) {
    words.insert(words.end(), signal.begin(), signal.end());
    words.insert(words.end(), command.begin(), command.end());
    return Ebb(words);
  };
  const std::string nothing = "nothing is known about the hours of this zone, so ";
  const Outcome grid = with_signal({"grid"}, {});
  EXPECT_TRUE(Contains(grid.out, nothing + "nothing can be gained by waiting; a token"))
      << grid.out;
  EXPECT_FALSE(Contains(grid.out, "cleanest")) << grid.out;
  const auto json = nlohmann::json::parse(with_signal({"grid", "--format", "json"}, {}).out);
  EXPECT_EQ(json.at("hours_known"), false);
  EXPECT_TRUE(json.at("windows").empty());
  EXPECT_TRUE(json.at("cleanest_window").is_null());

  for (const char* policy : {"lowest-window", "carbon-time"}) {
    const Outcome run = with_signal({"run", "--policy", policy, "--run-dir", policy}, {"true"});
    EXPECT_EQ(run.code, 0);
    EXPECT_TRUE(Contains(run.err, nothing + "nothing can be gained by waiting: starting at"))
        << run.err;
    EXPECT_FALSE(Contains(run.err, "cleaner")) << run.err;
  }
  const Outcome waits = with_signal(
      {"run", "--threshold", "5", "--start-by", "1s", "--run-dir", "threshold"}, {"true"});
  EXPECT_EQ(waits.code, 0);
  EXPECT_TRUE(Contains(waits.err, nothing + "this waits for nothing")) << waits.err;
  const Outcome track = with_signal({"track", "--run-dir", "track"}, {"true"});
  EXPECT_FALSE(Contains(track.err, "had it waited")) << track.err;
  for (const char* run : {"lowest-window", "threshold", "track"})
    EXPECT_EQ(Ebb({"audit", run}).code, 0) << Ebb({"audit", run}).out;
}

// A user who names a zone gets the best known values for it, and Ebb says which values these are.
TEST_F(Cli, AZoneAloneEndsInTheYearlyMeanOfItsCountry) {
  const Outcome grid = Ebb({"grid", "--zone", "KE"});
  EXPECT_EQ(grid.code, 0) << grid.err;
  EXPECT_TRUE(Contains(grid.out, "KE, average, life cycle: yearly average")) << grid.out;
  EXPECT_TRUE(Contains(grid.out, "yearly-average (modelled, one value for all hours)")) << grid.out;
  EXPECT_EQ(Ebb({"grid", "--zone", "KE", "--signal", "profile"}).code, 3)
      << "a source that is named is never another one";
  const Outcome nothing = Ebb({"grid", "--zone", "AR", "--hours", "2"});
  EXPECT_TRUE(Contains(nothing.err, "typical hours are worth nothing here")) << nothing.err;
}

TEST_F(Cli, ZonesAreFoundByTheirPlaces) {
  const Outcome york = Ebb({"zones", "new york"});
  EXPECT_EQ(york.code, 0) << york.err;
  EXPECT_TRUE(Contains(york.out, "US-NY-NYIS")) << york.out;
  EXPECT_FALSE(Contains(york.out, "more: ebb zones --all")) << york.out;
  const auto json = nlohmann::json::parse(Ebb({"zones", "--format", "json"}).out);
  EXPECT_EQ(json.at("schema"), "ebb.zones/1");
  EXPECT_GT(json.at("zones").size(), 300u);
  const auto uruguay = nlohmann::json::parse(Ebb({"zones", "uruguay", "--format", "json"}).out);
  ASSERT_EQ(uruguay.at("zones").size(), 1u);
  EXPECT_EQ(uruguay.at("zones")[0].at("typical_hours").at("worth_nothing"), true);
  const Outcome none = Ebb({"zones", "Atlantis"});
  EXPECT_EQ(none.code, 3);
  EXPECT_TRUE(Contains(none.err, "ebb zones --all lists every zone")) << none.err;
}

TEST_F(Cli, TrackSaysWhatWaitingWouldHaveSaved) {
  Write("trace.csv", Trace());
  const Outcome track =
      Ebb({"track", "--trace", "trace.csv", "--forecast", "perfect", "--grid-start",
           "2023-05-01T07:00Z", "--interval", "20ms", "--run-dir", "r", "sleep", "0.1"});
  ASSERT_EQ(track.code, 0) << track.err;
  EXPECT_TRUE(Contains(track.err, "had it waited  up to 1d 0h: 77.8 % less at 2023-05-02 02:00"))
      << track.err;
  const auto summary = nlohmann::json::parse(Read(directory_ / "r/summary.json"));
  const auto& waited = summary.at("had_it_waited");
  EXPECT_EQ(waited.at("start"), "2023-05-02T02:00:00Z");
  EXPECT_EQ(waited.at("up_to_s"), 86400);
  EXPECT_NEAR(waited.at("saving_percent").get<double>(), 100 * (1 - 100.0 / 450), 1e-6);
  EXPECT_EQ(Ebb({"audit", "r"}).code, 0) << Ebb({"audit", "r"}).out;
}

TEST_F(Cli, GridShowsSeveralWindowsAndDrawsThem) {
  const Outcome json = Ebb({"grid", "--zone", "azure/germanywestcentral", "--signal", "profile",
                            "--duration", "2h", "--windows", "3", "--format", "json"});
  ASSERT_EQ(json.code, 0) << json.err;
  const auto grid = nlohmann::json::parse(json.out);
  EXPECT_EQ(grid.at("zone"), "DE");
  EXPECT_EQ(grid.at("zone_of"), "azure/germanywestcentral (Frankfurt)");
  EXPECT_EQ(grid.at("hours_known"), true);
  EXPECT_EQ(grid.at("windows").size(), 3u);
  const Outcome plot = Ebb({"grid", "--signal", "profile", "--zone", "aws/eu-central-1",
                            "--windows", "2", "--plot", "grid.svg"});
  ASSERT_EQ(plot.code, 0) << plot.err;
  const std::string svg = Read(directory_ / "grid.svg");
  EXPECT_TRUE(Contains(svg, "<svg xmlns=")) << svg.substr(0, 200);
  EXPECT_TRUE(Contains(svg, "cleanest window 2")) << svg.substr(0, 200);
  const Outcome unknown = Ebb({"grid", "--zone", "aws/us-wset-2"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_TRUE(Contains(unknown.err, "did you mean \"us-west-2\"?")) << unknown.err;
  EXPECT_EQ(Ebb({"grid", "--zone", "DE", "--windows", "none"}).code, 2);
  const Outcome chain = Ebb({"grid", "--zone", "GB", "--signal", "uk-carbon-intensity,profile"});
  EXPECT_EQ(chain.code, 3);
  EXPECT_TRUE(Contains(chain.err, "cannot be in one chain")) << chain.err;
}

TEST_F(Cli, AnImportedTraceIsCompressedWhereItsNameSaysSo) {
  Write("raw.csv", Trace());
  const std::vector<std::string> import{"data",     "import",   "raw.csv",    "--zone",   "DE",
                                        "--output", "z.csv.gz", "--boundary", "lifecycle"};
  EXPECT_EQ(Ebb(import).code, 0);
  EXPECT_EQ(Read(directory_ / "z.csv.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(Ebb(import).code, 0) << "the same again";
  EXPECT_EQ(Ebb({"grid", "--trace", "z.csv.gz", "--grid-start", "2023-05-03"}).code, 0);
}

TEST_F(Cli, TheWebhookOfTheControllerNeedsAPortAndAPairOfFiles) {
  std::ofstream(directory_ / "kubeconfig") << R"({"current-context": "a",
    "contexts": [{"name": "a", "context": {"cluster": "a", "user": "a"}}],
    "clusters": [{"name": "a", "cluster": {"server": "https://127.0.0.1:1"}}],
    "users": [{"name": "a", "user": {}}]})";
  const auto refused = [&](std::vector<std::string> flags) {
    std::vector<std::string> words{"controller", "--kubeconfig", "kubeconfig", "--constant", "100"};
    words.insert(words.end(), flags.begin(), flags.end());
    return Ebb(words);
  };
  EXPECT_EQ(refused({"--webhook-port", "0"}).code, 2);
  EXPECT_EQ(refused({"--webhook-port", "0", "--webhook-cert", "a.crt"}).code, 2);
  EXPECT_EQ(refused({"--webhook-port", "65536"}).code, 2);
  EXPECT_EQ(refused({"--webhook-key", "a.key"}).code, 2);
  const Outcome missing =
      refused({"--webhook-port", "0", "--webhook-cert", "a.crt", "--webhook-key", "a.key"});
  EXPECT_EQ(missing.code, 3);
  EXPECT_NE(missing.err.find("a.crt: cannot be read"), std::string::npos) << missing.err;
}

TEST_F(Cli, AWorkingDirectoryThatWasDeletedIsAnErrorAndNoAbort) {
  const std::string ebb = EBB_PROGRAM;
  for (const char* words :
       {"submit -- true", "grid --zone DE", "sweep run x.yaml", "runs", "--version",
        "run --constant 200 --policy now -- true", "submit --file jobs.yaml"}) {
    const pid_t pid = StartAside(
        {"/bin/sh", "-c", "mkdir gone && cd gone && rmdir ../gone && exec " + ebb + " " + words},
        "gone.txt");
    int status = 0;
    ASSERT_EQ(::waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status)) << words << ": " << Read(directory_ / "gone.txt");
    EXPECT_EQ(Read(directory_ / "gone.txt").find("terminate"), std::string::npos);
  }
  const pid_t pid =
      StartAside({"/bin/sh", "-c",
                  "mkdir gone && cd gone && rmdir ../gone && exec " + ebb + " submit -- true"},
                 "gone.txt");
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_NE(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace ebb
