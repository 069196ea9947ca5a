// The words of the command line as a user types them: commands, flags, help, exit codes, and inputs
// that are wrong.

#include "cli_fixture.h"

namespace ebb {
namespace {

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
  for (const std::vector<std::string>& words : {std::vector<std::string>{"watch", "--help"},
                                                {"quue"},
                                                {"quue", "--help"},
                                                {"help", "quue"},
                                                {"quue", "--", "--help"}}) {
    const Outcome outcome = Ebb(words);
    EXPECT_EQ(outcome.code, 2) << words[0];
    EXPECT_EQ(outcome.out, "") << words[0];
    EXPECT_TRUE(Contains(outcome.err, "is not a command")) << outcome.err;
    EXPECT_EQ(Contains(outcome.err, "did you mean \"queue\"?"), words[0] != "watch") << outcome.err;
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

// The value of --keep is a duration or a word. An earlier version accepted only two words.
TEST_F(Cli, HowLongTheServiceKeepsJobsIsADurationOrForEver) {
  for (const char* keep : {"30d", "for-ever"})
    EXPECT_TRUE(Contains(Ebb({"serve", "--keep", keep, "--policy", "nosuch"}).err, "nosuch"));
  const Outcome bare = Ebb({"serve", "--keep", "30"});
  EXPECT_EQ(bare.code, 2);
  EXPECT_TRUE(Contains(bare.err, "has no unit")) << bare.err;
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
