#include "local/device_register.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::local {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Look = Result<meter::GpuInventory>;

const Time kNow = *ParseTime("2026-03-01T12:00");
const core::Site kSite{"here", "DE", Pue{1}};
const std::string kMismatch = "NVML does not start: Driver/library version mismatch";

meter::GpuDevice Gpu(const std::string& uuid, const std::string& model, std::size_t index) {
  return {uuid, model, index, uuid, model, std::optional(1.0), ""};
}
meter::GpuInventory Inventory(std::vector<meter::GpuDevice> devices) {
  meter::GpuInventory inventory;
  for (const meter::GpuDevice& device : devices) inventory.cards.push_back(device.uuid);
  inventory.devices = std::move(devices);
  return inventory;
}
meter::GpuInventory Two() {
  return Inventory({Gpu("GPU-a", "NVIDIA L4", 0), Gpu("GPU-b", "NVIDIA L4", 1)});
}
Look Failing() { return Fail({ExitCode::kUnavailable, kMismatch, "", ""}); }

class DeviceRegisterTest : public testing::Test {
 protected:
  DeviceRegisterTest() { Live({}, ""); }
  // Starts a life of the service.
  void Live(const core::Cluster& before, const std::string& text, const std::string& asked = "") {
    devices_ = DeviceRegister();
    devices_.Restore(kSite, before, text);
    devices_.UseGpus(asked, {});
  }
  void LiveAgain(const std::string& asked = "") {
    const core::Cluster before = devices_.ClusterWith({});
    Live(before, devices_.ToText(), asked);
  }
  std::pair<int, int> CountAndAway(std::size_t pool = 0, const HeldDevices& held = {}) {
    const core::DevicePool now = devices_.ClusterWith(held).pools.at(pool);
    return {now.count, now.away};
  }
  std::string News() {
    std::string all;
    for (const std::string& text : devices_.TakeNews()) all += text + "\n";
    return all;
  }
  DeviceRegister devices_;
};
using Counts = std::pair<int, int>;

TEST_F(DeviceRegisterTest, WhatIsFoundIsGivenOut) {
  devices_.Take(Two(), kNow);
  EXPECT_EQ(CountAndAway(), Counts(2, 0));
  EXPECT_EQ(devices_.ClusterWith({}).pools[0].model, "NVIDIA L4");
  EXPECT_THAT(devices_.NamesOf(0), ElementsAre("GPU-a", "GPU-b"));
  EXPECT_THAT(devices_.Taken(0, {{"GPU-a", 0}}), ElementsAre(0));
  EXPECT_EQ(devices_.Trouble(), "");
  EXPECT_EQ(News(), "") << "what a service starts with is no news";
}

// The driver was upgraded under the service: running jobs go on, and none is started.
TEST_F(DeviceRegisterTest, DevicesOfAnotherSiteArePoolsOfTheirOwn) {
  devices_.Take(Two(), kNow);
  ASSERT_THAT(devices_.UseSites({{"norway", "NO", Pue{1}}}), ElementsAre(1));
  SiteLook look;
  look.gpus = {Gpu("GPU-n", "NVIDIA L4", 0)};
  devices_.TakeSite(1, look);
  ASSERT_EQ(devices_.pools().pools.size(), 2u) << "of the same model";
  EXPECT_EQ(devices_.pools().SiteOf(1).name, "norway");
  EXPECT_EQ(CountAndAway(0), Counts(2, 0));
  EXPECT_EQ(CountAndAway(1), Counts(1, 0));
  look.gpus.front().fault = "another service has it";
  devices_.TakeSite(1, look);
  EXPECT_EQ(CountAndAway(1), Counts(0, 1));
  EXPECT_EQ(CountAndAway(1, {{"GPU-n", 1}}), Counts(1, 0)) << "a job of this service has it";
  devices_.Take(Failing(), kNow);
  look.gpus.front().fault.clear();
  devices_.TakeSite(1, look);
  EXPECT_EQ(CountAndAway(0), Counts(0, 2));
  EXPECT_EQ(CountAndAway(1), Counts(1, 0)) << "the driver here says nothing of the GPU there";
  devices_.TakeSite(1, {"No route to host", 0, {}});
  EXPECT_EQ(CountAndAway(1), Counts(0, 1));
  EXPECT_EQ(CountAndAway(1, {{"GPU-n", 1}}), Counts(0, 1)) << "no other job may wait for it";
  LiveAgain();
  EXPECT_THAT(devices_.UseSites({{"sweden", "SE", Pue{1}}, {"norway", "NO", Pue{1}}}),
              ElementsAre(2, 1))
      << "numbers of sites stay";
  EXPECT_EQ(CountAndAway(1), Counts(0, 1)) << "expected back, until the site has been looked at";
  devices_.TakeSite(1, look);
  EXPECT_EQ(CountAndAway(1), Counts(1, 0));
}

