#include "core/jobs/move.h"

#include <gtest/gtest.h>

namespace ebb::core {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int kHome = 0, kAway = 1, kFar = 2;

class MoveTest : public ::testing::Test {
 protected:
  MoveTest() {
    cluster_.sites = {{"home", "H", {1.5}}, {"away", "A", {1.2}}, {"far", "F", {1.1}}};
    cluster_.pools = {
        {"gpu", kHome, 4, 1, 1, {}}, {"gpu", kAway, 4, 1, 1, {30}}, {"gpu", kFar, 4, 2, 1, {}}};
    job_.devices = 2;
    job_.duration = hours{1};
    job_.power = {300};
    job_.home = "home";
    job_.file_bytes = 10'000'000'000;
    job_.checkpoint_bytes = 2'500'000'000;
  }

  Cluster cluster_;
  Job job_;
};

TEST_F(MoveTest, NothingMovesToTheHomeOrToWhereTheJobRanLast) {
  EXPECT_EQ(MoveTo(job_, cluster_, -1, kHome).takes, Duration{});
  EXPECT_EQ(MoveTo(job_, cluster_, kAway, kAway).takes, Duration{});
}

TEST_F(MoveTest, AJobWithoutAHomeBringsNoFilesButItsCheckpoint) {
  job_.home.clear();
  EXPECT_EQ(MoveTo(job_, cluster_, -1, kAway).takes, Duration{});
  EXPECT_EQ(MoveTo(job_, cluster_, kFar, kAway).takes, seconds{20});
}

TEST_F(MoveTest, TakesTheTimeAndEnergyOfTheNetworkAndOfWaitingDevices) {
  const Move move = MoveTo(job_, cluster_, -1, kAway);
  EXPECT_EQ(move.from, kHome);
  EXPECT_EQ(move.takes, seconds{80}) << "10 GB at 1 Gbit/s";
  EXPECT_NEAR(move.network.kwh(), 0.6, 1e-9) << "0.06 kWh/GB";
  EXPECT_EQ(move.there, Energy::Joules(2 * 30 * 80));
  EXPECT_EQ(HeldOn(job_, cluster_, -1, kAway, hours{1}), hours{1} + seconds{80});
  EXPECT_EQ(HeldOn(job_, cluster_, -1, kFar, hours{1}), minutes{30} + seconds{80}) << "its speed";
}

TEST_F(MoveTest, TheSlowerSiteAndTheSetUpCount) {
  cluster_.sites[kHome].bytes_per_second = 1e9;
  cluster_.sites[kAway].bytes_per_second = 3e6;
  cluster_.sites[kAway].set_up = minutes{5};
  cluster_.sites[kAway].set_up_energy = Energy::Joules(1000);
  cluster_.joules_per_byte = 1e-6;
  const Move move = MoveTo(job_, cluster_, -1, kAway);
  EXPECT_EQ(move.takes, seconds{3334 + 300}) << "rounded up to whole seconds";
  EXPECT_EQ(move.network, Energy::Joules(10'000));
  EXPECT_EQ(move.there, Energy::Joules(1000 + 2.0 * 30 * 3634));
  job_.home.clear();
  EXPECT_EQ(MoveTo(job_, cluster_, -1, kAway).takes, Duration{})
      << "it is set up for the job there";
}

TEST_F(MoveTest, APausedJobBringsItsCheckpointAndItsFilesWhereTheyAreNot) {
  EXPECT_EQ(MoveTo(job_, cluster_, kAway, kFar).takes, seconds{100});
  EXPECT_EQ(MoveTo(job_, cluster_, kAway, kFar).from, kAway);
  EXPECT_EQ(MoveTo(job_, cluster_, kAway, kHome).takes, seconds{20}) << "the files are at home";
  EXPECT_EQ(MoveTo(job_, cluster_, kHome, kAway).takes, seconds{100});
}

TEST_F(MoveTest, EnergyHasItsPlaceAndTime) {
  const Time begin{hours{10}};
  const Interval held{begin, begin + hours{1} + seconds{80}};
  const HeldEnergy energy = EnergyOver(job_, cluster_, -1, kAway, held);
  EXPECT_EQ(energy.network.site, kHome);
  EXPECT_EQ(energy.network.pue, Pue{1}) << "of the network, in no site's facility";
  EXPECT_EQ(energy.network.time, (Interval{begin, begin + seconds{80}}));
  EXPECT_EQ(energy.set_up.site, kAway);
  EXPECT_EQ(energy.set_up.pue, Pue{1.2});
  EXPECT_EQ(energy.run.time, (Interval{begin + seconds{80}, held.end}));
  EXPECT_EQ(energy.run.energy, Energy::Joules(600 * 3600));

  const HeldEnergy half = EnergyOver(job_, cluster_, -1, kAway, {begin, begin + seconds{40}});
  EXPECT_NEAR(half.network.energy.kwh(), 0.3, 1e-9) << "ended within the move";
  EXPECT_EQ(half.run.energy, Energy{});
}

}  // namespace
}  // namespace ebb::core
