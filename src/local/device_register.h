#pragma once
// The devices of the service across restarts: which exist, which of them jobs may have, and why not
// the others. A GPU is known by its UUID. It keeps its slot while the service runs, and its pool
// while its model has one; a slot that is not given out is a hole in its pool.
//
// A GPU is not given out while its driver does not answer, while it is gone (the driver does not
// list it), and while it is set aside: by a person, because it failed jobs quickly, or because of a
// fault that the driver reported. A device that was set aside is tried again later. A job that runs
// on it goes on, and the device counts as there until that ends.
//
// Events come in with their time; the register reads no clock. Slots without a name (of the CPU)
// are always there. Not thread-safe: one thread.

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/devices/cluster.h"
#include "core/devices/device_profile.h"
#include "core/jobs/job.h"
#include "meter/gpu/gpu_inventory.h"

namespace ebb::local {

/// Model name of GPUs whose driver cannot be asked.
inline constexpr const char* kUncheckedGpu = "gpu";

struct SetAside {
  enum class By { kPerson, kFailures, kFault };
  By by = By::kPerson;
  std::string why;               ///< for people
  Time since{};                  ///< wall time
  std::optional<Time> retry_at;  ///< wall time; nothing: only a person puts it back
};
std::string_view Name(SetAside::By by);

/// How a device was used by an attempt on GPUs that ended or still runs.
struct DeviceUse {
  std::vector<std::string> devices;  ///< by name
  core::JobId job = 0;
  std::string kind;     ///< kind of the job: jobs of one kind fail together
  Duration ran{};       ///< wall time
  bool failed = false;  ///< the program failed by itself
};

struct Device {
  std::string name;  ///< as CUDA_VISIBLE_DEVICES names it: "GPU-...", "MIG-..."
  std::string card;  ///< UUID of the GPU that the device is, or is a part of
  int pool = 0;
  int slot = 0;                      ///< slot in the pool, from 0
  std::optional<std::size_t> index;  ///< number in nvidia-smi when it was last seen in this life
  std::optional<SetAside> aside;     ///< nothing: not set aside
  std::optional<Time> gone_since;    ///< wall time; nothing: the device is there
  bool offered = true;               ///< false: hidden, divided, forgotten; only held from before
  int times_aside = 0;               ///< how often since it last did well
  Time cleared{};                    ///< wall time; earlier faults are forgiven
  std::string fault;                 ///< last fault; empty: none
  std::vector<std::pair<core::JobId, std::string>> failures;  ///< quick ones in a row, with kinds
  Time failing_since{};  ///< wall time of the first of `failures`
};

/// The devices of another machine, as far as they are known.
struct SiteLook {
  std::string trouble;  ///< why the machine cannot be reached; empty: it can
  int slots = 0;        ///< slots of its CPU that jobs may have; 0: jobs have its GPUs
  std::vector<meter::GpuDevice> gpus;  ///< `fault` also says that somebody else has a GPU now
};

/// Devices that running programs hold: names, with the numbers of the programs' pools.
using HeldDevices = std::multimap<std::string, int>;

class DeviceRegister {
 public:
  DeviceRegister() = default;
  /// Uses pools as given. `gpus`: by pool, one name for each slot; may be shorter; none: no GPUs.
  DeviceRegister(core::Cluster cluster, const std::vector<std::vector<std::string>>& gpus);

  /// Restores the pools of an earlier life, with their numbers and without devices, at one site.
  /// `text` is the result of ToText then, or empty. GPUs in it are away until a look finds them.
  void Restore(const core::Site& site, const core::Cluster& before, const std::string& text);
  /// Adds a pool of CPU slots.
  void UseSlots(int count);
  /// Uses GPUs whose driver cannot be asked, by their names for CUDA_VISIBLE_DEVICES.
  void UseUnchecked(const std::vector<std::string>& names);
  /// Uses the GPUs that are found on the machine. `asked` is the value of --gpus; empty: all. The
  /// UUIDs that it stands for are remembered, so that numbers stay with their GPUs if they are
  /// counted differently later. `profiles` go before the built-in ones. From here on GPUs are away
  /// until Take.
  void UseGpus(std::string asked, std::vector<core::DeviceProfile> profiles);
  /// Names the sites besides this machine, in addition to those that an earlier life knew. Returns
  /// the number of each. Sites that are not named any more keep their pools, without devices.
  std::vector<int> UseSites(const std::vector<core::Site>& sites);
  /// Takes the result of a look at another machine. Its devices are away while it cannot be
  /// reached.
  void TakeSite(int site, const SiteLook& look);
  /// Notes that a program of an earlier life runs on the device.
  void Adopt(const std::string& name, int pool);

