// GPUs as a user meets them, on a machine without GPUs, under a stand-in for NVML.
#include "gpu_fixture.h"

namespace ebb {
namespace {

constexpr const char* kThree =
    "GPU-aaaa1111 | NVIDIA L4 | 1000 | 40000\n"
    "GPU-bbbb2222 | NVIDIA L4 | 1000 | 40000\n"
    "GPU-cccc3333 | NVIDIA A10 | 1000 | 90000\n";

TEST_F(Gpus, AServiceTakesThoseItFindsAndGivesEachToOneJob) {
  Have(kThree);
  Serve({});
  WaitUntilSaid("2 x NVIDIA L4, 1 x NVIDIA A10");
  const std::vector<std::string> command{
      "bash", "-c",
      "echo $CUDA_VISIBLE_DEVICES >> seen; while [ ! -e enough ]; do sleep 0.05; done"};
  for (int i = 0; i < 4; ++i) ASSERT_EQ(Client({"submit"}, command).code, 0);
  WaitUntil([&] { return Lines("seen").size() == 3; });
  EXPECT_EQ(Lines("seen"),
            (std::multiset<std::string>{"GPU-aaaa1111", "GPU-bbbb2222", "GPU-cccc3333"}));
  WaitUntil([&] {
    const auto devices = DevicesNow();
    std::set<int> jobs;
    for (const auto& device : devices.at("devices"))
      if (device.contains("job")) jobs.insert(device.at("job").get<int>());
    return jobs.size() == 3;
  });
  const Outcome text = Client({"devices"});
  EXPECT_TRUE(Contains(text.out, "GPU-cccc3333") && Contains(text.out, "job ")) << text.out;
  Stop(SIGKILL);
  Serve({});
  EXPECT_EQ(Lines("seen").size(), 3u) << "the fourth waits for a GPU of its own";
  Write("enough", "");
  WaitUntil([&] { return Ended() == 4; });
  EXPECT_EQ(Lines("seen").size(), 4u);
}

TEST_F(Gpus, TheEnvironmentOfTheServiceHidesGpusAndANameIsChecked) {
  Have(kThree);
  ::setenv("CUDA_VISIBLE_DEVICES", "2", 1);
  const auto devices = DevicesNow().at("devices");
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].at("uuid"), "GPU-cccc3333");
  const Outcome hidden = Client({"serve", "--constant", "200", "--port", "0", "--gpus", "0"});
  EXPECT_EQ(hidden.code, 2);
  EXPECT_TRUE(Contains(hidden.err, "CUDA_VISIBLE_DEVICES leaves: 2 GPU-cccc3333 (NVIDIA A10)"))
      << hidden.err;
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  const Outcome wrong = Client({"serve", "--constant", "200", "--port", "0", "--gpus", "0,9"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(Contains(wrong.err, "\"9\"") && Contains(wrong.err, "1 GPU-bbbb2222 (NVIDIA L4)"))
      << wrong.err;
}

TEST_F(Gpus, WhatIsKnownOfThemIsShownAndOnesOwnProfilesGoBefore) {
  Have(kThree);
  auto models = DevicesNow().at("models");
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].at("model"), "NVIDIA L4");
  EXPECT_EQ(models[0].at("count"), 2);
  EXPECT_EQ(models[0].at("max_w"), 72);
  EXPECT_EQ(models[1].at("speed"), 125.0 / 121);
  EXPECT_EQ(models[1].at("power_factor"), 150.0 / 72);
  EXPECT_FALSE(models[0].contains("idle_w")) << "unknown is never zero";
  Write("own.yaml", "gpuProfiles:\n  NVIDIA L4: {idlePower: 16, maxPower: 75}\n");
  const Outcome own = Client({"devices", "--format", "json", "--device-profiles", "own.yaml"});
  models = nlohmann::json::parse(own.out).at("models");
  EXPECT_EQ(models[0].at("idle_w"), 16);
  EXPECT_EQ(models[1].at("power_factor"), 2);
  Write("wrong.yaml", "gpuProfiles:\n  NVIDIA L4: {idlePower: 16, maxpower: 75}\n");
  const Outcome wrong =
      Client({"serve", "--constant", "200", "--port", "0", "--device-profiles", "wrong.yaml"});
  EXPECT_EQ(wrong.code, 3);
  EXPECT_TRUE(Contains(wrong.err, "wrong.yaml:2") && Contains(wrong.err, "maxPower")) << wrong.err;
}