TEST_F(DeviceRegisterTest, SlotsOfAnotherSiteAreAwayWhileItCannotBeReached) {
  devices_.UseSites({{"norway", "NO", Pue{1}}});
  devices_.TakeSite(1, {"", 2, {}});
  EXPECT_EQ(CountAndAway(), Counts(2, 0));
  devices_.TakeSite(1, {"No route to host", 2, {}});
  EXPECT_EQ(CountAndAway(), Counts(0, 2));
  LiveAgain();
  devices_.UseSites({{"norway", "NO", Pue{1}}});
  EXPECT_EQ(CountAndAway(), Counts(0, 2)) << "a job for that site is not refused meanwhile";
  LiveAgain();
  devices_.UseSites({{"sweden", "SE", Pue{1}}});
  EXPECT_EQ(CountAndAway(), Counts(0, 0)) << "that site is not used any more";
}

TEST_F(DeviceRegisterTest, WhileTheDriverDoesNotAnswerNothingIsGivenOut) {
  devices_.Take(Two(), kNow);
  LiveAgain();
  devices_.Take(Failing(), kNow);
  EXPECT_EQ(CountAndAway(), Counts(0, 2));
  EXPECT_THAT(devices_.Taken(0, {}), ElementsAre(0, 1));
  EXPECT_EQ(CountAndAway(0, {{"GPU-b", 0}}), Counts(1, 1)) << "what a job holds is there";
  EXPECT_THAT(devices_.Trouble(), HasSubstr(kMismatch));
  EXPECT_THAT(News(), HasSubstr(kMismatch));
  devices_.Take(Failing(), kNow);
  EXPECT_EQ(News(), "") << "said once";
  devices_.Take(Two(), kNow);
  EXPECT_EQ(CountAndAway(), Counts(2, 0));
  EXPECT_EQ(devices_.Trouble(), "");
  EXPECT_THAT(News(), HasSubstr("answers again"));
}

TEST_F(DeviceRegisterTest, AStoreThatNamesNoGpusKeepsTheirNumberAndWhatRuns) {
  core::Cluster before{{kSite}, {{"NVIDIA L4", 0, 2, 1, 1, {}}}};
  Live(before, "");
  devices_.Adopt("GPU-b", 0);
  devices_.Take(Failing(), kNow);
  EXPECT_EQ(CountAndAway(0, {{"GPU-b", 0}}), Counts(1, 1));
  devices_.Take(Two(), kNow);
  EXPECT_EQ(CountAndAway(0, {{"GPU-b", 0}}), Counts(2, 0));
  EXPECT_THAT(devices_.Taken(0, {{"GPU-b", 0}}), ElementsAre(0)) << "the slot of GPU-b";
}

// GPU-a has died: nvidia-smi counts GPU-b as 0, and GPU-c, which is not ours, as 1.
TEST_F(DeviceRegisterTest, NumbersStayWithTheirGpus) {
  Live({}, "", "0,1");
  meter::GpuInventory all = Inventory(
      {Gpu("GPU-a", "NVIDIA L4", 0), Gpu("GPU-b", "NVIDIA L4", 1), Gpu("GPU-c", "NVIDIA L4", 2)});
  all.chosen = {"GPU-a", "GPU-b"};
  devices_.Take(all, kNow);
  EXPECT_EQ(CountAndAway(), Counts(2, 0));
  meter::GpuInventory left =
      Inventory({Gpu("GPU-b", "NVIDIA L4", 0), Gpu("GPU-c", "NVIDIA L4", 1)});
  left.chosen = {"GPU-b", "GPU-c"};
  LiveAgain("0,1");
  devices_.Take(left, kNow);
  EXPECT_EQ(CountAndAway(), Counts(1, 1));
  EXPECT_THAT(devices_.NamesOf(0), Not(Contains("GPU-c")));
  LiveAgain("0,1,2");
  devices_.Take(left, kNow);
  EXPECT_THAT(devices_.NamesOf(0), Contains("GPU-c")) << "other words are read anew";
}

TEST_F(DeviceRegisterTest, ANameThatNamesNothingIsTroubleUntilItDoes) {
  Live({}, "", "7");
  meter::GpuInventory all = Two();
  all.unknown_name = Error{ExitCode::kUsage, "\"7\" names none of the GPUs that are here", "", ""};
  devices_.Take(all, kNow);
  EXPECT_THAT(devices_.Trouble(), HasSubstr("\"7\""));
  EXPECT_TRUE(devices_.ClusterWith({}).pools.empty());
}

