// A user's first hour: settings that every command reads, where each value comes from, ebb init,
// ebb doctor, and ebb alone.
#include <fcntl.h>
#include <sys/stat.h>
#include <termios.h>

#include "serve_fixture.h"

namespace ebb {
namespace {

class UserSettings : public ServeCommand {
 protected:
  UserSettings() {
    ::unsetenv("EBB_ZONE");
    ::setenv("EBB_CONFIG", Path().c_str(), 1);
    ::setenv("TZ", "UTC", 1);
    for (const char* name : {"ELECTRICITYMAPS_API_KEY", "EBB_STORE"}) ::unsetenv(name);
    ::setenv("HOME", directory_.c_str(), 1);
  }
  ~UserSettings() override { ::unsetenv("TZ"); }
  std::string Path() const { return (directory_ / "config.yaml").string(); }
  void Settings(const std::string& text) { Write("config.yaml", text); }
  nlohmann::json Shown(const std::string& key, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"config", "show", "--format", "json"});
    const auto json = nlohmann::json::parse(Ebb(more).out);
    for (const auto& row : json.at("settings"))
      if (row.at("key") == key) return row;
    return {};
  }
  nlohmann::json Finding(const std::vector<std::string>& words, const std::string& topic) {
    const auto json = nlohmann::json::parse(Ebb(words).out);
    for (const auto& row : json.at("findings"))
      if (row.at("topic") == topic) return row;
    return {};
  }
  // Answers to the questions of ebb on a terminal, and the text on that terminal.
  struct Answered {
    int code;
    std::string text;
  };
  Answered OnTerminal(const std::vector<std::string>& words, const std::string& typed) {
    const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ::grantpt(terminal);
    ::unlockpt(terminal);
    const std::string name = ::ptsname(terminal);
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::setsid();
      const int side = ::open(name.c_str(), O_RDWR);
      for (const int descriptor : {0, 1, 2}) ::dup2(side, descriptor);
      if (::chdir(directory_.c_str()) != 0) ::_exit(99);
      std::vector<char*> argv{const_cast<char*>(EBB_PROGRAM)};
      for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
      argv.push_back(nullptr);
      ::execv(EBB_PROGRAM, argv.data());
      ::_exit(98);
    }
    // Each answer is typed when its prompt, which ends in ": ", has appeared.
    std::string text, line;
    std::istringstream lines(typed);
    char buffer[4096];
    for (ssize_t size; (size = ::read(terminal, buffer, sizeof buffer)) > 0;) {
      text.append(buffer, static_cast<std::size_t>(size));
      if (!text.ends_with(": ") || !std::getline(lines, line)) continue;
      if (line != "^C") line += "\n";
      const std::string bytes = line == "^C" ? "\x03" : line;
      EXPECT_GT(::write(terminal, bytes.data(), bytes.size()), 0);
    }
    ::close(terminal);
    int status = 0;
    ::waitpid(pid, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), text};
  }
};

TEST_F(UserSettings, EveryCommandReadsThem) {
  Settings("zone: JP-TK\nmetering:\n  pue: 1.25\n  scope: machine\n");
  const Outcome grid = Ebb({"grid"});
  EXPECT_TRUE(grid.out.starts_with("JP-TK, ")) << grid.out << grid.err;
  EXPECT_TRUE(Contains(grid.out, "zone of " + Path() + ":1")) << grid.out;
  EXPECT_TRUE(Ebb({"grid", "--zone", "IN-WE"}).out.starts_with("IN-WE, ")) << "a flag goes before";
  EXPECT_TRUE(Ebb({"forecast"}).out.starts_with("JP-TK, "));
  ASSERT_EQ(Ebb({"track", "--run-dir", "a", "true"}).code, 0);
  EXPECT_EQ(Summary("a").at("pue"), 1.25);
  ASSERT_EQ(Ebb({"run", "--pue", "1.5", "--run-dir", "b", "true"}).code, 0);
  EXPECT_EQ(Summary("b").at("pue"), 1.5);
  ::setenv("EBB_ZONE", "ZA", 1);
  EXPECT_TRUE(Ebb({"grid"}).out.starts_with("ZA, ")) << "the environment goes before";
}

