#include "local/device_register.h"

#include <algorithm>
#include <array>

#include "base/enum_names.h"
#include "base/text.h"
#include "core/fields.h"
#include "local/device_names.h"

namespace ebb::local {
namespace {

constexpr std::array<std::string_view, 3> kByNames{"person", "failures", "fault"};
constexpr Duration kFirstRest{std::chrono::minutes{15}};
constexpr Duration kLongestRest{std::chrono::hours{12}};
// A failure within this time is quick; a program that runs longer has a GPU that works.
constexpr Duration kQuick{std::chrono::minutes{2}};
constexpr std::size_t kFailuresInARow = 3;  // of different jobs
constexpr std::size_t kWells = 256;

// The rest doubles each time.
Duration RestAfter(int times) {
  return std::min(kLongestRest, kFirstRest * (std::int64_t{1} << std::clamp(times - 1, 0, 10)));
}

constexpr const char* kCpu = "cpu";

bool IsUuid(std::string_view name) { return name.starts_with("GPU-") || name.starts_with("MIG-"); }

}  // namespace

std::string_view Name(SetAside::By by) { return kByNames[static_cast<std::size_t>(by)]; }

// State that is stored --------------------------------------------------------------------------

static bool FromName(const FieldReader&, std::string_view name, SetAside::By& value) {
  return TakeName(EnumFromName<SetAside::By>(kByNames, name), value);
}

template <typename Archive, Like<SetAside> Value>
void Visit(Archive& archive, Value& value) {
  auto& [by, why, since, retry_at] = value;
  archive("by", by);
  archive("why", why);
  archive("since", since);
  archive.Maybe("retry_at", retry_at);
}

template <typename Archive, Like<Device> Value>
void Visit(Archive& archive, Value& value) {
  archive("name", value.name);
  archive("card", value.card);
  archive("pool", value.pool);
  archive.Maybe("aside", value.aside);
  archive.Maybe("gone_since", value.gone_since);
  archive.Maybe("times_aside", value.times_aside);
  archive.Maybe("cleared", value.cleared);
}

namespace {

struct Remembered {
  std::string asked;
  std::vector<std::string> chosen;
  std::string reference;
  std::vector<core::ModelOverride> pools;
  std::vector<Device> devices;
};

template <typename Archive, Like<Remembered> Value>
void Visit(Archive& archive, Value& value) {
  auto& [asked, chosen, reference, pools, devices] = value;
  archive("asked", asked);
  archive("chosen", chosen);
  archive("reference", reference);
  archive("pools", pools);
  archive("devices", devices);
}

}  // namespace

DeviceRegister::DeviceRegister(core::Cluster cluster,
                               const std::vector<std::vector<std::string>>& gpus)
    : cluster_(std::move(cluster)) {
  for (std::size_t pool = 0; pool < gpus.size() && pool < cluster_.pools.size(); ++pool) {
    for (const std::string& name : gpus[pool]) Add(name, static_cast<int>(pool));
    if (!gpus[pool].empty()) cluster_.pools[pool].count = 0;
  }
}

// Lives --------------------------------------------------------------------------------------

void DeviceRegister::Restore(const core::Site& site, const core::Cluster& before,
                             const std::string& text) {
  cluster_.sites = before.sites.empty() ? std::vector{site} : before.sites;
  cluster_.sites.front() = site;
  cluster_.pools = before.pools;
  // A text that cannot be read counts as empty: the next look finds the devices again.
  Remembered known =
      FromFieldText<Remembered>(text, "", FieldStyle::kComplete).value_or(Remembered{});
  for (std::size_t i = 0; i < cluster_.pools.size(); ++i) {
    core::DevicePool& pool = cluster_.pools[i];
    // Older texts may tell the number of GPUs without their names.
    const bool unnamed = known.devices.empty() && pool.model != kCpu && pool.site == 0;
    unnamed_away_.push_back(unnamed ? pool.count + pool.away : 0);
    // Slots of another site are away until it has been looked at (UseSites).
    const bool has_slots_elsewhere = pool.site > 0 && pool.model == kCpu;
    pool.away = has_slots_elsewhere ? pool.count + pool.away : 0;
    pool.count = 0;
    if (i >= known.pools.size() || known.pools[i].model != pool.model) continue;
    pool.speed = known.pools[i].speed;
    pool.power_factor = known.pools[i].power_factor;
  }
  reference_ = std::move(known.reference);
  asked_ = std::move(known.asked);
  chosen_ = std::move(known.chosen);
  for (Device& stored : known.devices) {
    if (stored.pool < 0 || stored.pool >= std::ssize(cluster_.pools)) continue;
    Device& device = Add(stored.name, stored.pool);
    stored.slot = device.slot;
    stored.offered = false;
    device = std::move(stored);
  }
}

core::DevicePool& DeviceRegister::SlotsAt(int site) {
  auto& pools = cluster_.pools;
  auto pool = std::find_if(pools.begin(), pools.end(), [&](const auto& known) {
    return known.model == kCpu && known.site == site;
  });
  if (pool == pools.end()) {
    pool = pools.insert(pools.end(), core::DevicePool{});
    pool->count = 0;
  }
  pool->model = kCpu;
  pool->site = site;
  return *pool;
}

void DeviceRegister::UseSlots(int count) {
  unnamed_away_.clear();
  core::DevicePool& pool = SlotsAt(0);
  pool = core::DevicePool{};
  pool.model = kCpu;
  pool.count = count;
}

// Other machines ---------------------------------------------------------------------------------

std::vector<int> DeviceRegister::UseSites(const std::vector<core::Site>& sites) {
  std::vector<int> numbers;
  auto& known = cluster_.sites;
  for (const core::Site& site : sites) {
    auto found = std::find_if(known.begin() + 1, known.end(),
                              [&](const core::Site& other) { return other.name == site.name; });
    if (found == known.end()) found = known.insert(known.end(), site);
    *found = site;
    numbers.push_back(static_cast<int>(found - known.begin()));
  }
  // Devices that an earlier life knew at these sites are expected back; none at a site that is not
  // used any more.
  const auto is_used = [&](int pool) {
    return std::ranges::find(numbers, cluster_.pools[static_cast<std::size_t>(pool)].site) !=
           numbers.end();
  };
  for (std::size_t pool = 0; pool < cluster_.pools.size(); ++pool)
    if (cluster_.pools[pool].site > 0 && !is_used(static_cast<int>(pool)))
      cluster_.pools[pool].away = 0;
  for (Device& device : devices_) {
    if (!is_used(device.pool)) continue;
    device.offered = true;
    device.gone_since = device.gone_since.value_or(Time{});
  }
  return numbers;
}

void DeviceRegister::TakeSite(int site, const SiteLook& look) {
  const bool is_there = look.trouble.empty();
  if (is_there)
    out_of_reach_.erase(site);
  else
    out_of_reach_.insert(site);
  if (look.slots > 0) {
    core::DevicePool& pool = SlotsAt(site);
    const core::DevicePool before = pool;
    pool.count = is_there ? look.slots : 0;
    pool.away = look.slots - pool.count;
    changed_ = changed_ || pool != before;
  }
  std::set<std::string> found;
  for (const meter::GpuDevice& gpu : look.gpus) {
    const int pool = PoolOf(gpu, site);
    Device* device = Find(gpu.uuid);
    if (!device || device->pool != pool) device = &Add(gpu.uuid, pool);
    changed_ = changed_ || !device->offered || device->fault != gpu.fault || device->gone_since;
    device->card = gpu.card_uuid;
    device->offered = true;
    device->fault = gpu.fault;
    device->gone_since.reset();
    found.insert(gpu.uuid);
  }
  for (Device& device : devices_) {
    if (cluster_.pools[static_cast<std::size_t>(device.pool)].site != site) continue;
    const bool is_gone = !is_there || !found.contains(device.name);
    changed_ = changed_ || is_gone != device.gone_since.has_value();
    if (is_gone) device.gone_since = device.gone_since.value_or(Time{});
    if (!is_gone) device.gone_since.reset();
  }
}

void DeviceRegister::UseUnchecked(const std::vector<std::string>& names) {
  unnamed_away_.clear();
  meter::GpuDevice unchecked;
  unchecked.model = kUncheckedGpu;
  const int pool = PoolOf(unchecked);
  for (const std::string& name : names) {
    Device* known = Find(name);
    (known && known->pool == pool ? *known : Add(name, pool)).offered = true;
  }
}

void DeviceRegister::UseGpus(std::string asked, std::vector<core::DeviceProfile> profiles) {
  profiles_ = std::move(profiles);
  looks_ = true;
  if (asked_ != asked) chosen_.clear();
  asked_ = std::move(asked);
  unreachable_ = "the GPUs have not been looked at yet";
  for (Device& device : devices_)
    if (IsHere(device)) device.offered = IsUuid(device.name);
}

void DeviceRegister::Adopt(const std::string& name, int pool) {
  if (Find(name)) return;
  Device& device = Add(name, pool);
  device.offered = looks_ && IsUuid(name);
  if (static_cast<std::size_t>(pool) < unnamed_away_.size()) {
    int& unnamed = unnamed_away_[static_cast<std::size_t>(pool)];
    unnamed = std::max(0, unnamed - 1);
  }
}

Device& DeviceRegister::Add(std::string name, int pool) {
  Device device;
  device.name = device.card = std::move(name);
  device.pool = pool;
  device.slot = SlotsOf(pool);
  devices_.push_back(std::move(device));
  changed_ = true;
  return devices_.back();
}

// Looks --------------------------------------------------------------------------------------

int DeviceRegister::PoolOf(const meter::GpuDevice& found, int site) {
  auto& pools = cluster_.pools;
  auto pool = std::find_if(pools.begin(), pools.end(), [&](const auto& known) {
    return known.model == found.model && known.site == site;
  });
  if (pool == pools.end()) {
    pool = pools.insert(pools.end(), core::DevicePool{});
    pool->model = found.model;
    pool->site = site;
    pool->count = 0;
    changed_ = true;
    if (looks_ && meter::ProfileOf(found, profiles_).model.empty())
      Tell("the speed and power of \"" + found.model +
           "\" are unknown: it counts like the first model here; give them with "
           "--device-profiles");
  }
  const core::DeviceProfile profile = meter::ProfileOf(found, profiles_);
  const auto relative = core::RelativeTo(reference_profile_, profile);
  pool->speed = relative.speed;
  pool->power_factor = relative.power_factor;
  pool->idle = profile.idle.value_or(Power{0});
  return static_cast<int>(pool - pools.begin());
}

bool DeviceRegister::IsChosen(const meter::GpuDevice& found) const {
  const auto names = [&](const std::string& uuid) {
    return uuid == found.uuid || uuid == found.card_uuid;
  };
  return asked_.empty() || std::any_of(chosen_.begin(), chosen_.end(), names);
}

void DeviceRegister::SetReference(const meter::GpuInventory& inventory) {
  for (const meter::GpuDevice& found : inventory.devices) {
    if (!IsChosen(found)) continue;
    if (reference_.empty()) reference_ = found.model;
    if (found.model != reference_) continue;
    reference_profile_ = meter::ProfileOf(found, profiles_);
    return;
  }
  reference_profile_ = core::ProfileOf(reference_, profiles_);  // the model is not there now
}

void DeviceRegister::BeUnreachable(std::string why) {
  told_unreachable_ = true;
  if (why == unreachable_) return;
  unreachable_ = std::move(why);
  Tell("no GPU can be given to a job: " + unreachable_);
}

void DeviceRegister::Take(const Result<meter::GpuInventory>& look, Time now) {
  if (!look) return BeUnreachable(look.error().Message());
  if (chosen_.empty() && look->unknown_name)
    return BeUnreachable("--gpus: " + look->unknown_name->Message());
  if (!asked_.empty() && chosen_.empty()) chosen_ = look->chosen;
  changed_ = changed_ || !unreachable_.empty();
  unreachable_.clear();
  if (std::exchange(told_unreachable_, false)) Tell("the driver of the GPUs answers again");
  SetReference(*look);
  unnamed_away_.clear();  // those GPUs are found now, or are gone
  std::set<std::string> found;
  for (const meter::GpuDevice& device : look->devices) {
    if (!IsChosen(device)) continue;
    TakeFound(device, now);
    found.insert(device.uuid);
  }
  for (Device& device : devices_)
    if (IsHere(device) && device.offered && !found.contains(device.name))
      TakeMissing(device, *look, now);
  for (const std::string& note : look->notes)
    if (std::find(notes_.begin(), notes_.end(), note) == notes_.end()) Tell(note);
  notes_ = look->notes;
  looked_ = true;
}

void DeviceRegister::TakeFound(const meter::GpuDevice& found, Time now) {
  const int pool = PoolOf(found);
  Device* device = Find(found.uuid);
  // The driver may now report another model: programs still hold the device under the old pool.
  if (device && device->pool != pool) std::exchange(device, nullptr)->offered = false;
  const bool is_new = !device || !device->offered;
  if (!device) device = &Add(found.uuid, pool);
  device->card = found.card_uuid;
  device->index = found.index;
  device->offered = true;
  changed_ = changed_ || is_new || device->gone_since || device->fault != found.fault;
  device->fault = found.fault;
  if (std::exchange(device->gone_since, std::nullopt))
    Tell(Called(*device) + " is back");
  else if (is_new && looked_)
    Tell(Called(*device) + " is available: it can get jobs");
  if (!device->fault.empty() && !device->aside)
    PutAside(*device, SetAside::By::kFault, device->fault, now);
}

void DeviceRegister::TakeMissing(Device& device, const meter::GpuInventory& inventory, Time now) {
  const auto& cards = inventory.cards;
  if (std::find(cards.begin(), cards.end(), device.card) != cards.end()) {
    device.offered = false;  // hidden, divided differently, or not asked for
    changed_ = true;
  } else if (!device.gone_since) {
    device.gone_since = now;
    Tell(Called(device) +
         " is gone: its driver does not list it. What runs there goes on; it gets "
         "no other job until it is back");
  }
}

// Set aside ----------------------------------------------------------------------------------

void DeviceRegister::PutAside(Device& device, SetAside::By by, std::string why, Time now) {
  ++device.times_aside;
  device.aside = SetAside{by, std::move(why), now, now + RestAfter(device.times_aside)};
  Tell(Called(device) + " is set aside: " + device.aside->why + "; tried again at " +
       FormatTime(*device.aside->retry_at));
}

void DeviceRegister::DoWell(const DeviceUse& use, Time now) {
  for (const std::string& name : use.devices) {
    if (Device* device = Find(name)) {
      device->failures.clear();
      changed_ = changed_ || device->times_aside > 0;
      if (!device->aside) device->times_aside = 0;
    }
    wells_.push_back({name, use.kind, now});
    if (wells_.size() > kWells) wells_.pop_front();
  }
}

// A faulty program fails everywhere, and so do similar ones. The device is to blame only if similar
// jobs do well elsewhere, or if jobs of several kinds fail here and others do not.
bool DeviceRegister::OthersDoWell(const Device& device, std::span<const DeviceUse> running) const {
  std::set<std::string> kinds;
  for (const auto& [job, kind] : device.failures) kinds.insert(kind);
  const auto counts = [&](const std::string& kind) {
    return kinds.size() > 1 || kinds.contains(kind);
  };
  const bool ended = std::any_of(wells_.begin(), wells_.end(), [&](const Well& well) {
    return well.device != device.name && well.at >= device.failing_since && counts(well.kind);
  });
  return ended || std::any_of(running.begin(), running.end(), [&](const DeviceUse& use) {
           const auto& names = use.devices;
           return use.ran >= kQuick && counts(use.kind) && !names.empty() &&
                  std::find(names.begin(), names.end(), device.name) == names.end();
         });
}

void DeviceRegister::TakeEnd(const DeviceUse& ended, std::span<const DeviceUse> running, Time now) {
  if (!ended.failed || ended.ran >= kQuick) return DoWell(ended, now);
  for (const std::string& name : ended.devices) {
    Device* const device = Find(name);
    if (!device || device->aside) continue;
    auto& failures = device->failures;
    if (failures.empty()) device->failing_since = now - ended.ran;
    std::erase_if(failures, [&](const auto& failure) { return failure.first == ended.job; });
    failures.emplace_back(ended.job, ended.kind);
    if (failures.size() > kWells) failures.erase(failures.begin());
    const bool on_trial = device->times_aside > 0;
    if (!on_trial && (failures.size() < kFailuresInARow || !OthersDoWell(*device, running)))
      continue;
    PutAside(*device, SetAside::By::kFailures,
             on_trial ? "it was tried again, and a job failed on it within two minutes"
                      : std::to_string(failures.size()) +
                            " jobs in a row failed on it within two minutes each, and elsewhere "
                            "jobs do well",
             now);
  }
}

void DeviceRegister::TakeFault(const std::string& name, const std::string& what, Time at) {
  Device* const device = Find(name);
  if (!device || device->aside || at <= device->cleared) return;
  PutAside(*device, SetAside::By::kFault, what, at);
}

bool DeviceRegister::TryAgain(Time now) {
  bool changed = false;
  for (Device& device : devices_) {
    if (!device.aside || !device.aside->retry_at || !device.offered) continue;
    // A clock that was set back must not extend the rest for ever.
    const bool due =
        *device.aside->retry_at <= now || *device.aside->retry_at > now + 2 * kLongestRest;
    if (!due) continue;
    changed = changed_ = true;
    if (!device.fault.empty()) {
      device.aside->retry_at = now + RestAfter(++device.times_aside);
      continue;
    }
    device.aside.reset();
    device.failures.clear();
    device.cleared = now;
    Tell(Called(device) + " is tried again");
  }
  return changed;
}

Time DeviceRegister::NextRetry() const {
  Time next = Time::max();
  for (const Device& device : devices_)
    if (device.offered && device.aside && device.aside->retry_at)
      next = std::min(next, *device.aside->retry_at);
  return next;
}

Result<Device*> DeviceRegister::Named(const std::string& name) {
  const auto found = DevicesNamed(devices_, name);
  if (found.size() == 1) return devices_.data() + (found.front() - devices_.data());
  std::vector<std::string> there;
  for (const Device& device : devices_)
    if (device.offered) there.push_back(device.name);
  return Fail(
      {ExitCode::kUsage,
       "\"" + name + "\" names " + (found.empty() ? "no GPU" : "several GPUs") + " of the service",
       "", "there are: " + (there.empty() ? "none" : Join(there, ", "))});
}

Result<std::string> DeviceRegister::SetAsideByPerson(const std::string& name,
                                                     const std::string& why, Time now) {
  EBB_ASSIGN_OR_RETURN(Device* const device, Named(name));
  device->aside = SetAside{SetAside::By::kPerson, why, now, std::nullopt};
  Tell(Called(*device) + " is set aside by a person" + (why.empty() ? "" : ": " + why));
  return device->name;
}

Result<std::string> DeviceRegister::PutBack(const std::string& name, Time now) {
  EBB_ASSIGN_OR_RETURN(Device* const device, Named(name));
  if (!device->fault.empty())
    return Fail({ExitCode::kUnavailable, device->name + " cannot be used: " + device->fault, "",
                 "put it back when it answers; it is tried again from time to time"});
  const bool was_aside = device->aside.has_value();
  device->aside.reset();
  device->failures.clear();
  device->times_aside = 0;
  device->cleared = now;
  if (was_aside) Tell(Called(*device) + " is put back by a person");
  return device->name;
}

Result<std::string> DeviceRegister::Forget(const std::string& name) {
  EBB_ASSIGN_OR_RETURN(Device* const device, Named(name));
  if (!device->gone_since)
    return Fail({ExitCode::kUsage, device->name + " is not gone", "",
                 "only a GPU that is gone can be forgotten"});
  device->offered = false;
  std::erase(chosen_, device->name);
  Tell(Called(*device) + " is forgotten: it is not expected back");
  return device->name;
}

// Available devices ------------------------------------------------------------------------------

Device* DeviceRegister::Find(std::string_view name) {
  Device* found = nullptr;
  for (Device& device : devices_)
    if (device.name == name && (!found || device.offered)) found = &device;
  return found;
}

std::string DeviceRegister::Called(const Device& device) const {
  return device.name + " (" + cluster_.pools[static_cast<std::size_t>(device.pool)].model + ")";
}

void DeviceRegister::Tell(std::string text) {
  news_.push_back(std::move(text));
  changed_ = true;
}

bool DeviceRegister::IsHere(const Device& device) const {
  return cluster_.pools[static_cast<std::size_t>(device.pool)].site == 0;
}

bool DeviceRegister::IsUsable(const Device& device) const {
  if (!device.offered || device.aside || device.gone_since) return false;
  return IsHere(device) ? unreachable_.empty() : device.fault.empty();
}

std::string DeviceRegister::Trouble() const {
  if (!unreachable_.empty()) return unreachable_;
  std::vector<std::string> why;
  for (const Device& device : devices_) {
    if (!device.offered || !IsHere(device)) continue;
    if (IsUsable(device)) return "";
    why.push_back(device.name +
                  (device.gone_since ? " is gone" : " is set aside: " + device.aside->why));
  }
  if (!looks_) return "";
  return why.empty() ? "no GPU is there that jobs may have" : Join(why, "; ");
}

bool DeviceRegister::IsHeld(const Device& device, const HeldDevices& held) const {
  return held.contains(device.name) || (device.index && device.name == device.card &&
                                        held.contains(std::to_string(*device.index)));
}

// A device counts if it can be given out, or if a program of its own pool holds it. Nothing counts
// at a site that cannot be reached: no other job may wait for the devices there.
bool DeviceRegister::Counts(const Device& device, const HeldDevices& held) const {
  if (out_of_reach_.contains(cluster_.pools[static_cast<std::size_t>(device.pool)].site))
    return false;
  const auto [first, last] = held.equal_range(device.name);
  return std::any_of(first, last,
                     [&](const auto& held_by) { return held_by.second == device.pool; }) ||
         (IsUsable(device) && !IsHeld(device, held));
}

core::Cluster DeviceRegister::ClusterWith(const HeldDevices& held) const {
  core::Cluster cluster = cluster_;
  for (std::size_t pool = 0; pool < unnamed_away_.size() && pool < cluster.pools.size(); ++pool)
    cluster.pools[pool].away += unnamed_away_[pool];
  for (const Device& device : devices_) {
    core::DevicePool& pool = cluster.pools[static_cast<std::size_t>(device.pool)];
    if (Counts(device, held))
      ++pool.count;
    else if (device.offered)
      ++pool.away;
  }
  return cluster;
}

int DeviceRegister::SlotsOf(int pool) const {
  int slots = cluster_.pools[static_cast<std::size_t>(pool)].count;
  for (const Device& device : devices_)
    if (device.pool == pool) slots = std::max(slots, device.slot + 1);
  return slots;
}

std::vector<std::string> DeviceRegister::NamesOf(int pool) const {
  std::vector<std::string> names;
  for (const Device& device : devices_)
    if (device.pool == pool) names.push_back(device.name);
  return names;
}

std::set<int> DeviceRegister::Taken(int pool, const HeldDevices& held) const {
  std::set<int> taken;
  for (const Device& device : devices_)
    if (device.pool == pool && (!IsUsable(device) || IsHeld(device, held)))
      taken.insert(device.slot);
  return taken;
}

std::string DeviceRegister::ToText() const {
  Remembered known{asked_, chosen_, reference_, {}, {}};
  for (const core::DevicePool& pool : cluster_.pools)
    known.pools.push_back({pool.model, pool.speed, pool.power_factor});
  std::copy_if(devices_.begin(), devices_.end(), std::back_inserter(known.devices),
               [](const Device& device) { return device.offered && IsUuid(device.name); });
  return ToFieldText(known, FieldStyle::kComplete);
}

}  // namespace ebb::local