TEST_F(DeviceRegisterTest, GpusComeAndGoWhileTheServiceRuns) {
  devices_.Take(Two(), kNow);
  devices_.Take(Inventory({Gpu("GPU-b", "NVIDIA L4", 0)}), kNow);
  EXPECT_EQ(CountAndAway(), Counts(1, 1));
  EXPECT_THAT(devices_.Taken(0, {}), ElementsAre(0)) << "a hole";
  EXPECT_EQ(CountAndAway(0, {{"GPU-a", 0}}), Counts(2, 0)) << "a job that runs there goes on";
  EXPECT_THAT(News(), HasSubstr("GPU-a (NVIDIA L4) is gone"));
  devices_.Take(Inventory({Gpu("GPU-b", "NVIDIA L4", 0), Gpu("GPU-c", "NVIDIA A10", 1)}), kNow);
  EXPECT_EQ(CountAndAway(1), Counts(1, 0));
  EXPECT_THAT(News(), HasSubstr("GPU-c (NVIDIA A10) is available"));
  devices_.Take(Two(), kNow);
  EXPECT_EQ(CountAndAway(0), Counts(2, 0));
  EXPECT_EQ(CountAndAway(1), Counts(0, 1));
  EXPECT_THAT(News(), HasSubstr("GPU-a (NVIDIA L4) is back"));
}

TEST_F(DeviceRegisterTest, WhatIsHiddenOrDividedOtherwiseIsNotExpectedBack) {
  devices_.Take(Two(), kNow);
  meter::GpuInventory hidden = Inventory({Gpu("GPU-b", "NVIDIA L4", 1)});
  hidden.cards = {"GPU-a", "GPU-b"};
  devices_.Take(hidden, kNow);
  EXPECT_EQ(CountAndAway(), Counts(1, 0));
}

// A new driver reports the same card under another model: it must not be given out twice.
TEST_F(DeviceRegisterTest, ADriverThatCallsItOtherwiseDoesNotDoubleIt) {
  devices_.Take(Inventory({Gpu("GPU-a", "A100-SXM4-40GB", 0)}), kNow);
  LiveAgain();
  devices_.Take(Inventory({Gpu("GPU-a", "NVIDIA A100-SXM4-40GB", 0)}), kNow);
  EXPECT_EQ(CountAndAway(0), Counts(0, 0));
  EXPECT_EQ(CountAndAway(1), Counts(1, 0));
  EXPECT_EQ(CountAndAway(0, {{"GPU-a", 0}}), Counts(1, 0));
  EXPECT_EQ(CountAndAway(1, {{"GPU-a", 0}}), Counts(0, 1)) << "a job of before holds it";
  EXPECT_THAT(devices_.Taken(1, {{"GPU-a", 0}}), ElementsAre(0));
}

TEST_F(DeviceRegisterTest, WhatAJobHoldsUnderItsNumberIsHeld) {
  Live({{kSite}, {{"gpu", 0, 2, 1, 1, {}}}}, "");
  devices_.Adopt("0", 0);
  devices_.Take(Two(), kNow);
  EXPECT_EQ(CountAndAway(0, {{"0", 0}}), Counts(1, 0));
  EXPECT_EQ(CountAndAway(1, {{"0", 0}}), Counts(1, 1));
  EXPECT_THAT(devices_.Taken(1, {{"0", 0}}), ElementsAre(0));
}

TEST_F(DeviceRegisterTest, APersonSetsAsideAndPutsBackOverLives) {
  devices_.Take(Two(), kNow);
  EXPECT_EQ(devices_.SetAsideByPerson("1", "fan", kNow).value_or(""), "GPU-b");
  EXPECT_EQ(CountAndAway(), Counts(1, 1));
  EXPECT_THAT(News(), HasSubstr("fan"));
  LiveAgain();
  devices_.Take(Two(), kNow);
  EXPECT_THAT(devices_.Taken(0, {}), ElementsAre(1));
  EXPECT_FALSE(devices_.TryAgain(kNow + std::chrono::hours{1000})) << "a person's word holds";
  EXPECT_FALSE(devices_.PutBack("GPU-", kNow));
  EXPECT_FALSE(devices_.PutBack("GPU-z", kNow));
  EXPECT_EQ(devices_.PutBack("GPU-b", kNow).value_or(""), "GPU-b");
  EXPECT_EQ(CountAndAway(), Counts(2, 0));
}