TEST_F(UserSettings, ABrokenFileIsReportedAndKeepsNobodyFromRepairingIt) {
  Settings("zone: JP-TK\nmetring: {pue: 1}\n");
  for (const std::string command : {"grid", "queue", "doctor"}) {
    const Outcome outcome = Ebb({command});
    EXPECT_NE(outcome.code, 0) << command;
    EXPECT_TRUE(Contains(outcome.out + outcome.err, Path() + ":2: unknown key \"metring\""))
        << command;
    EXPECT_TRUE(Contains(outcome.out + outcome.err, "metering")) << command;
  }
  EXPECT_EQ(Ebb({"grid"}).code, 3);
  EXPECT_EQ(Ebb({"--help"}).code, 0);
  const Outcome shown = Ebb({"config", "show"});
  EXPECT_EQ(shown.code, 3);
  EXPECT_TRUE(Contains(shown.out, "metering.pue")) << shown.out;
  EXPECT_TRUE(Contains(shown.out, "has mistakes, so none of it is used"));
  EXPECT_EQ(Ebb({"config", "path"}).out, Path() + "\n");
}

TEST_F(UserSettings, ConfigShowSaysWhereValuesComeFrom) {
  Settings("zone: JP-TK\nelectricity_maps: {token_file: key}\n");
  Write("key", "hush-hush\n");
  EXPECT_EQ(Shown("zone").at("from"), "file");
  EXPECT_EQ(Shown("zone").at("where"), Path() + ":1");
  EXPECT_EQ(Shown("zone", {"--zone", "AU-NSW"}).at("from"), "flag");
  EXPECT_EQ(Shown("metering.scope").at("from"), "default");
  EXPECT_EQ(Shown("time_zone").at("where"), "TZ");
  ::setenv("ELECTRICITYMAPS_API_KEY", "hush-hush", 1);
  const Outcome text = Ebb({"config"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(Contains(text.out, "ELECTRICITYMAPS_API_KEY"));
  EXPECT_FALSE(Contains(text.out, "hush")) << text.out;
  ::unsetenv("ELECTRICITYMAPS_API_KEY");
  EXPECT_TRUE(Contains(Ebb({"config", "shew"}).err, "did you mean \"show\"?"));
}

TEST_F(UserSettings, TheirServiceIsAsked) {
  Settings("zone: JP-TK\n");
  Serve();
  Settings("service: {store: ebb.db}\n");
  EXPECT_EQ(Ebb({"submit", "true"}).code, 0);
  EXPECT_EQ(Ebb({"queue", "--all"}).code, 0);
  std::string url = Read(directory_ / "ebb.db.url");
  url.pop_back();
  Settings("service: {server: \"" + url + "\"}\n");
  EXPECT_EQ(Ebb({"queue"}).code, 0);
  const Outcome refused = Ebb({"submit", "true"});
  EXPECT_TRUE(Contains(refused.err, "needs the service's token")) << refused.err;
  Settings("service:\n  server: " + url + "\n  token_file: ebb.db.token\n");
  EXPECT_EQ(Ebb({"submit", "true"}).code, 0);
  EXPECT_EQ(Finding({"doctor", "--format", "json"}, "service").at("health"), "fine");
}

// Other users cannot read the state directory of a system unit.
TEST_F(UserSettings, AServiceWritesItsAddressForEverybodyWhereItsUnitSays) {
  Settings("zone: JP-TK\n");
  fs::create_directory(directory_ / "run");
  ::setenv("RUNTIME_DIRECTORY", (directory_ / "run").c_str(), 1);
  Serve();
  ::unsetenv("RUNTIME_DIRECTORY");
  const fs::path file = directory_ / "run/ebb.url";
  WaitFor(file);
  EXPECT_EQ(Read(file), Read(directory_ / "ebb.db.url"));
  EXPECT_NE(fs::status(file).permissions() & fs::perms::others_read, fs::perms::none);
}

TEST_F(UserSettings, DoctorNamesEachMistakeInALine) {
  Settings("zome: FR\nmetering: {pue: 0}\n");
  const Outcome outcome = Ebb({"doctor"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(Contains(outcome.out, "\n                  " + Path() + ":2: metering.pue"))
      << outcome.out;
  EXPECT_FALSE(Contains(outcome.out, "?  ")) << outcome.out;
}

TEST_F(UserSettings, InitWritesWhatFlagsSay) {
  ::setenv("EBB_CONFIG", (directory_ / "new/config.yaml").c_str(), 1);
  const Outcome asked = Ebb({"init"});
  EXPECT_EQ(asked.code, 2) << "standard input is not a terminal";
  EXPECT_TRUE(Contains(asked.err, "--yes --zone")) << asked.err;
  const Outcome dry = Ebb({"init", "--yes", "--zone", "ZA", "--dry-run"});
  EXPECT_TRUE(Contains(dry.out, "zone: \"ZA\"")) << dry.out;
  EXPECT_FALSE(fs::exists(directory_ / "new"));
  const Outcome wrote = Ebb({"init", "--yes", "--offline", "--zone", "ZA", "--token-file", "key"});
  EXPECT_EQ(wrote.code, 0) << wrote.err;
  EXPECT_TRUE(Contains(Read(directory_ / "new/config.yaml"), (directory_ / "key").string()));
  const Outcome again = Ebb({"init", "--yes", "--zone", "JP-TK"});
  EXPECT_EQ(again.code, 2);
  EXPECT_TRUE(Contains(again.err, "--overwrite")) << again.err;
  EXPECT_TRUE(Contains(Read(directory_ / "new/config.yaml"), "ZA"));
  EXPECT_EQ(Ebb({"init", "--yes", "--zone", "JP-TK", "--overwrite"}).code, 0);
  EXPECT_TRUE(Contains(Read(directory_ / "new/config.yaml"), "JP-TK"));
  EXPECT_TRUE(Contains(Ebb({"init", "--yes", "--overwrite"}).err, "give one, e.g. ebb init"))
      << "a clock in UTC suggests no zone";
  EXPECT_EQ(Ebb({"init", "--yes", "--zone", "aws/nowhere-1", "--overwrite"}).code, 3);
  const Outcome misspelt = Ebb({"init", "--yes", "--zone", "ZAA", "--overwrite"});
  EXPECT_EQ(misspelt.code, 3);
  EXPECT_TRUE(Contains(misspelt.err, "did you mean \"ZA\"?")) << misspelt.err;
  EXPECT_EQ(Ebb({"init", "--yes", "--zone", "aws/us-west-2", "--dry-run"}).code, 0);
  EXPECT_EQ(Ebb({"init", "--yes", "--zone", "IT-SAR", "--dry-run"}).code, 0);
}

TEST_F(UserSettings, InitAsksThreeQuestions) {
  ::setenv("TZ", "Africa/Johannesburg", 1);
  const Answered answered = OnTerminal({"init", "--offline"}, "\nhush-hush\nmachine\n");
  EXPECT_EQ(answered.code, 0) << answered.text;
  EXPECT_TRUE(Contains(answered.text, "[ZA]")) << "the guess is offered";
  EXPECT_FALSE(Contains(answered.text, "hush")) << "the token is not shown";
  const std::string text = Read(directory_ / "config.yaml");
  EXPECT_TRUE(Contains(text, "zone: \"ZA\"")) << text;
  EXPECT_TRUE(Contains(text, "scope: \"machine\"")) << text;
  EXPECT_FALSE(Contains(text, "hush"));
  EXPECT_EQ(Read(directory_ / "electricity-maps.token"), "hush-hush\n");
  const Answered kept = OnTerminal({"init"}, "no\n");
  EXPECT_EQ(kept.code, 2);
  EXPECT_TRUE(Contains(kept.text, "already exists")) << kept.text;
  EXPECT_EQ(Read(directory_ / "config.yaml"), text);
  EXPECT_EQ(OnTerminal({"init"}, "yes\nGB\nprocess\n").code, 0) << "GB needs no token";
  EXPECT_TRUE(Contains(Read(directory_ / "config.yaml"), "GB"));
}

TEST_F(UserSettings, CtrlCLeavesNothing) {
  for (const std::string typed : {"^C", "ZA\n^C", "ZA\n\n^C"}) {
    const Answered answered = OnTerminal({"init"}, typed);
    EXPECT_TRUE(answered.code == 130 || answered.code == 1000 + SIGINT) << answered.code;
    EXPECT_FALSE(fs::exists(Path())) << answered.text;
    EXPECT_FALSE(fs::exists(directory_ / "electricity-maps.token"));
  }
}

TEST_F(UserSettings, DoctorSaysWhatIsWrongAndWhatToDo) {
  Settings("zone: JP-TK\n");
  std::set<std::string> before;
  for (const auto& entry : fs::recursive_directory_iterator(directory_))
    before.insert(entry.path());
  const Outcome fine = Ebb({"doctor"});
  EXPECT_EQ(fine.code, 0) << fine.out << fine.err;
  for (const std::string topic : {"settings", "zone", "signal", "cpu", "gpu", "control groups",
                                  "service", "store", "disk", "clock", "time zone", "ebb-train"})
    EXPECT_TRUE(Contains(fine.out, "\n" + topic) || fine.out.starts_with(topic)) << topic;
  before.insert({(directory_ / "out.txt").string(), (directory_ / "err.txt").string()});
  for (const auto& entry : fs::recursive_directory_iterator(directory_))
    EXPECT_TRUE(before.contains(entry.path())) << entry.path() << " was written";
  EXPECT_EQ(Finding({"doctor", "--format", "json"}, "signal").at("health"), "advice")
      << "typical days are a model";
  // The named service does not answer, and no source knows the zone.
  const std::vector<std::string> away{"doctor", "--server", "http://127.0.0.1:1", "--format",
                                      "json"};
  EXPECT_EQ(Ebb(away).code, 1);
  EXPECT_EQ(Finding(away, "service").at("health"), "problem");
  Settings("");
  EXPECT_EQ(Ebb({"doctor"}).code, 1);
  EXPECT_TRUE(Contains(Finding({"doctor", "--format", "json"}, "zone").at("remedy"), "ebb init"));
  // One provider answers with an error, and another cannot be reached.
  const Outcome unreachable =
      Ebb({"doctor", "--api-url", "http://127.0.0.1:1/x", "--zone", "JP-TK"});
  EXPECT_EQ(unreachable.code, 1);
  EXPECT_TRUE(Contains(unreachable.out, "127.0.0.1:1")) << unreachable.out;
}

TEST_F(UserSettings, EbbAloneSaysWhatToDoNext) {
  ::setenv("EBB_CONFIG", "none", 1);
  const Outcome nothing = Ebb({});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_TRUE(Contains(nothing.out, "ebb init")) << nothing.out;
  ::setenv("EBB_CONFIG", Path().c_str(), 1);
  Settings("zone: JP-TK\n");
  const Outcome settled = Ebb({});
  EXPECT_TRUE(Contains(settled.out, "ebb grid")) << settled.out;
  EXPECT_FALSE(Contains(settled.out, "ebb init"));
  EXPECT_LT(std::count(settled.out.begin(), settled.out.end(), '\n'), 12) << "short";
  Serve();
  Settings("zone: JP-TK\nservice: {store: ebb.db}\n");
  EXPECT_TRUE(Contains(Ebb({}).out, "A service runs"));
  Stop(SIGTERM);
  EXPECT_TRUE(Contains(Ebb({}).out, "No service runs"));
  Settings("zona: FR\n");
  EXPECT_TRUE(Contains(Ebb({}).out, "unknown key"));
}

}  // namespace
}  // namespace ebb
