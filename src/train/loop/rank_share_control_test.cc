#include "train/loop/rank_share_control.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "platform/file.h"
#include "testing/scratch_directory.h"
#include "train/data/sampler.h"
#include "train/loop/training_loop.h"
#include "train/ranks/free_port_for_test.h"

namespace ebb::train {
namespace {

using Samples = std::vector<std::uint32_t>;

constexpr std::size_t kSamples = 370;  // the last of ten updates has ten
constexpr std::size_t kUpdate = 40;
constexpr std::int64_t kEpochs = 40;

// Computes by sleeping, so its speed is known. Its gradient is the mean of numbers of its samples.
class SleepingTask : public Task {
 public:
  explicit SleepingTask(std::chrono::microseconds per_sample)
      : per_sample_(per_sample), optimizer_(NamedTensors{{"only", torch::ones({1})}}) {}

  std::size_t samples() const override { return kSamples; }
  torch::Device device() const override { return torch::kCPU; }
  Adam& optimizer() override { return optimizer_; }
  NamedTensors TrainedTensors() override { return {{"only", optimizer_.slots()[0].parameter}}; }
  UpdateLoss AddGradients(const UpdateRequest& request) override {
    const Samples samples(request.samples.begin(), request.samples.end());
    seen_[request.step] = samples;
    std::this_thread::sleep_for(per_sample_ * samples.size());
    double sum = 0;
    for (const std::uint32_t sample : samples) sum += sample % 7 - 3.0;
    const auto count = static_cast<double>(samples.size());
    optimizer_.slots()[0].parameter.mutable_grad() = torch::full({1}, sum / count);
    const double loss = request.step == ends_at_ ? std::nan("") : 0.5;
    return {torch::full({}, loss), static_cast<std::int64_t>(samples.size()), 0};
  }
  Evaluation Evaluate() override { return {1, 0.5}; }
  Result<std::string> Finish(const TrainingState& state) override {
    finished_ = state;
    return std::string("done");
  }

  std::int64_t ends_at_ = -1;  ///< the update whose loss is not finite
  std::map<std::int64_t, Samples> seen_;
  std::optional<TrainingState> finished_;

 private:
  std::chrono::microseconds per_sample_;
  Adam optimizer_;
};

// Two ranks as threads.
class RankShares : public ::testing::Test {
 protected:
  using Tasks = std::array<SleepingTask, 2>;

  Result<Outcome> TrainRank(SleepingTask& task, int rank, std::uint16_t port, bool resume) {
    RankPlace place;
    place.rank = rank;
    place.size = place.on_this_machine = 2;
    place.address = "127.0.0.1";
    place.port = port;
    EBB_ASSIGN_OR_RETURN(Ranks ranks, Ranks::Join(place, 1));
    LoopSettings settings;
    settings.micro_batch = kUpdate;
    settings.epochs = kEpochs;
    settings.learning_rate.initial = 1e-3;
    settings.run_dir = settings.checkpoint_dir = directory_.string();
    settings.resume = resume;
    settings.progress = ProgressStyle::kNone;
    settings.ranks = &ranks;
    settings.rank_share = shares_[static_cast<std::size_t>(rank)];
    settings.rank_share.automatic = true;
    settings.identity.fingerprint = {{"--task", "sleeping"}};
    const TensorMemoryScope memory(torch::kCPU);
    return RunTraining(task, settings, memory);
  }

  std::array<Result<Outcome>, 2> Train(Tasks& tasks, bool resume = false) {
    at::set_num_threads(1);
    const std::uint16_t port = FreePort();
    auto other =
        std::async(std::launch::async, [&] { return TrainRank(tasks[1], 1, port, resume); });
    auto mine = TrainRank(tasks[0], 0, port, resume);
    return {std::move(mine), other.get()};
  }

  std::vector<nlohmann::json> Changes() const {
    std::ifstream file(directory_ / "progress.jsonl");
    std::vector<nlohmann::json> changes;
    for (std::string line; std::getline(file, line);)
      if (auto json = nlohmann::json::parse(line); json.at("event") == "rank_shares")
        changes.push_back(json);
    return changes;
  }