TEST_F(DeviceRegisterTest, OnlyWhatIsGoneCanBeForgotten) {
  devices_.Take(Two(), kNow);
  EXPECT_FALSE(devices_.Forget("GPU-a"));
  devices_.Take(Inventory({Gpu("GPU-b", "NVIDIA L4", 0)}), kNow);
  EXPECT_TRUE(devices_.Forget("GPU-a"));
  EXPECT_EQ(CountAndAway(), Counts(1, 0));
  LiveAgain();
  devices_.Take(Inventory({Gpu("GPU-b", "NVIDIA L4", 0)}), kNow);
  EXPECT_EQ(CountAndAway(), Counts(1, 0));
}

TEST_F(DeviceRegisterTest, AFaultOfTheDriversIsTriedAgainLaterAndLater) {
  meter::GpuInventory lost = Two();
  lost.devices[0].fault = "the GPU is lost";
  devices_.Take(lost, kNow);
  EXPECT_EQ(CountAndAway(), Counts(1, 1));
  EXPECT_THAT(News(), HasSubstr("the GPU is lost"));
  EXPECT_FALSE(devices_.PutBack("GPU-a", kNow)) << "it would only fail again";
  const Time first = devices_.NextRetry();
  EXPECT_GT(first, kNow);
  EXPECT_FALSE(devices_.TryAgain(first - Duration{1}));
  EXPECT_TRUE(devices_.TryAgain(first));
  EXPECT_EQ(CountAndAway(), Counts(1, 1)) << "the fault is still there";
  const Time second = devices_.NextRetry();
  EXPECT_GT(second - first, first - kNow);
  devices_.Take(Two(), first);
  EXPECT_EQ(CountAndAway(), Counts(1, 1)) << "not at once: it may come and go";
  EXPECT_TRUE(devices_.TryAgain(second));
  EXPECT_EQ(CountAndAway(), Counts(2, 0));
  EXPECT_EQ(devices_.NextRetry(), Time::max());
}

DeviceUse Use(const std::string& gpu, core::JobId job, const std::string& kind, bool failed,
              Duration ran = std::chrono::seconds{5}) {
  return {{gpu}, job, kind, ran, failed};
}

// The issue of a GPU that fails fast: it is always free, and gets one job after the other.
TEST_F(DeviceRegisterTest, AGpuThatFailsJobsWhileTheLikeDoWellElsewhereIsSetAside) {
  devices_.Take(Two(), kNow);
  devices_.TakeEnd(Use("GPU-a", 1, "sweep 1", true), {}, kNow);
  devices_.TakeEnd(Use("GPU-b", 2, "sweep 1", false), {}, kNow + Duration{1});
  devices_.TakeEnd(Use("GPU-a", 3, "sweep 1", true), {}, kNow + Duration{2});
  EXPECT_EQ(CountAndAway(), Counts(2, 0));
  devices_.TakeEnd(Use("GPU-a", 3, "sweep 1", true), {}, kNow + Duration{3});
  EXPECT_EQ(CountAndAway(), Counts(2, 0)) << "of different jobs";
  devices_.TakeEnd(Use("GPU-a", 4, "sweep 1", true), {}, kNow + Duration{4});
  EXPECT_EQ(CountAndAway(), Counts(1, 1));
  EXPECT_THAT(devices_.Taken(0, {}), ElementsAre(0));
  EXPECT_THAT(News(), HasSubstr("3 jobs in a row"));
  const Time retry = devices_.NextRetry();
  LiveAgain();
  devices_.Take(Two(), kNow);
  EXPECT_EQ(devices_.NextRetry(), retry) << "over lives";
  EXPECT_TRUE(devices_.TryAgain(retry));
  EXPECT_EQ(CountAndAway(), Counts(2, 0));
  devices_.TakeEnd(Use("GPU-a", 5, "sweep 1", true), {}, retry);
  EXPECT_EQ(CountAndAway(), Counts(1, 1)) << "on trial once is enough";
  EXPECT_GT(devices_.NextRetry() - retry, retry - kNow);
  EXPECT_TRUE(devices_.TryAgain(devices_.NextRetry()));
  devices_.TakeEnd(Use("GPU-a", 6, "sweep 1", false), {}, retry);
  devices_.TakeEnd(Use("GPU-a", 7, "sweep 1", true), {}, retry);
  EXPECT_EQ(CountAndAway(), Counts(2, 0)) << "it has done well again";
}

