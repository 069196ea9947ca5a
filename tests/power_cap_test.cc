// --power-cap auto as a user meets it: the stand-in for NVML, and a program on it whose speed and
// power follow from the limit (gpu_load_for_test.cc).
#include "core/ledger/ledger.h"
#include "gpu_fixture.h"
#include "store/accounts/ledger_records.h"

namespace ebb {
namespace {

using Json = nlohmann::json;

constexpr const char* kOne = "GPU-aaaa1111 | NVIDIA L4 | 0 | 40000 | | 300000\n";

class PowerCapAuto : public Gpus {
 protected:
  void SetUp() override {
    Gpus::SetUp();
    Have(kOne);
  }
  void See(const std::string& uuid) { ::setenv("CUDA_VISIBLE_DEVICES", uuid.c_str(), 1); }
  std::string Limit(const std::string& uuid = "GPU-aaaa1111") {
    return Read(directory_ / ("gpus.txt." + uuid));
  }
  // Starts `ebb run --power-cap auto` on the load, whose steps are without end.
  pid_t StartRun(const std::vector<std::string>& more = {}) {
    See("GPU-aaaa1111");
    std::vector<std::string> words{EBB_PROGRAM, "run", "--constant",  "300", "--interval", "50ms",
                                   "--run-dir", "r",   "--power-cap", "auto"};
    words.insert(words.end(), more.begin(), more.end());
    for (const char* word : {"--", EBB_GPU_LOAD, "0"}) words.emplace_back(word);
    return StartAside(words, "run.txt");
  }
  static int End(pid_t child, int signal) {
    int status = 0;
    ::kill(child, signal);
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  Json Choice(const fs::path& folder) {
    return Json::parse(Read(directory_ / folder / "power-cap.jsonl"), nullptr, false);
  }
  void Submit(std::vector<std::string> words, const std::vector<std::string>& command) {
    words.insert(words.begin(), "submit");
    const Outcome outcome = Client(words, command);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
};

TEST_F(PowerCapAuto, ARunFindsItsLimitKeepsItAndPutsItBack) {
  const pid_t run = StartRun({"--slower-by", "10%"});
  WaitUntil([&] { return Choice("r").is_object(); });
  const Json choice = Choice("r");
  ASSERT_TRUE(choice.at("cap_w").is_number()) << choice;
  const int cap_w = choice.at("cap_w").get<int>();
  EXPECT_EQ(Limit(), std::to_string(1000 * cap_w) + "\n") << "kept while it runs";
  // The load draws 280 W; steps are a tenth slower at about 200 W.
  EXPECT_GT(cap_w, 150) << choice;
  EXPECT_LT(cap_w, 260) << choice;
  EXPECT_EQ(choice.at("device_model"), "NVIDIA L4");
  EXPECT_GT(choice.at("trials").size(), 3u);
  EXPECT_EQ(End(run, SIGTERM), 75);
  EXPECT_EQ(Limit(), "300000\n");
  EXPECT_FALSE(fs::exists(directory_ / "r" / "attempt-1.power"));
  const Outcome text = Ebb({"summary", "r"});
  EXPECT_TRUE(Contains(text.out + text.err, "less energy per step")) << text.out << text.err;
  const Json summary = Json::parse(Read(directory_ / "r" / "summary.json"));
  EXPECT_EQ(summary.at("power_cap")[0].at("cap_w"), cap_w);
}

TEST_F(PowerCapAuto, ARunThatIsKilledLeavesNoLimitBehind) {
  const pid_t run = StartRun();
  WaitUntil([&] { return !Limit().empty() && Limit() != "300000\n"; });
  End(run, SIGKILL);
  WaitUntil([&] { return Limit() == "300000\n"; });
  WaitUntil([&] { return !fs::exists(directory_ / "r" / "attempt-1.power"); });
}

TEST_F(PowerCapAuto, WithoutPermissionOrProgressTheLimitIsLeftAlone) {
  fs::create_directory(directory_ / "gpus.txt.GPU-aaaa1111");  // cannot be written, even by root
  See("GPU-aaaa1111");
  const Outcome refused = Ebb(
      {"run", "--constant", "300", "--run-dir", "refused", "--power-cap", "auto", "--", "true"});
  EXPECT_EQ(refused.code, 0);
  EXPECT_TRUE(Contains(refused.err, "no limit is looked for") && Contains(refused.err, "root"))
      << refused.err;
  fs::remove(directory_ / "gpus.txt.GPU-aaaa1111");
  const Outcome silent = Ebb({"run", "--constant", "300", "--run-dir", "silent", "--power-cap",
                              "auto", "--", "sleep", "0.2"});
  EXPECT_TRUE(Contains(silent.err, "left at 300 W: the program ended before")) << silent.err;
  EXPECT_EQ(Limit(), "300000\n");
  const Outcome wrong = Ebb({"run", "--power-cap", "much", "--", "true"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(Contains(wrong.err, "auto")) << wrong.err;
}

TEST_F(PowerCapAuto, AFixedLimitHoldsForARunToo) {
  See("GPU-aaaa1111");
  const Outcome outcome = Ebb({"run", "--constant", "300", "--run-dir", "r", "--power-cap", "70%",
                               "--", "bash", "-c", "cat gpus.txt.GPU-aaaa1111"});
  EXPECT_TRUE(Contains(outcome.out, "210000")) << outcome.out << outcome.err;
  EXPECT_EQ(Limit(), "300000\n");
}

// Each has a job on the same program: the first searches, the second knows, the third is in a
// hurry.
TEST_F(PowerCapAuto, AServiceKnowsWhatAJobFoundUnlessADeadlineIsNear) {
  Serve({"--interval", "50ms", "--power-cap", "auto", "--slower-by", "10%"});
  const std::vector<std::string> command{EBB_GPU_LOAD, "0"};
  Submit({"--checkpointable"}, command);
  WaitUntil([&] { return Choice("jobs/1").is_object(); });
  const Json found = Choice("jobs/1");
  ASSERT_TRUE(found.at("cap_w").is_number()) << found;
  const std::string cap = std::to_string(1000 * found.at("cap_w").get<int>()) + "\n";
  EXPECT_EQ(Limit(), cap);
  const Outcome shown = Client({"show", "1"});
  EXPECT_TRUE(Contains(shown.out, "less energy per step")) << shown.out;
  EXPECT_EQ(Client({"cancel", "1"}).code, 0);
  WaitUntil([&] { return Ended() == 1; });
  EXPECT_EQ(Limit(), "300000\n");

  Stop(SIGTERM);
  Serve({"--interval", "50ms", "--power-cap", "auto", "--slower-by", "10%"});
  Submit({"--duration", "1h", "--finish-by", "5h"}, command);
  WaitUntil([&] { return Choice("jobs/2").is_object(); });
  EXPECT_EQ(Choice("jobs/2").at("found_by"), 1) << "without a search";
  EXPECT_EQ(Limit(), cap);
  EXPECT_EQ(Client({"cancel", "2"}).code, 0);
  WaitUntil([&] { return Ended() == 2; });

  Submit({"--duration", "1h", "--finish-by", "61m"}, command);
  WaitUntil([&] { return !Read(directory_ / "jobs/3/progress.jsonl").empty(); });
  EXPECT_EQ(Limit(), "300000\n") << "the deadline is near";
  EXPECT_TRUE(Choice("jobs/3").at("cap_w").is_null());
  const Outcome why = Client({"show", "3"});
  EXPECT_TRUE(Contains(why.out, "finish-by is too near")) << why.out;
  EXPECT_EQ(Client({"cancel", "3"}).code, 0);
  WaitUntil([&] { return Ended() == 3; });
}

// Two cards of unlike models under real supervisors.
TEST_F(PowerCapAuto, EachJobIsBookedOnTheCardThatItHasAndEachModelIsLearntByItself) {
  Become(
      "GPU-aaaa1111 | NVIDIA L4 | 0 | 40000 | | 300000\n"
      "GPU-cccc3333 | NVIDIA A10 | 0 | 90000 | | 300000\n");
  Serve({"--interval", "50ms"});
  WaitUntilSaid("1 x NVIDIA L4, 1 x NVIDIA A10");
  // The L4 draws 80 W, the A10 200 W.
  const std::vector<std::string> command{
      "bash", "-c",
      "case $CUDA_VISIBLE_DEVICES in GPU-aaaa*) w=80;; *) w=200;; esac; exec " EBB_GPU_LOAD
      " 25 0.02 $w"};
  constexpr int kJobs = 8;
  for (int i = 0; i < kJobs; ++i) Submit({"--power", "70", "--duration", "1m"}, command);
  WaitUntil([&] { return Ended() == kJobs; });
  const Json models = DevicesNow().at("models");
  Stop(SIGTERM);
  auto database = *store::Database::Open(directory_ / "ebb.db", store::Database::Mode::kRead);
  std::map<std::string, double> joules;
  for (core::JobId id = 1; id <= kJobs; ++id) {
    std::set<std::string> gpus;
    const auto rows = store::LedgerOf(database, id);
    ASSERT_TRUE(rows) << rows.error().Message();
    for (const core::LedgerRow& row : *rows) {
      if (row.component != core::Component::kGpu) continue;
      gpus.insert(row.device);
      joules[row.device] += row.energy.joules();
    }
    EXPECT_EQ(gpus.size(), 1u) << "job " << id;
  }
  ASSERT_EQ(joules.size(), 2u) << "both cards had jobs";
  for (const auto& [device, booked] : joules) {
    const double counter = std::stod(Read(directory_ / ("gpus.txt." + device.substr(4) + ".load")));
    EXPECT_NEAR(booked, counter / 1000, 0.02 * counter / 1000) << device;
  }
  ASSERT_EQ(models.size(), 2u) << models;
  for (const Json& model : models) ASSERT_TRUE(model.contains("measured")) << model;
  EXPECT_NEAR(models[0].at("measured").at("jobs").get<int>() +
                  models[1].at("measured").at("jobs").get<int>(),
              kJobs, 0);
  EXPECT_LT(models[0].at("measured").at("power_ratio"), models[1].at("measured").at("power_ratio"))
      << models;
}

}  // namespace
}  // namespace ebb