  // The samples of an update, of all ranks in their order, are those of a training by one process.
  static void ExpectTheOrderOfOne(const Tasks& tasks) {
    ASSERT_EQ(tasks[0].seen_.size(), tasks[1].seen_.size());
    const BatchPlan plan{kSamples, kUpdate, 1};
    const auto per_epoch = static_cast<std::int64_t>(plan.updates_per_epoch());
    for (const auto& [step, first] : tasks[0].seen_) {
      Samples both = first;
      const Samples& second = tasks[1].seen_.at(step);
      both.insert(both.end(), second.begin(), second.end());
      const auto order = EpochPermutation(
          {LoopSettings().seed, static_cast<std::uint64_t>(step / per_epoch)}, kSamples);
      const auto update = plan.Update(order, static_cast<std::size_t>(step % per_epoch));
      ASSERT_EQ(both, Samples(update.begin(), update.end())) << "step " << step;
    }
  }

  const platform::Path directory_ = ScratchDirectory("rank-shares");
  std::array<RankShareOptions, 2> shares_;
};

TEST_F(RankShares, FollowTheSpeedOfTheRanksAndOutliveAKill) {
  using std::chrono::microseconds;
  Tasks tasks{SleepingTask(microseconds{500}), SleepingTask(microseconds{1500})};
  tasks[1].ends_at_ = 215;
  for (const auto& ended : Train(tasks)) ASSERT_FALSE(ended) << "it has diverged";
  ExpectTheOrderOfOne(tasks);
  const std::vector<nlohmann::json> changes = Changes();
  ASSERT_FALSE(changes.empty());
  const auto changed_at = changes[0].at("step").get<std::int64_t>();
  const auto division = changes[0].at("samples").get<std::vector<std::size_t>>();
  EXPECT_EQ(changes[0].at("aim"), "energy") << "the intensity is unknown";
  EXPECT_GT(division[0], 24U) << "30 if sleeps were exact";
  EXPECT_LT(division[0], 37U);
  EXPECT_EQ(tasks[0].seen_.at(changed_at - 1).size(), changed_at % 10 == 0 ? 5U : 20U);
  EXPECT_LT(changes[0].at("update_s"), changes[0].at("was_s"));

  // The division of the checkpoint is there from the first update on.
  const auto last = changes.back().at("samples").get<std::vector<std::size_t>>();
  Tasks again{SleepingTask(microseconds{500}), SleepingTask(microseconds{1500})};
  for (const auto& ended : Train(again, true)) ASSERT_TRUE(ended) << ended.error().Message();
  ExpectTheOrderOfOne(again);
  const std::int64_t first_step = again[0].seen_.begin()->first;
  EXPECT_EQ(first_step, 210) << "the end of an epoch";
  EXPECT_EQ(again[0].seen_.at(first_step).size(), last[0]);
  EXPECT_EQ(again[1].seen_.at(first_step).size(), last[1]);
  ASSERT_TRUE(again[0].finished_);
  EXPECT_EQ(again[0].finished_->rank_shares.changes.size(), Changes().size());
}

TEST_F(RankShares, FollowTheGridOfEachRank) {
  for (RankShareOptions& share : shares_) {
    share.power = {300, 60};
    share.slower_by = core::Slowdown{20};
  }
  const auto grid = directory_ / "grid.json";
  ASSERT_TRUE(platform::WriteFileAtomically(grid, R"({"g_per_kwh":500,"pue":1.2})"));
  shares_[0].grid_file = grid.string();
  shares_[1].g_per_kwh = 50;
  Tasks tasks{SleepingTask(std::chrono::milliseconds{1}),
              SleepingTask(std::chrono::milliseconds{1})};
  tasks[1].ends_at_ = 180;
  for (const auto& ended : Train(tasks)) ASSERT_FALSE(ended);
  ExpectTheOrderOfOne(tasks);
  const std::vector<nlohmann::json> changes = Changes();
  ASSERT_FALSE(changes.empty());
  EXPECT_EQ(changes[0].at("aim"), "emissions");
  EXPECT_EQ(changes[0].at("ranks")[0].at("g_per_kwh"), 600);
  EXPECT_EQ(changes[0].at("ranks")[1].at("power_by"), "given");
  const auto division = changes[0].at("samples").get<std::vector<std::int64_t>>();
  EXPECT_GE(division[1], 22) << "24 if sleeps were exact";
  EXPECT_LE(division[1], 26);
}

TEST_F(RankShares, OfAnotherNumberOfRanksAreFoundAnew) {
  RankShareState state{{{3, {30, 5, 5}}}, {}};
  auto ranks = Ranks::Join({}, 1);
  ASSERT_TRUE(ranks);
  RankShareControl control({}, *ranks, kUpdate, torch::kCPU);
  control.Use(state);
  EXPECT_THAT(ranks->Parts(kUpdate), testing::ElementsAre(40));
  EXPECT_EQ(control.state().changes.size(), 1U) << "the history stays";
}

}  // namespace
}  // namespace ebb::train