TEST_F(DeviceRegisterTest, AProgramThatIsWrongSetsNoGpuAside) {
  devices_.Take(Two(), kNow);
  const std::vector<DeviceUse> long_job{
      Use("GPU-b", 100, "python train.py", false, std::chrono::hours{5})};
  for (core::JobId job = 1; job < 20; ++job)
    devices_.TakeEnd(Use("GPU-a", job, "sweep 1", true), long_job, kNow + Duration{job});
  EXPECT_EQ(CountAndAway(), Counts(2, 0)) << "the other job is not of its kind";
  devices_.TakeEnd(Use("GPU-a", 30, "sweep 2", true), long_job, kNow + Duration{30});
  EXPECT_EQ(CountAndAway(), Counts(1, 1)) << "now two kinds fail";
}

TEST_F(DeviceRegisterTest, OneGpuAloneIsNotSetAsideForFailures) {
  devices_.Take(Inventory({Gpu("GPU-a", "NVIDIA L4", 0)}), kNow);
  for (core::JobId job = 1; job < 20; ++job)
    devices_.TakeEnd(Use("GPU-a", job, "kind " + std::to_string(job % 3), true), {}, kNow);
  EXPECT_EQ(CountAndAway(), Counts(1, 0));
}

TEST_F(DeviceRegisterTest, AnErrorOfTheDriversSetsAsideOnce) {
  devices_.Take(Two(), kNow);
  devices_.TakeFault("GPU-a", "its driver reported error Xid 79", kNow);
  EXPECT_EQ(CountAndAway(), Counts(1, 1));
  EXPECT_THAT(News(), HasSubstr("Xid 79"));
  devices_.TakeFault("GPU-a", "its driver reported error Xid 79", kNow);
  EXPECT_EQ(News(), "");
  ASSERT_TRUE(devices_.PutBack("GPU-a", kNow + Duration{1}));
  LiveAgain();
  devices_.Take(Two(), kNow);
  devices_.TakeFault("GPU-a", "its driver reported error Xid 79", kNow);
  EXPECT_EQ(CountAndAway(), Counts(2, 0)) << "the same error, read again by the next life";
}

TEST_F(DeviceRegisterTest, TextThatMakesNoSenseIsAnEmptyRegister) {
  const core::Cluster before{{kSite}, {{"NVIDIA L4", 0, 2, 1, 1, {}}}};
  for (const char* text : {"", "[]", "{", "{\"devices\":[1,{\"pool\":9}],\"chosen\":7}",
                           "{\"pools\":[{\"model\":\"NVIDIA L4\",\"speed\":\"fast\"}]}"}) {
    Live(before, text);
    devices_.Take(Two(), kNow);
    EXPECT_EQ(CountAndAway(), Counts(2, 0)) << text;
  }
}

TEST_F(DeviceRegisterTest, WhatAnEarlierVersionWroteIsReadAndWrittenTheSame) {
  const std::string text =
      R"({"asked":"0,1","chosen":["GPU-a","GPU-b"],"reference":"NVIDIA L4","pools":)"
      R"([{"model":"NVIDIA L4","speed":1.5,"power_factor":1.0}],"devices":[{"name":"GPU-a",)"
      R"("card":"GPU-a","pool":0,"aside":{"by":"failures","why":"3 jobs","since":1000,)"
      R"("retry_at":901000},"gone_since":2000,"times_aside":1,"cleared":3000},)"
      R"({"name":"GPU-b","card":"GPU-b","pool":0,"aside":{"by":"person","why":"","since":4000}}]})";
  Live({{kSite}, {{"NVIDIA L4", 0, 0, 1, 1, {}, 2}}}, text, "0,1");
  EXPECT_EQ(devices_.ToText(), text);
  const Device& first = devices_.devices().at(0);
  EXPECT_EQ(first.aside->retry_at, Time{std::chrono::seconds{901}});
  EXPECT_EQ(first.gone_since, Time{std::chrono::seconds{2}});
  EXPECT_EQ(first.cleared, Time{std::chrono::seconds{3}});
  EXPECT_EQ(devices_.devices().at(1).slot, 1);
  EXPECT_EQ(devices_.pools().pools[0].speed, 1.5);
}

TEST(DeviceRegister, SlotsWithoutNamesAreAlwaysThere) {
  DeviceRegister devices({{kSite}, {{"cpu", 0, 3, 1, 1, {}}}}, {});
  EXPECT_EQ(devices.ClusterWith({}).pools[0].count, 3);
  EXPECT_EQ(devices.SlotsOf(0), 3);
  EXPECT_EQ(devices.Trouble(), "");
  EXPECT_THAT(devices.Taken(0, {}), IsEmpty());
}

}  // namespace
}  // namespace ebb::local
