#include "service/accounting/machine_watch.h"

#include <map>
#include <mutex>
#include <utility>

#include "meter/cpu/cpu_info.h"
#include "meter/cpu/energy_counter.h"
#include "meter/sharing/idle_meter.h"
#include "platform/system_clock.h"

namespace ebb::service {
namespace {

core::MachineShares SharesOf(const core::EnergyReading& reading) {
  const bool is_idle = reading.device.starts_with(meter::kIdlePrefix);
  core::MachineShares shares;
  shares.device =
      reading.device.substr((is_idle ? meter::kIdlePrefix : meter::kUnattributedPrefix).size());
  shares.component = reading.component;
  shares.source = reading.source;
  shares.wall = reading.wall;
  (is_idle ? shares.idle : shares.unattributed) = reading.energy;
  return shares;
}

meter::Instant Now() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

struct MachineWatch::Readings {
  struct Card {
    meter::EnergyCounter counter{std::nullopt};
    Time read_at{};
  };

  void Push(std::vector<core::EnergyReading> readings) {
    const std::lock_guard lock(mutex);
    for (const core::EnergyReading& reading : readings) shares.push_back(SharesOf(reading));
  }
  void LookAt(const meter::GpuInventory& inventory) {
    const std::lock_guard lock(mutex);
    const Time wall = platform::WallNow();
    for (const meter::CardEnergy& energy : inventory.energies) Look(energy, wall);
  }
  void Look(const meter::CardEnergy& energy, Time wall) {
    const auto [found, is_new] = cards.try_emplace(energy.uuid);
    Card& card = found->second;
    if (is_new) {
      card.counter.Start(Now(), energy.microjoules);
      card.read_at = wall;
      return;
    }
    const auto outcome = card.counter.Look(Now(), energy.microjoules);
    if (outcome == meter::EnergyCounter::Outcome::kStill) return;
    const Time since = std::exchange(card.read_at, wall);
    if (outcome != meter::EnergyCounter::Outcome::kCounted || since >= wall) return;
    core::MachineShares read;
    read.device = "gpu:" + energy.uuid;
    read.component = core::Component::kGpu;
    read.source = core::EnergySource::kCounter;
    read.wall = {since, wall};
    read.idle = Energy::Microjoules(card.counter.Take());
    shares.push_back(std::move(read));
  }

  std::mutex mutex;
  std::vector<core::MachineShares> shares;
  std::map<std::string, Card> cards;  // by UUID
};

MachineWatch::MachineWatch(meter::MeterSet meters, Duration interval)
    : readings_(std::make_shared<Readings>()) {
  meter::SamplerOptions options;
  options.interval = interval;
  options.scope = core::MeterScope::kMachine;
  const meter::IdleRule rule{meters.cpu_idle_w, meter::ReadTotalMemoryBytes(options.proc_root)};
  std::vector<std::unique_ptr<meter::Meter>> split;
  for (auto& meter : meters.meters)
    split.push_back(std::make_unique<meter::IdleMeter>(std::move(meter), rule));
  sampler_ = std::make_unique<meter::Sampler>(
      std::move(split), options, [readings = readings_](auto parts, const meter::Utilisation&) {
        readings->Push(std::move(parts));
      });
  sampler_->Start({});
}

MachineWatch::~MachineWatch() = default;

std::function<void(const meter::GpuInventory&)> MachineWatch::OnLook() const {
  return
      [readings = readings_](const meter::GpuInventory& inventory) { readings->LookAt(inventory); };
}

std::vector<core::MachineShares> MachineWatch::Take() {
  const std::lock_guard lock(readings_->mutex);
  return std::exchange(readings_->shares, {});
}

}  // namespace ebb::service