  /// Takes the result of a look at the machine: which GPUs are there now, or why that is unknown.
  void Take(const Result<meter::GpuInventory>& look, Time now);
  /// Takes the end of an attempt. A device where quick failures of several jobs came in a row,
  /// while jobs elsewhere (`running`, or ended since) do well, is set aside.
  void TakeEnd(const DeviceUse& ended, std::span<const DeviceUse> running, Time now);
  /// Takes an error that the driver reported while a job was on the device.
  void TakeFault(const std::string& name, const std::string& what, Time at);
  /// Ends periods of being set aside that are over by now, on trial; true: something changed.
  bool TryAgain(Time now);
  /// The next time at which TryAgain has something to do; Time::max(): never.
  Time NextRetry() const;

  /// Sets a device aside for a person, who gives its name or a unique beginning of it.
  Result<std::string> SetAsideByPerson(const std::string& name, const std::string& why, Time now);
  Result<std::string> PutBack(const std::string& name, Time now);
  /// Removes a device that is gone and is not expected back.
  Result<std::string> Forget(const std::string& name);

  /// Tells that UseGpus was called.
  bool looks() const { return looks_; }
  /// Tells that --gpus names GPUs whose UUIDs are still unknown.
  bool names_are_unknown() const { return !asked_.empty() && chosen_.empty(); }
  const std::vector<Device>& devices() const { return devices_; }
  /// Tells if a job may have the device now, if no other has it.
  bool IsUsable(const Device& device) const;
  /// The reason for which no GPU can be given to a job; empty: some can, or there are only CPU
  /// slots.
  std::string Trouble() const;
  /// Pools with the values of data sheets; counts are those of slots without names.
  const core::Cluster& pools() const { return cluster_; }
  /// Pools for the engine: devices that can be given out or that programs hold; others are away.
  core::Cluster ClusterWith(const HeldDevices& held) const;
  /// Number of slots that the pool occupies, holes included.
  int SlotsOf(int pool) const;
  /// Names of the pool's GPUs, by slot; empty: slots without names.
  std::vector<std::string> NamesOf(int pool) const;
  /// Slots that no job may have now: they are held, or are holes.
  std::set<int> Taken(int pool, const HeldDevices& held) const;

  /// Events since the last call, as text for people.
  std::vector<std::string> TakeNews() { return std::exchange(news_, {}); }
  /// Tells if something changed since the last call.
  bool TakeChanged() { return std::exchange(changed_, false); }
  /// The text for Restore.
  std::string ToText() const;

 private:
  Device* Find(std::string_view name);
  Result<Device*> Named(const std::string& name);
  int PoolOf(const meter::GpuDevice& found, int site = 0);
  core::DevicePool& SlotsAt(int site);
  bool IsHere(const Device& device) const;
  Device& Add(std::string name, int pool);
  bool IsChosen(const meter::GpuDevice& found) const;
  bool IsHeld(const Device& device, const HeldDevices& held) const;
  bool Counts(const Device& device, const HeldDevices& held) const;
  void SetReference(const meter::GpuInventory& inventory);
  void TakeFound(const meter::GpuDevice& found, Time now);
  void TakeMissing(Device& device, const meter::GpuInventory& inventory, Time now);
  void BeUnreachable(std::string why);
  bool OthersDoWell(const Device& device, std::span<const DeviceUse> running) const;
  void DoWell(const DeviceUse& use, Time now);
  void PutAside(Device& device, SetAside::By by, std::string why, Time now);
  std::string Called(const Device& device) const;
  void Tell(std::string text);

  core::Cluster cluster_;
  std::vector<int> unnamed_away_;  // by pool: GPUs of an earlier life with unknown names
  std::vector<Device> devices_;
  std::vector<core::DeviceProfile> profiles_;
  std::string reference_;  // model that speeds and powers are relative to
  core::DeviceProfile reference_profile_;
  std::string asked_;                // --gpus
  std::vector<std::string> chosen_;  // UUIDs for --gpus; empty: not known yet, or all
  std::string unreachable_;          // why the driver does not answer; empty: it answers
  bool told_unreachable_ = false;
  bool looks_ = false;              // UseGpus
  bool looked_ = false;             // a look was taken in this life
  std::vector<std::string> notes_;  // of the last look
  struct Well {
    std::string device, kind;
    Time at{};
  };
  std::deque<Well> wells_;      // the latest uses that went well
  std::set<int> out_of_reach_;  // sites that the last look could not reach
  std::vector<std::string> news_;
  bool changed_ = false;
};

}  // namespace ebb::local
