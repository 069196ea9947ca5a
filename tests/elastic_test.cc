// An elastic job in the queue service: its width follows the grid, and it goes on from its
// checkpoint at each width.
#include <algorithm>

#include "serve_fixture.h"

namespace ebb {
namespace {

// One hour of six is clean.
constexpr const char* kDay =
    "timestamp,carbon_intensity\n2023-05-01T00:00Z,400\n2023-05-01T01:00Z,400\n2023-05-01T02:00Z,"
    "40\n"
    "2023-05-01T03:00Z,400\n2023-05-01T04:00Z,400\n2023-05-01T05:00Z,400\n2023-05-01T06:00Z,400\n"
    "2023-05-01T07:00Z,400\n2023-05-01T08:00Z,400\n";

// Five hours of work on one device, 3.4 times as fast on four. A tick of 50 ms is half a minute of
// the grid clock. It notes its width each time it begins.
constexpr const char* kProgram =
    "done=$(cat $EBB_CHECKPOINT_DIR/done 2>/dev/null || echo 0)\n"
    "trap 'mkdir -p $EBB_CHECKPOINT_DIR; echo $done > $EBB_CHECKPOINT_DIR/done; exit 75' TERM\n"
    "echo $EBB_DEVICES $PET_NPROC_PER_NODE $done >> widths\n"
    "case $EBB_DEVICES in 4) step=34;; 2) step=19;; *) step=10;; esac\n"
    "while [ $done -lt 6000 ]; do sleep 0.05; done=$((done + step)); done\n";

TEST_F(ServeCommand, AnElasticJobIsWideInTheCleanHourAndNarrowInDirtyOnes) {
  Write("day.csv", kDay);
  Serve({"--slots", "4", "--policy", "planner"},
        {"--trace", "day.csv", "--forecast", "perfect", "--publication-lag", "none", "--grid-start",
         "2023-05-01T00:00Z", "--grid-speed", "600"});
  const Outcome submitted =
      Client({"submit", "--name", "wide", "--duration", "5h", "--power", "100", "--checkpointable",
              "--minimum-segment", "10m", "--speedup", "2=1.9,4=3.4", "--finish-by", "8h"},
             {"bash", "-c", kProgram});
  ASSERT_EQ(submitted.code, 0) << submitted.err;
  WaitUntil([&] { return Ended() == 1; });
  const auto queue = Queue();
  const auto& job = queue.at("jobs").at(0);
  EXPECT_EQ(job.at("stage"), "succeeded") << job << Read(directory_ / "serve.txt");
  struct Begin {
    int devices = 0, processes = 0, done = 0;
  };
  std::vector<Begin> begins;
  std::istringstream lines(Read(directory_ / "widths"));
  for (Begin begin; lines >> begin.devices >> begin.processes >> begin.done;)
    begins.push_back(begin);
  ASSERT_GE(begins.size(), 2u);
  const auto widest = std::ranges::max_element(begins, {}, &Begin::devices);
  EXPECT_EQ(widest->devices, 4) << "in the clean hour";
  EXPECT_TRUE(std::ranges::any_of(begins, [](const Begin& b) { return b.devices == 1; }));
  for (std::size_t i = 0; i < begins.size(); ++i) {
    EXPECT_EQ(begins[i].processes, begins[i].devices);
    if (i == 0) continue;
    EXPECT_GT(begins[i].done, begins[i - 1].done) << "goes on from its checkpoint";
  }
  const auto& ran_on = job.at("ran_on");
  ASSERT_EQ(ran_on.size(), begins.size()) << job;
  for (std::size_t i = 0; i < begins.size(); ++i)
    EXPECT_EQ(ran_on.at(i).size(), static_cast<std::size_t>(begins[i].devices));
  ASSERT_EQ(job.at("ran_devices").size(), begins.size()) << job;
  for (std::size_t i = 0; i < begins.size(); ++i)
    EXPECT_EQ(job.at("ran_devices").at(i), begins[i].devices);
  EXPECT_FALSE(job.contains("devices_now")) << "it has ended";
}

}  // namespace
}  // namespace ebb