class PowerCaps : public Gpus {
 protected:
  void SetUp() override {
    Gpus::SetUp();
    Have("GPU-aaaa1111 | NVIDIA L4 | 1000 | 40000 | | 300000\n");
  }
  fs::path LimitFile() { return directory_ / "gpus.txt.GPU-aaaa1111"; }
  std::string Limit() { return Read(LimitFile()); }
  fs::path AttemptFile(const std::string& job, const char* ending) {
    return directory_ / "jobs" / job / ("attempt-1" + std::string(ending));
  }
  // Submits a job that ends when the test creates the file "enough".
  void Submit(std::vector<std::string> words) {
    words.insert(words.begin(), "submit");
    const Outcome outcome =
        Client(words, {"bash", "-c", "while [ ! -e enough ]; do sleep 0.05; done"});
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
};

TEST_F(PowerCaps, HoldWhileTheJobRunsAndArePutBackWhoeverDies) {
  Serve({"--power-cap", "70%"});
  Submit({});
  WaitUntil([&] { return Limit() == "210000\n"; });
  Write("enough", "");
  WaitUntil([&] { return Ended() == 1; });
  EXPECT_EQ(Limit(), "300000\n");
  EXPECT_FALSE(fs::exists(AttemptFile("1", ".power")));
  fs::remove(directory_ / "enough");
  Submit({"--power-cap", "150W"});
  WaitUntil([&] { return Limit() == "150000\n"; });
  Stop(SIGKILL);
  const std::string lock = Read(AttemptFile("2", ".lock"));
  ASSERT_TRUE(lock.starts_with("supervisor ")) << lock;
  ::kill(std::stoi(lock.substr(11)), SIGKILL);
  EXPECT_EQ(Limit(), "150000\n");
  Serve({"--power-cap", "70%"});
  WaitUntil([&] { return Limit() == "300000\n" && !fs::exists(AttemptFile("2", ".power")); });
  EXPECT_EQ(Client({"cancel", "2"}).code, 0);
}

TEST_F(PowerCaps, WithoutPermissionTheJobRunsUncappedAndSaysSo) {
  fs::create_directory(LimitFile());  // cannot be written, not even by root
  Serve({});
  Submit({"--power-cap", "70%"});
  Write("enough", "");
  WaitUntil([&] { return Ended() == 1; });
  EXPECT_TRUE(Contains(Read(AttemptFile("1", ".end")), "without its power cap of 70%"));
  EXPECT_FALSE(fs::exists(AttemptFile("1", ".power")));
  const Outcome wrong = Client({"submit", "--power-cap", "a lot"}, {"true"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(Contains(wrong.err, "power_cap") && Contains(wrong.err, "70%")) << wrong.err;
}

// The driver was upgraded, or comes up after the service.
TEST_F(Gpus, AServiceWaitsForADriverThatDoesNotAnswer) {
  Have(kThree);
  Serve({"--gpus", "0,1"});
  const std::vector<std::string> command{
      "bash", "-c",
      "echo [$CUDA_VISIBLE_DEVICES] >> seen; while [ ! -e enough ]; do sleep 0.05; done"};
  ASSERT_EQ(Client({"submit"}, command).code, 0);
  WaitUntil([&] { return Lines("seen").size() == 1; });
  Stop(SIGKILL);
  Become("! init 18\n" + std::string(kThree));
  Serve({"--gpus", "0,1", "--gpu-check", "1s"});
  ASSERT_EQ(Client({"submit"}, command).code, 0) << "it is taken, and waits";
  ASSERT_EQ(Client({"submit", "--devices", "2"}, command).code, 0);
  WaitUntilSaid("1 x NVIDIA L4");  // the GPU that a job holds still counts
  const std::string said = Read(directory_ / "serve.txt");
  EXPECT_TRUE(Contains(said, "Driver/library version mismatch")) << said;
  EXPECT_FALSE(Contains(said, "cpu")) << said;
  EXPECT_EQ(Get("/readyz").status, 503);
  const auto ready = nlohmann::json::parse(Get("/readyz").body, nullptr, false);
  EXPECT_EQ(ready.value("ready", true), false);
  EXPECT_TRUE(Contains(ready.value("devices", ""), "Driver/library version mismatch")) << ready;
  const Outcome devices = Client({"devices"});
  EXPECT_TRUE(Contains(devices.out, "Driver/library version mismatch")) << devices.out;
  EXPECT_TRUE(Contains(Client({"queue"}).out, "no GPU can be given to a job: ")) << "why it waits";
  EXPECT_EQ(Lines("seen").size(), 1u);
  EXPECT_EQ(Queue().at("jobs")[1].at("stage"), "waiting");
  Become(kThree);
  WaitUntil([&] { return Lines("seen").size() == 2; });
  EXPECT_EQ(Lines("seen"), (std::multiset<std::string>{"[GPU-aaaa1111]", "[GPU-bbbb2222]"}));
  Write("enough", "");
  WaitUntil([&] { return Ended() == 3; });
  EXPECT_EQ(Lines("seen").size(), 3u);
}

TEST_F(Gpus, AStoreThatKnowsGpusNeverFallsBackToTheCpuByItself) {
  Have(kThree);
  Serve({});
  ASSERT_EQ(Client({"submit"}, {"true"}).code, 0);
  WaitUntil([&] { return Ended() == 1; });
  Stop(SIGTERM);
  fs::remove(directory_ / "libnvidia-ml.so.1");
  Serve({});
  ASSERT_EQ(Client({"submit"}, {"true"}).code, 0);
  WaitUntilSaid("--slots N runs jobs on the CPU");
  EXPECT_EQ(Ended(), 1u);
  Stop(SIGTERM);
  Serve({"--slots", "1"});
  WaitUntil([&] { return Ended() == 2; });
}

TEST_F(Gpus, AJobOnTheCpuSeesNoGpu) {
  Have(kThree);
  ::setenv("CUDA_VISIBLE_DEVICES", "0,1", 1);
  Serve({"--slots", "1"});
  ASSERT_EQ(Client({"submit"}, {"bash", "-c", "echo [$CUDA_VISIBLE_DEVICES] >> seen"}).code, 0);
  WaitUntil([&] { return Ended() == 1; });
  EXPECT_EQ(Lines("seen"), std::multiset<std::string>{"[]"});
}

TEST_F(Gpus, ASweepDoesNotRunOnTheCpuWhereTheDriverDoesNotAnswer) {
  Have("! init 9\n");
  Write(
      "sweep.yaml",
      "name: s\nparameters:\n  grid: {rate: [1, 2]}\nestimates:\n  - {duration: 1m, power_w: 10}\n"
      "name_template: \"r{rate}\"\ncommand: [\"true\"]\ntime_limit: 24h\n");
  const Outcome refused = Ebb({"sweep", "run", "sweep.yaml", "--constant", "200"});
  EXPECT_EQ(refused.code, 4) << refused.out << refused.err;
  EXPECT_TRUE(Contains(refused.err, "Driver Not Loaded") && Contains(refused.err, "--slots"))
      << refused.err;
}

TEST_F(Gpus, GpusComeAndGoUnderARunningService) {
  const std::string one = "GPU-aaaa1111 | NVIDIA L4 | 1000 | 40000\n";
  Have(one);
  Serve({"--gpu-check", "1s"});
  const std::vector<std::string> command{
      "bash", "-c",
      "echo $CUDA_VISIBLE_DEVICES >> seen; while [ ! -e enough ]; do sleep 0.05; done"};
  for (int i = 0; i < 3; ++i) ASSERT_EQ(Client({"submit"}, command).code, 0);
  WaitUntil([&] { return Lines("seen").size() == 1; });
  Become(kThree);
  WaitUntil([&] { return Lines("seen").size() == 3; });
  EXPECT_EQ(Lines("seen"),
            (std::multiset<std::string>{"GPU-aaaa1111", "GPU-bbbb2222", "GPU-cccc3333"}));
  Become(one);
  WaitUntil([&] { return Contains(Client({"devices"}).out, "gone"); });
  ASSERT_EQ(Client({"submit"}, command).code, 0);
  Write("enough", "");
  WaitUntil([&] { return Ended() == 4; });
  EXPECT_EQ(Lines("seen").count("GPU-aaaa1111"), 2u) << "what was on the others went on";
  EXPECT_EQ(Client({"store", "check"}).code, 0);
}

TEST_F(Gpus, AGpuThatFailsFastIsSetAsideAndAPersonPutsItBack) {
  Have("GPU-aaaa1111 | NVIDIA L4 | 1000 | 40000\nGPU-bbbb2222 | NVIDIA L4 | 1000 | 40000\n");
  Serve({"--gpu-check", "1s"});
  // The second GPU fails every job.
  const std::vector<std::string> command{
      "bash", "-c", "case $CUDA_VISIBLE_DEVICES in GPU-b*) exit 1;; *) sleep 0.2;; esac"};
  for (int i = 0; i < 12; ++i) ASSERT_EQ(Client({"submit"}, command).code, 0);
  WaitUntil([&] { return Ended() == 12; });
  const auto failed = [&] {
    std::size_t count = 0;
    const auto queue = Queue();
    for (const auto& job : queue.at("jobs")) count += job.at("stage") == "failed";
    return count;
  };
  EXPECT_LE(failed(), 4u);
  EXPECT_GE(failed(), 3u);
  const Outcome shown = Client({"devices"});
  EXPECT_TRUE(Contains(shown.out, "set aside") && Contains(shown.out, "jobs in a row"))
      << shown.out;
  Stop(SIGKILL);
  Serve({"--gpu-check", "1s"});
  EXPECT_TRUE(Contains(Client({"devices"}).out, "set aside")) << "over a restart";
  const Outcome dry = Client({"devices", "--put-back", "GPU-bbbb", "--dry-run"});
  EXPECT_TRUE(Contains(dry.out, "would put-back GPU-bbbb2222")) << dry.out << dry.err;
  EXPECT_TRUE(Contains(Client({"devices"}).out, "set aside")) << "nothing was changed";
  EXPECT_EQ(Client({"devices", "--put-back", "GPU-bbbb"}).code, 0);
  EXPECT_FALSE(Contains(Client({"devices"}).out, "set aside"));
  EXPECT_EQ(Client({"devices", "--set-aside", "0", "--why", "fan"}).code, 0);
  const auto devices = DevicesNow().at("devices");
  EXPECT_EQ(devices[0].at("state"), "set aside");
  EXPECT_EQ(devices[0].at("why"), "fan");
  EXPECT_EQ(Client({"devices", "--set-aside", "7"}).code, 2);
  EXPECT_EQ(Client({"store", "check"}).code, 0);
}

// The job goes on elsewhere, and the GPU gets no other job.
TEST_F(Gpus, AnErrorOfTheDriverIsNotTheJobsFault) {
  Have(kThree);
  Serve({"--gpu-check", "1s"});
  const std::vector<std::string> command{
      "bash", "-c",
      "echo $CUDA_VISIBLE_DEVICES >> seen; while [ ! -e enough "
      "]; do [ -e fail-$CUDA_VISIBLE_DEVICES ] && exit 1; sleep 0.05; done"};
  ASSERT_EQ(Client({"submit", "--checkpointable"}, command).code, 0);
  WaitUntil([&] { return Lines("seen").size() == 1; });
  const std::string first = *Lines("seen").begin();
  Become(kThree + ("! xid " + first + " 31\n! xid " + first + " 79\n"));
  Write("fail-" + first, "");
  WaitUntil([&] { return Contains(Client({"devices"}).out, "Xid 79"); });
  WaitUntil([&] { return Lines("seen").size() >= 2; });
  EXPECT_EQ(Lines("seen").count(first), 1u) << "not on the same GPU again";
  Write("enough", "");
  WaitUntil([&] { return Ended() == 1; });
  EXPECT_EQ(Queue().at("jobs")[0].at("stage"), "succeeded");
}

TEST_F(Gpus, WithoutAnyTheCpuIsUsed) {
  Have("");
  Serve({});
  WaitUntilSaid("1 x cpu");
  const Outcome text = Client({"devices"});
  EXPECT_EQ(text.code, 0);
  EXPECT_TRUE(Contains(text.out, "--slots")) << text.out;
}

}  // namespace
}  // namespace ebb
