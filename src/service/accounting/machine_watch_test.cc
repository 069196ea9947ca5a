#include "service/accounting/machine_watch.h"

#include <thread>

#include "service/service_for_test.h"
#include "store/accounts/ledger_records.h"
#include "store/accounts/machine_records.h"

namespace ebb::service {
namespace {

using namespace std::chrono_literals;

meter::MeterSet MachineModel() {
  meter::MeterOptions options;
  options.scope = core::MeterScope::kMachine;
  options.cpu_tdp_w = 100;
  options.use_rapl = options.use_gpu = false;
  return meter::MakeMeters(options);
}

TEST(MachineWatch, ReadsProcessorsAndMemoryAsWhatIsIdleAndWhatIsNot) {
  MachineWatch watch(MachineModel(), Duration{20});
  std::vector<core::MachineShares> read;
  while (read.size() < 20) {
    std::this_thread::sleep_for(20ms);
    for (core::MachineShares& shares : watch.Take()) read.push_back(std::move(shares));
  }
  std::map<std::string, Energy> energy;
  for (const core::MachineShares& shares : read) {
    EXPECT_EQ(shares.jobs, Energy{});
    energy[shares.device] += shares.machine();
  }
  EXPECT_GT(energy["cpu"], Energy{});
  EXPECT_GT(energy["ram"], Energy{});
  EXPECT_EQ(energy.size(), 2u);
}

TEST(MachineWatch, WhatACounterOfAGpuGrewByBetweenTwoLooksWasUsed) {
  std::optional<MachineWatch> watch(std::in_place, meter::MeterSet{}, Duration{1000});
  const auto look = watch->OnLook();
  const auto counter = [](std::int64_t microjoules) {
    meter::GpuInventory inventory;
    inventory.energies = {{"GPU-1", microjoules}};
    return inventory;
  };
  look(counter(5'000'000));
  EXPECT_TRUE(watch->Take().empty()) << "nothing is known of the time before the first look";
  std::this_thread::sleep_for(30ms);
  look(counter(6'000'000));
  look(counter(6'000'000));  // the counter has not moved
  look({});                  // the driver does not answer
  std::this_thread::sleep_for(30ms);
  look(counter(9'000'000));
  const auto read = watch->Take();
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].device, "gpu:GPU-1");
  EXPECT_EQ(read[0].idle, Energy::Joules(1));
  EXPECT_EQ(read[1].idle, Energy::Joules(3)) << "of all the time since it last moved";
  EXPECT_EQ(read[0].wall.end, read[1].wall.begin);
  std::this_thread::sleep_for(5ms);
  look(counter(10));  // the driver was loaded again
  EXPECT_TRUE(watch->Take().empty());
  watch.reset();
  look(counter(20));
}

TEST_F(ServiceTest, AMachineThatDoesNothingIsReadAndStored) {
  world_.adjust = [](ServiceOptions& options) {
    options.machine_meters = MachineModel;
    options.machine_interval = Duration{50};
    options.machine_settles_after = Duration{200};
  };
  const Time begin = platform::WallNow();
  world_.Start();
  auto reader = store::Database::Open(world_.store(), store::Database::Mode::kRead);
  ASSERT_TRUE(reader);
  bool is_stored = false;
  for (int look = 0; look < 400 && !is_stored; ++look) {
    std::this_thread::sleep_for(50ms);
    const auto hours =
        store::MachineHours(*reader, {begin - std::chrono::hours{1}, platform::WallNow()});
    is_stored = hours && !hours->empty();
  }
  EXPECT_TRUE(is_stored) << "while it runs, and no job was ever there";
  const auto& machine = world_.service().view()->counters.machine;
  EXPECT_EQ(machine.jobs, Energy{});
  EXPECT_GT(machine.idle + machine.unattributed, Energy{});
}

// Supervisors use the same model, so the energy of their jobs is part of the machine's energy.
TEST_F(ServiceTest, JobsIdleAndUnattributedAreTheMachine) {
  world_.adjust = [](ServiceOptions& options) {
    options.machine_meters = MachineModel;
    options.machine_interval = Duration{50};
    options.machine_settles_after = Duration{200};
  };
  const Time begin = platform::WallNow();
  world_.Start();
  const core::JobId busy = world_.Submit(world_.Shell("while [ ! -e done ]; do :; done"));
  const core::JobId still = world_.Submit(world_.Shell(Until("done")));
  std::this_thread::sleep_for(1s);
  Touch("done");
  for (const core::JobId job : {busy, still})
    EXPECT_EQ(world_.WaitForStage(job, engine::Stage::kSucceeded).explanation.stage,
              engine::Stage::kSucceeded);
  const auto counted =
      world_.WaitFor([](const View& view) { return view.counters.machine.jobs > Energy{}; });
  EXPECT_GT(counted->counters.machine.idle + counted->counters.machine.unattributed, Energy{});
  world_.Stop();
  const Time end = platform::WallNow();

  auto database = *store::Database::Open(world_.store(), store::Database::Mode::kRead);
  Energy of_jobs, ledger;
  Duration read_for{};
  const auto hours = store::MachineHours(database, {begin - std::chrono::hours{1}, end});
  ASSERT_TRUE(hours);
  for (const store::MachineHour& hour : *hours) {
    if (hour.shares.device != "cpu") continue;
    of_jobs += hour.shares.jobs;
    read_for += hour.read_for;
    EXPECT_GE(hour.shares.idle, Energy{});
    EXPECT_GE(hour.shares.unattributed, Energy{});
    EXPECT_NEAR(hour.shares.machine().joules(), Seconds(hour.read_for) * 100,
                Seconds(hour.read_for) * 90)
        << "between idle and all processors busy";
  }
  for (const core::JobId job : {busy, still}) {
    const auto rows = store::LedgerOf(database, job);
    ASSERT_TRUE(rows);
    for (const core::LedgerRow& row : *rows)
      if (row.device == "cpu") ledger += row.energy;
  }
  EXPECT_LE(of_jobs, ledger);
  EXPECT_GT(of_jobs.joules(), 0.9 * ledger.joules()) << "the machine was read all the time";
  EXPECT_GT(of_jobs, Energy::Joules(1)) << "a program was busy for a second";
  EXPECT_GE(read_for, Duration{900});
  EXPECT_LE(read_for, end - begin);
}

}  // namespace
}  // namespace ebb::service
