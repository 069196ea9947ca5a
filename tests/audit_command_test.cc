// ebb audit as a user runs it, on runs that were really measured.
#include "cli_fixture.h"

namespace ebb {
namespace {

using Json = nlohmann::json;

class AuditCommand : public Cli {
 protected:
  void Run(const std::string& name, const std::string& program) {
    const Outcome run =
        Ebb({"run",          "--name",      name,       "--run-dir",    name,
             "--zone",       "US-CAL-CISO", "--signal", "profile",      "--policy",
             "window",       "--run-time",  "2h",       "--grid-start", "2024-07-01T17:00:00Z",
             "--skip-waits", "--interval",  "100ms",    "--quiet",      "--",
             "/bin/sh",      "-c",          program});
    ASSERT_EQ(run.code, 0) << run.err;
  }
};

TEST_F(AuditCommand, ARunAgreesUntilAByteIsChanged) {
  Run("one", "sleep 0.5");
  const Outcome before = Ebb({"audit", "one"});
  EXPECT_EQ(before.code, 0) << before.out << before.err;
  EXPECT_EQ(before.out.find("BAD"), std::string::npos) << before.out;
  EXPECT_NE(before.out.find("decisions of the gate made again: "), std::string::npos);
  EXPECT_EQ(before.out.find("made again: 0"), std::string::npos) << before.out;

  std::string text = Read(directory_ / "one" / "ledger.jsonl");
  const auto at = text.find("\"energy_uj\":") + 12;
  text[at] = text[at] == '9' ? '8' : '9';
  std::ofstream(directory_ / "one" / "ledger.jsonl") << text;
  const Outcome after = Ebb({"audit", "one", "--format", "json"});
  EXPECT_EQ(after.code, 1);
  const Json json = Json::parse(after.out);
  EXPECT_EQ(json.at("schema"), "ebb.audit/1");
  EXPECT_FALSE(json.at("ok").get<bool>());
  EXPECT_FALSE(json.at("audits")[0].at("checks")[0].at("ok").get<bool>());
}

// A terminal acts on control characters, so the content of a file is never printed as it is.
TEST_F(AuditCommand, BytesOfADamagedFileDoNotReachTheTerminal) {
  Run("one", "sleep 0.3");
  for (const char* file : {"run.json", "ledger.jsonl", "decisions.jsonl", "attempts.jsonl"}) {
    const std::string before = Read(directory_ / "one" / file);
    std::ofstream(directory_ / "one" / file) << "\x1b[2J\x1b]0;title\x07{\"a\": \x1b[31m" << before;
    const Outcome audit = Ebb({"audit", "one"});
    EXPECT_NE(audit.code, 0) << file;
    EXPECT_EQ((audit.out + audit.err).find('\x1b'), std::string::npos) << file << audit.out;
    std::ofstream(directory_ / "one" / file) << before;
  }
}

TEST_F(AuditCommand, SeveralRunsHeadsAndWhatIsNoRun) {
  Run("one", "sleep 0.3");
  Run("two", "sleep 0.3");
  const Outcome heads = Ebb({"audit", "--print-head", "one", "two"});
  EXPECT_EQ(heads.code, 0) << heads.err;
  EXPECT_EQ(std::count(heads.out.begin(), heads.out.end(), '\n'), 2) << heads.out;
  EXPECT_NE(heads.out.find("  one  seals.jsonl"), std::string::npos) << heads.out;
  EXPECT_EQ(Ebb({"audit", "--print-head", "one", "two"}).out, heads.out);
  const Outcome mixed = Ebb({"audit", "one", "nothing"});
  EXPECT_EQ(mixed.code, 4);
  EXPECT_NE(mixed.err.find("nothing: cannot be searched"), std::string::npos) << mixed.err;
  fs::create_directory(directory_ / "empty");
  const Outcome empty = Ebb({"audit", "empty"});
  EXPECT_EQ(empty.code, 4);
  EXPECT_NE(empty.err.find("holds no run"), std::string::npos) << empty.err;
  fs::remove(directory_ / "one" / "seals.jsonl");
  EXPECT_EQ(Ebb({"audit", "one"}).code, 1);
  EXPECT_EQ(Ebb({"audit", "one", "--job", "1"}).code, 2);
}

// On a flat signal all starts are equally good, so the reported differences between them are
// rounding errors.
TEST_F(AuditCommand, AMergedRunAgrees) {
  for (const char* run : {"one", "two"})
    ASSERT_EQ(Ebb({"track", "--zone", "DE", "--run-dir", run, "--interval", "100ms", "--quiet",
                   "--", "sleep", "0.5"})
                  .code,
              0);
  ASSERT_EQ(Ebb({"report", "merge", "one", "two", "--output-dir", "both"}).code, 0);
  const Outcome audit = Ebb({"audit", "both"});
  EXPECT_EQ(audit.code, 0) << audit.out << audit.err;
  EXPECT_NE(audit.out.find("ok   member "), std::string::npos) << audit.out;
}

TEST_F(AuditCommand, AJobIsLookedForInTheStore) {
  ::setenv("EBB_STORE", (directory_ / "none.db").c_str(), 1);
  const Outcome job = Ebb({"audit", "7"});
  ::unsetenv("EBB_STORE");
  EXPECT_EQ(job.code, 4);
  EXPECT_NE(job.err.find("none.db"), std::string::npos) << job.err;
}

// A run that was killed has no seal. Here it is continued and gets its seal at its end.
TEST_F(AuditCommand, APausedRunIsContinuedOnTheSameChains) {
  const Outcome paused =
      Ebb({"run", "--run-dir", "one", "--constant", "200", "--interval", "100ms", "--quiet", "--",
           "/bin/sh", "-c", "sleep 0.3; [ -f done ] || { touch done; exit 75; }"});
  EXPECT_EQ(paused.code, 75) << paused.err;
  EXPECT_EQ(Ebb({"audit", "one"}).code, 0);
  std::ofstream(directory_ / "one" / "ledger.jsonl", std::ios::app) << R"({"attempt":1,"devi)";
  const Outcome half = Ebb({"audit", "one"});
  EXPECT_NE(half.out.find("the last line is not finished"), std::string::npos) << half.out;
  ASSERT_EQ(Ebb({"resume", "one", "--quiet"}).code, 0);
  const Outcome whole = Ebb({"audit", "one"});
  EXPECT_EQ(whole.code, 0) << whole.out;
  EXPECT_NE(whole.out.find(" 2 seals"), std::string::npos) << whole.out;
}

}  // namespace
}  // namespace ebb
