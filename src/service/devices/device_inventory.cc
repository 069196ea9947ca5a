#include "service/devices/device_inventory.h"

#include <algorithm>

#include "platform/system_clock.h"
#include "store/device_history.h"

namespace ebb::service {
namespace {

using Look = Result<meter::GpuInventory>;

constexpr const char* kDevices = "devices";
constexpr std::chrono::seconds kFirstLook{10};

Look WithWayOut(Look look) {
  if (look) return look;
  Error error = look.error();
  error.next += std::string(error.next.empty() ? "" : "; ") +
                "the service goes on by itself once it answers; --slots N runs jobs on the CPU";
  return Fail(std::move(error));
}

bool KnowsModelBut(const core::Cluster& cluster, std::initializer_list<std::string_view> models) {
  // Pools at other sites are not of this machine.
  return std::any_of(cluster.pools.begin(), cluster.pools.end(), [&](const auto& pool) {
    return pool.site == 0 && std::find(models.begin(), models.end(), pool.model) == models.end();
  });
}

}  // namespace

// Uses the CPU, or GPUs that no driver checks. False: the service uses the GPUs that it finds.
bool DeviceInventory::UsesOther(const Look& look, const core::Cluster& before) {
  const bool no_driver = !look && !options_.is_installed();
  const bool none_here = no_driver || (look && look->devices.empty());
  if (options_.names.empty() && none_here && !KnowsModelBut(before, {"cpu"})) {
    devices_->UseSlots(options_.slots_otherwise);
    return true;
  }
  if (!options_.names.empty() && no_driver &&
      !KnowsModelBut(before, {"cpu", local::kUncheckedGpu})) {
    devices_->UseUnchecked(options_.names);
    ports_.events.Say(0, "--gpus is not checked: " + look.error().Message());
    return true;
  }
  return false;
}

Status DeviceInventory::Open(local::DeviceRegister& devices, const core::Site& site,
                             const core::Cluster& before) {
  devices_ = &devices;
  if (!options_.look) {
    Follow();
    return {};
  }
  EBB_ASSIGN_OR_RETURN(const auto remembered, ports_.store.Meta(kDevices));
  devices.Restore(site, before, remembered.value_or(""));
  GpuWatchOptions watch;
  watch.look = options_.look;
  watch.on_news = ports_.wake;
  watch.every = options_.look_every;
  watch.every_in_trouble = std::min(watch.every, watch.every_in_trouble);
  watch_.emplace(std::move(watch));
  const Look look = watch_->TakeFirst(kFirstLook);
  if (UsesOther(look, before)) {
    watch_.reset();
  } else {
    devices.UseGpus(options_.asked, options_.profiles);
    if (look && look->unknown_name && devices.names_are_unknown()) {
      Error error = *look->unknown_name;
      error.what = "--gpus: " + error.what;
      return Fail(std::move(error));
    }
    devices.Take(WithWayOut(look), platform::WallNow());
  }
  Follow();
  return {};
}

Result<std::string> DeviceInventory::Change(const ChangeDevice& change) {
  using To = ChangeDevice::To;
  if (!devices_)
    return Fail({ExitCode::kUsage, "this service has no devices of its own", change.name,
                 "the cluster's own tools set nodes aside: kubectl cordon"});
  const Time now = platform::WallNow();
  auto done = change.to == To::kSetAside  ? devices_->SetAsideByPerson(change.name, change.why, now)
              : change.to == To::kPutBack ? devices_->PutBack(change.name, now)
                                          : devices_->Forget(change.name);
  if (watch_) watch_->Hurry();
  Follow();
  return done;
}

void DeviceInventory::Follow() {
  if (watch_) {
    if (auto news = watch_->TakeNews())
      devices_->Take(WithWayOut(*std::move(news)), platform::WallNow());
  }
  for (std::string& text : devices_->TakeNews()) ports_.events.Say(0, std::move(text));
  if (!devices_->TakeChanged()) return;
  if (devices_->looks()) ports_.store.SetMeta(kDevices, devices_->ToText());
  store::RememberPools(ports_.store, devices_->pools());
  ports_.publisher.SetDevices(devices_->devices(), devices_->Trouble());
}

}  // namespace ebb::service
