// A sweep on the queue service, as a user runs it.
#include <fstream>
#include <regex>

#include "serve_fixture.h"

namespace ebb {
namespace {

class ServeSweep : public ServeCommand {
 protected:
  // Writes a sweep whose experiments report the loss in their name at each epoch for which there is
  // a file, up to the fourth.
  void WriteSweep() {
    std::ofstream(directory_ / "train.sh")
        << "for epoch in 1 2 3 4; do\n"
           "  while [ ! -e epoch-$epoch-$1 ] && [ ! -e epoch-$epoch ]; do sleep 0.02; done\n"
           "  echo '{\"time_ms\":'$(date +%s%3N)',\"event\":\"epoch_end\",\"epoch\":'$epoch',"
           "\"test_loss\":'$1'}' >> $EBB_RUN_DIR/progress.jsonl\n"
           "done\n";
    std::ofstream(directory_ / "small.yaml")
        << "name: small\n"
           "parameters: {grid: {loss: [0.3, 0.6, 0.2], model: [tiny]}}\n"
           "estimates: [{duration: 40s, power_w: 100}]\n"
           "name_template: \"loss-{loss}\"\n"
           "command: [bash, train.sh, \"{loss}\"]\n"
           "successive_halving: {reduction: 2, minimum_epochs: 1, epochs: 4}\n";
  }
  void Touch(const std::string& name) { std::ofstream(directory_ / name) << "x"; }
  std::size_t Lines(int job) {
    const std::string text = Read(directory_ / "jobs" / std::to_string(job) / "progress.jsonl");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
  nlohmann::json Sweep(const std::string& name) {
    const Outcome outcome = Client({"queue", "--sweep", name, "--format", "json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }
  std::string OutcomeOf(const std::string& experiment) {
    const nlohmann::json sweep = Sweep("small");
    for (const auto& row : sweep.at("experiments"))
      if (row.at("name") == experiment) return row.at("outcome");
    return "";
  }
};

TEST_F(ServeSweep, WhoFallsBehindIsStoppedThoughTheServiceWasKilled) {
  WriteSweep();
  Serve();
  const Outcome submitted = Client({"submit", "small.yaml"});
  ASSERT_EQ(submitted.code, 0) << submitted.err;
  EXPECT_EQ(submitted.out, "1\n2\n3\n");
  EXPECT_NE(submitted.err.find("ebb queue --sweep 1"), std::string::npos) << submitted.err;
  EXPECT_EQ(submitted.err.find("left out"), std::string::npos) << submitted.err;

  Touch("epoch-1-0.3");
  WaitUntil([&] { return Lines(1) == 1; });
  Stop(SIGKILL);
  Touch("epoch-1-0.6");
  WaitUntil([&] { return Lines(2) == 1; });
  Serve();
  WaitUntil([&] { return OutcomeOf("loss-0.6") == "stopped early"; });
  Stop(SIGKILL);
  Serve();
  const Outcome shown = Client({"show", "2"});
  EXPECT_NE(shown.out.find("stopped by successive halving: rank 2 of 2 at epoch 1"),
            std::string::npos)
      << shown.out;
  const std::string why = Client({"explain", "2"}).out;
  EXPECT_NE(why.find("rank 2 of 2"), std::string::npos);
  EXPECT_EQ(why.find(" 0.0 g"), std::string::npos) << why;
  const std::string queue = Client({"queue", "--all"}).out;
  EXPECT_NE(queue.find("rank 2 of 2"), std::string::npos);
  EXPECT_NE(queue.find("emitted"), std::string::npos) << queue;
  EXPECT_EQ(queue.find(" 0.000 "), std::string::npos) << "figures carry the unit that fits";

  Touch("epoch-1-0.2");
  WaitUntil([&] { return Lines(3) == 1; });
  for (const std::string epoch : {"1", "2", "3", "4"}) Touch("epoch-" + epoch + "-0.2");
  WaitUntil([&] { return OutcomeOf("loss-0.2") == "done"; });
  for (const std::string epoch : {"1", "2", "3", "4"}) Touch("epoch-" + epoch);
  WaitUntil([&] { return Ended() == 3; });
  const auto sweep = Sweep("1");
  EXPECT_EQ(sweep.at("best"), "loss-0.2");
  EXPECT_EQ(sweep.at("over"), true);
  EXPECT_GE(sweep.at("stopped_early"), 1);
  // Each experiment that was stopped at the first rung saved three quarters of 40 s at 100 W and
  // 200 g/kWh.
  EXPECT_GE(sweep.at("estimated_saved_g").get<double>(), 3000 / 3.6e6 * 200 - 1e-9);
  const Outcome table = Client({"queue", "--sweep", "small"});
  EXPECT_NE(table.out.find("winner: loss-0.2"), std::string::npos) << table.out;
  EXPECT_TRUE(std::regex_search(table.out, std::regex("experiment +outcome +loss +loss")))
      << table.out;
  EXPECT_TRUE(std::regex_search(table.out, std::regex("loss-0.2 +done +0\\.2 +0\\.2000")))
      << table.out;
  EXPECT_EQ(sweep.at("experiments")[0].at("parameters"),
            nlohmann::json({{"loss", "0.2"}, {"model", "tiny"}}));
  EXPECT_NE(table.out.find("stopped early: about"), std::string::npos) << table.out;
  Stop(SIGTERM);
  const Outcome check = Ebb({"store", "check", "--store", "ebb.db"});
  EXPECT_EQ(check.code, 0) << check.out;
}

TEST_F(ServeSweep, ASweepIsCancelledAsAWhole) {
  WriteSweep();
  Serve();
  EXPECT_NE(Client({"queue", "--sweeps"}).out.find("no sweep"), std::string::npos);
  ASSERT_EQ(Client({"submit", "small.yaml"}).code, 0);
  ASSERT_EQ(Client({"submit", "small.yaml"}).code, 0) << "the same file again is another sweep";
  EXPECT_NE(Client({"queue", "--sweeps"}).out.find("small"), std::string::npos);
  const Outcome unknown = Client({"cancel", "--sweep", "smal"});
  EXPECT_NE(unknown.code, 0);
  EXPECT_NE(unknown.err.find("did you mean \"small\""), std::string::npos) << unknown.err;
  EXPECT_EQ(Client({"cancel"}).code, 2);
  EXPECT_EQ(Client({"cancel", "1", "--sweep", "small"}).code, 2);
  const Outcome cancelled = Client({"cancel", "--sweep", "small"});
  EXPECT_EQ(cancelled.code, 0);
  EXPECT_NE(cancelled.err.find("3 jobs"), std::string::npos) << cancelled.err;
  WaitUntil([&] { return Ended() == 3; });
  const auto queue = Queue();
  for (const auto& job : queue.at("jobs"))
    EXPECT_EQ(job.at("stage") == "cancelled", job.at("id") > 3) << "the newest of the name";
  EXPECT_EQ(Client({"cancel", "--sweep", "1"}).code, 0);
  WaitUntil([&] { return Ended() == 6; });
}

}  // namespace
}  // namespace ebb
