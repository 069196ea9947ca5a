#include "core/run/ledger_union.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/random.h"

namespace ebb::core {
namespace {

Time At(int ms) { return Time{Duration{1'700'000'000'000 + ms}}; }

// Rows of one device of one run that follow each other, with gaps, as in a ledger.
std::vector<UnionRow> RandomLedger(Random& random, const std::string& run_id) {
  static const std::vector<std::pair<const char*, Component>> kDevices{
      {"cpu:package-0", Component::kCpu}, {"cpu:package-1", Component::kCpu},
      {"cpu", Component::kCpu},           {"ram", Component::kRam},
      {"gpu:GPU-1", Component::kGpu},     {"gpu:0", Component::kGpu}};
  std::vector<UnionRow> rows;
  UnionRow item;
  item.run_id = run_id;
  item.machine = random.Below(3) ? "a" : "b";
  item.scope = random.Below(2) ? MeterScope::kMachine : MeterScope::kProcessTree;
  for (const auto& [device, component] : kDevices) {
    if (random.Below(2)) continue;
    item.row.device = device;
    item.row.component = component;
    item.row.source = item.row.device == "cpu" || component == Component::kRam
                          ? EnergySource::kModel
                          : static_cast<EnergySource>(random.Below(2));
    item.row.shared = component == Component::kGpu && random.Below(2);
    int begin = static_cast<int>(random.Below(40));
    while (begin < 120) {
      const int end = begin + 1 + static_cast<int>(random.Below(40));
      item.row.wall = item.row.grid = {At(begin), At(end)};
      item.row.energy = Energy::Microjoules(static_cast<std::int64_t>(random.Below(100'000)));
      item.row.intensity.reset();
      if (random.Below(4)) item.row.intensity = Intensity{random.Uniform(0, 500)};
      rows.push_back(item);
      begin = end + (random.Below(3) ? 0 : static_cast<int>(random.Below(20)));
    }
  }
  return rows;
}

Energy Sum(const std::vector<UnionRow>& rows) {
  Energy sum;
  for (const UnionRow& item : rows) sum += item.row.energy;
  return sum;
}

bool Whole(const UnionRow& item) {
  return item.row.component == Component::kGpu ? !item.row.shared
                                               : item.scope == MeterScope::kMachine;
}
std::string MachineOf(const UnionRow& item) {
  return item.row.device == "gpu:GPU-1" ? "anywhere" : item.machine;
}

// The rule of the header again, millisecond by millisecond.
Energy BruteForce(const std::vector<UnionRow>& set) {
  Energy sum;
  for (int ms = 0; ms < 250; ++ms) {
    const Interval instant{At(ms), At(ms + 1)};
    std::set<std::pair<std::string, Component>> is_read_whole, has_sensor;
    std::map<std::pair<std::string, std::string>, const UnionRow*> best;
    for (const UnionRow& item : set) {
      if (!item.row.wall.contains(At(ms)) || !Whole(item)) continue;
      const bool alone = item.row.device == "gpu:GPU-1";
      const std::pair key{MachineOf(item), item.row.component};
      if (!alone) is_read_whole.insert(key);
      if (!alone && item.row.source != EnergySource::kModel) has_sensor.insert(key);
      const UnionRow*& chosen = best[{MachineOf(item), item.row.device}];
      const auto quality = [](const UnionRow& x) {
        return std::tuple(x.row.source, !x.row.intensity, x.run_id);
      };
      if (!chosen || quality(item) < quality(*chosen)) chosen = &item;
    }
    for (const auto& [device, item] : best)
      if (item->row.source != EnergySource::kModel ||
          !has_sensor.contains({MachineOf(*item), item->row.component}))
        sum += Share(item->row.energy, item->row.wall, instant);
    for (const UnionRow& item : set)
      if (item.row.wall.contains(At(ms)) && !Whole(item) &&
          !(item.row.component == Component::kGpu
                ? best.contains({MachineOf(item), item.row.device})
                : is_read_whole.contains({item.machine, item.row.component})))
        sum += Share(item.row.energy, item.row.wall, instant);
  }
  return sum;
}

std::string Text(const std::vector<UnionRow>& rows) {
  std::string text;
  for (const UnionRow& item : rows)
    text += item.run_id + item.machine + item.row.device +
            std::to_string(item.row.wall.begin.time_since_epoch().count()) + "-" +
            std::to_string(item.row.wall.end.time_since_epoch().count()) + ":" +
            std::to_string(item.row.energy.microjoules()) + "\n";
  return text;
}

TEST(LedgerUnion, EqualsBruteForcePerMillisecondToTheMicrojoule) {
  Random random(5);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<UnionRow> set;
    for (const char* run : {"r1", "r2", "r3"}) set = United(set, RandomLedger(random, run));
    EXPECT_EQ(Sum(Counted(set)).microjoules(), BruteForce(set).microjoules()) << trial;
  }
}

TEST(LedgerUnion, IsAssociativeCommutativeAndIdempotent) {
  Random random(6);
  for (int trial = 0; trial < 200; ++trial) {
    const auto a = RandomLedger(random, "a"), b = RandomLedger(random, "b"),
               c = RandomLedger(random, "c");
    const std::string one = Text(Counted(United(United(a, b), c)));
    EXPECT_EQ(one, Text(Counted(United(a, United(b, c)))));
    EXPECT_EQ(one, Text(Counted(United(United(c, a), b))));
    EXPECT_EQ(one, Text(Counted(United(United(United(a, b), c), United(b, a)))));
    EXPECT_EQ(Text(United(a, a)), Text(United(a, {})));
  }
}

UnionRow Make(const std::string& run, const std::string& machine, MeterScope scope,
              const std::string& device, Component component, EnergySource source, int begin,
              int end, std::int64_t microjoules) {
  UnionRow item{run, machine, scope, {}};
  item.row.device = device;
  item.row.component = component;
  item.row.source = source;
  item.row.wall = item.row.grid = {At(begin), At(end)};
  item.row.energy = Energy::Microjoules(microjoules);
  return item;
}

TEST(LedgerUnion, TwoRanksOnOneMachineCountItsDevicesOnce) {
  const auto rank = [](const std::string& run, const std::string& machine, int begin) {
    return Make(run, machine, MeterScope::kMachine, "cpu:package-0", Component::kCpu,
                EnergySource::kCounter, begin, begin + 100, 100'000);
  };
  EXPECT_EQ(Sum(Counted(United({rank("r0", "a", 0)}, {rank("r1", "a", 50)}))).microjoules(),
            150'000);
  EXPECT_EQ(Sum(Counted(United({rank("r0", "a", 0)}, {rank("r1", "b", 50)}))).microjoules(),
            200'000)
      << "two machines";
}

TEST(LedgerUnion, SharesAddUpUnlessTheWholeIsRead) {
  const auto share = [](const std::string& run) {
    return Make(run, "a", MeterScope::kProcessTree, "cpu:package-0", Component::kCpu,
                EnergySource::kCounter, 0, 100, 30'000);
  };
  const auto whole = Make("m", "a", MeterScope::kMachine, "cpu", Component::kCpu,
                          EnergySource::kModel, 0, 50, 70'000);
  EXPECT_EQ(Sum(Counted(United({share("r0")}, {share("r1")}))).microjoules(), 60'000);
  EXPECT_EQ(Sum(Counted(United({share("r0"), share("r1")}, {whole}))).microjoules(),
            70'000 + 2 * 15'000);
}

TEST(LedgerUnion, SharesOfAGpuAddUpUnlessThatGpuIsRead) {
  const auto row = [](const char* run, const char* device, bool shared, std::int64_t microjoules) {
    UnionRow item = Make(run, "a", MeterScope::kProcessTree, device, Component::kGpu,
                         EnergySource::kCounter, 0, 100, microjoules);
    item.row.shared = shared;
    return item;
  };
  const auto one = row("r0", "gpu:GPU-1", true, 30'000);
  const auto two = row("r1", "gpu:GPU-1", true, 50'000);
  EXPECT_EQ(Sum(Counted(United({one}, {two}))).microjoules(), 80'000);
  const auto whole = row("r2", "gpu:GPU-1", false, 90'000);
  EXPECT_EQ(Sum(Counted(United({one, two}, {whole}))).microjoules(), 90'000);
  const auto another = row("r2", "gpu:0", false, 70'000);
  const auto of_third = row("r1", "gpu:1", true, 10'000);
  EXPECT_EQ(Sum(Counted(United({one, of_third}, {another}))).microjoules(), 110'000);
}

TEST(LedgerUnion, EnergyOfAnInstantCountsUnlessAnotherRunCoversIt) {
  const auto instant = Make("r0", "a", MeterScope::kMachine, "ram", Component::kRam,
                            EnergySource::kModel, 20, 20, 7);
  const auto own = Make("r0", "a", MeterScope::kMachine, "ram", Component::kRam,
                        EnergySource::kModel, 20, 40, 100);
  const auto other = Make("r1", "a", MeterScope::kMachine, "ram", Component::kRam,
                          EnergySource::kModel, 0, 40, 200);
  EXPECT_EQ(Sum(Counted(United({instant}, {own}))).microjoules(), 107);
  EXPECT_EQ(Sum(Counted(United({instant}, {other}))).microjoules(), 200);
}

}  // namespace
}  // namespace ebb::core
