// ebb top at a real service: live at a terminal, and as one look for scripts.
#include "serve_fixture.h"
#include "testing/terminal.h"

namespace ebb {
namespace {

const std::string kOldScreen = "\x1b[?1049l";

class TopCommand : public ServeCommand {
 protected:
  // Supervisors outlive the service, so the jobs must end too.
  void TearDown() override {
    Client({"cancel", "1"});
    ServeCommand::TearDown();
  }
  // A job that has all devices, and one that waits for them.
  void ServeTwoJobs() {
    Serve();
    ASSERT_EQ(Client({"submit", "--name", "busy", "--devices", "3"}, {"sleep", "1000"}).code, 0);
    WaitUntil([&] { return Job(1).value("stage", "") == "running"; });
    ASSERT_EQ(Client({"submit", "--name", "later"}, {"true"}).code, 0);
  }
  nlohmann::json Job(int number) {
    const auto job = nlohmann::json::parse(
        Client({"show", std::to_string(number), "--format", "json"}).out, nullptr, false);
    return job.is_object() ? job : nlohmann::json::object();
  }
  std::vector<std::string> LiveWords() {
    std::vector<std::string> words{"top", "--interval", "500ms"};
    for (const std::string& word : Place()) words.push_back(word);
    return words;
  }
  static int CodeOf(const Terminal& terminal) {
    int status = 0;
    ::waitpid(terminal.pid(), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
};

TEST_F(TopCommand, KeysPauseResumeExplainAndCancelAndTheTerminalIsLeftAsItWas) {
  ServeTwoJobs();
  Terminal terminal(directory_, EBB_PROGRAM, LiveWords());
  ASSERT_TRUE(terminal.Await("later")) << terminal.seen();
  EXPECT_FALSE(terminal.HasModeOfBefore());
  terminal.Type("\x1b[B");  // down, to job 2
  ASSERT_TRUE(terminal.Await("2 is waiting")) << terminal.seen();
  terminal.Type("e");
  ASSERT_TRUE(terminal.Await("job 2 (later) is waiting")) << terminal.seen();
  terminal.Type(" ");
  terminal.Type("p");
  ASSERT_TRUE(terminal.Await("job 2 (later): paused by you")) << terminal.seen();
  ASSERT_TRUE(terminal.Await("2 is waiting: on hold")) << terminal.seen();
  EXPECT_EQ(Job(2).value("rule", ""), "held");
  terminal.Type("p");
  ASSERT_TRUE(terminal.Await("job 2 (later): resumed")) << terminal.seen();
  terminal.Type("x");
  ASSERT_TRUE(terminal.Await("cancel job 2 (later) for good? y/n")) << terminal.seen();
  terminal.Type("n");
  ASSERT_TRUE(terminal.Await("is not cancelled")) << terminal.seen();
  EXPECT_EQ(Job(2).value("stage", ""), "waiting");
  terminal.Type("x");
  ASSERT_TRUE(terminal.Await("for good? y/n")) << terminal.seen();
  terminal.Type("y");
  ASSERT_TRUE(terminal.Await("job 2 (later): cancelled")) << terminal.seen();
  WaitUntil([&] { return Job(2).value("stage", "") == "cancelled"; });
  terminal.Type("q");
  EXPECT_TRUE(terminal.Await(kOldScreen)) << terminal.seen();
  EXPECT_EQ(CodeOf(terminal), 0);
  EXPECT_TRUE(terminal.HasModeOfBefore());
  EXPECT_EQ(Job(1).value("stage", ""), "running") << "ebb top ends nothing by itself";
}

TEST_F(TopCommand, AnotherSizeOfTheWindowIsDrawnAtOnce) {
  ServeTwoJobs();
  std::vector<std::string> words = LiveWords();
  words[2] = "1h";
  Terminal terminal(directory_, EBB_PROGRAM, words);
  ASSERT_TRUE(terminal.Await("x cancel")) << terminal.seen();
  terminal.Resize(12, 30);
  ASSERT_TRUE(terminal.Await("q quit  h help  s sort  e exp…")) << terminal.seen();
  terminal.Type("q");
  EXPECT_EQ(CodeOf(terminal), 0);
}

TEST_F(TopCommand, CtrlCAndSigtermLeaveTheTerminalAsItWas) {
  ServeTwoJobs();
  for (const bool typed : {true, false}) {
    Terminal terminal(directory_, EBB_PROGRAM, LiveWords());
    ASSERT_TRUE(terminal.Await("busy")) << terminal.seen();
    if (typed)
      terminal.Type("\x03");
    else
      ::kill(terminal.pid(), SIGTERM);
    EXPECT_TRUE(terminal.Await(kOldScreen)) << terminal.seen();
    EXPECT_EQ(CodeOf(terminal), 0);
    EXPECT_TRUE(terminal.HasModeOfBefore());
  }
}

TEST_F(TopCommand, AServiceThatEndsIsSaidAndTheLastLookStays) {
  ServeTwoJobs();
  Terminal terminal(directory_, EBB_PROGRAM, LiveWords());
  ASSERT_TRUE(terminal.Await("busy")) << terminal.seen();
  Stop(SIGKILL);
  ASSERT_TRUE(terminal.Await("shown as of the last answer")) << terminal.seen();
  terminal.Type("q");
  EXPECT_EQ(CodeOf(terminal), 0);
  Serve();
}

TEST_F(TopCommand, OnceIsForScriptsAndAPipeGetsNothingElse) {
  ServeTwoJobs();
  const Outcome once = Client({"top", "--once", "--sort", "number"});
  EXPECT_EQ(once.code, 0) << once.err;
  EXPECT_TRUE(Contains(once.out, "200 g/kWh now")) << once.out;
  EXPECT_TRUE(Contains(once.out, "jobs 1 running, 1 waiting, 0 paused   devices 3 busy, 0 free"))
      << once.out;
  EXPECT_TRUE(Contains(once.out, "3 of 3 busy")) << once.out;
  EXPECT_LT(once.out.find("busy  "), once.out.find("later")) << once.out;
  const auto json = nlohmann::json::parse(Client({"top", "--format", "json"}).out, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json.at("schema"), "ebb.top/1");
  ASSERT_EQ(json.at("jobs").size(), 2u);
  EXPECT_EQ(json.at("jobs").at(0).at("name"), "busy");
  EXPECT_GE(json.at("jobs").at(0).at("elapsed_s"), 0);
  const Outcome pipe = Client({"top"});
  EXPECT_EQ(pipe.code, 2);
  EXPECT_TRUE(Contains(pipe.err, "--once")) << pipe.err;
  EXPECT_EQ(pipe.out, "");
  const Outcome interval = Client({"top", "--once", "--interval", "1ms"});
  EXPECT_EQ(interval.code, 2);
}

TEST_F(TopCommand, SaysWhatWasUsedTodayAndHowBusyDevicesAre) {
  Serve();
  ASSERT_EQ(Client({"submit", "--name", "busy"}, {"sh", "-c", "while :; do :; done"}).code, 0);
  nlohmann::json look;
  WaitUntil([&] {
    look = nlohmann::json::parse(Client({"top", "--format", "json"}).out, nullptr, false);
    return look.is_object() && look.at("devices").at(0).contains("utilisation_percent") &&
           look.at("devices").at(0).at("utilisation_percent") > 0 &&
           look.value("today_emissions_g", 0.0) > 0;
  });
  EXPECT_LE(look.at("devices").at(0).at("utilisation_percent"), 100);
  EXPECT_EQ(look.at("jobs").at(0).at("cpu_percent"),
            look.at("devices").at(0).at("utilisation_percent"))
      << "nothing else runs";
  // All of it was used since midnight, unless that is passing right now.
  EXPECT_LE(look.at("today_energy_kwh"), look.at("energy_kwh"));
  EXPECT_LE(look.at("today_since"), look.at("now"));
  const Outcome once = Client({"top", "--once"});
  EXPECT_TRUE(Contains(once.out, "\ntoday ")) << once.out;
  EXPECT_TRUE(Contains(once.out, "use\n")) << once.out;
  Terminal terminal(directory_, EBB_PROGRAM, LiveWords());
  EXPECT_TRUE(terminal.Await("today ")) << terminal.seen();
  terminal.Type("q");
  EXPECT_EQ(CodeOf(terminal), 0);
}

TEST_F(TopCommand, WithoutAServiceItIsSaidWhatToDo) {
  const Outcome outcome = Client({"top", "--once"});
  EXPECT_EQ(outcome.code, 4);
  EXPECT_TRUE(Contains(outcome.err, "ebb serve")) << outcome.err;
  EXPECT_TRUE(Contains(outcome.err, "ebb runs")) << outcome.err;
}

}  // namespace
}  // namespace ebb
