#pragma once
// The devices of the service over its lives: which there are, which of them jobs may have, and why
// not the others. A GPU is known by its UUID. It keeps its slot while the service runs, and its
// pool while its model has one; a slot that is not given out is a hole in its pool.
//
// A GPU is not given out while its driver does not answer, while it is gone (the driver does not
// list it), and while it is set aside: by a person, because it failed jobs quickly, or because of a
// fault that the driver told of. What it was set aside for is tried again later. A job that runs on
// it goes on, and the device counts as there until that ends.
//
// What happened comes in with its time; it reads no clock. Slots without a name (of the CPU) are
// always there. Not thread-safe: one thread.

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/cluster.h"
#include "core/device_profile.h"
#include "core/job.h"
#include "meter/gpu/gpu_inventory.h"

namespace ebb::local {

/// The model of GPUs that no driver can be asked about.
inline constexpr const char* kUncheckedGpu = "gpu";

struct SetAside {
  enum class By { kPerson, kFailures, kFault };
  By by = By::kPerson;
  std::string why;               ///< for people
  Time since{};                  ///< wall time
  std::optional<Time> retry_at;  ///< wall time; nothing: a person puts it back
};
std::string_view Name(SetAside::By by);

/// How an attempt on GPUs ended, or how it goes.
struct DeviceUse {
  std::vector<std::string> devices;  ///< by name
  core::JobId job = 0;
  std::string kind;     ///< what it is an instance of: jobs of one kind fail together
  Duration ran{};       ///< wall time
  bool failed = false;  ///< its program did, by itself
};

struct Device {
  std::string name;  ///< as CUDA_VISIBLE_DEVICES names it: "GPU-...", "MIG-..."
  std::string card;  ///< UUID of the GPU that it is, or is a part of
  int pool = 0;
  int slot = 0;                      ///< of the pool, from 0 on
  std::optional<std::size_t> index;  ///< as nvidia-smi counts, when it was last seen in this life
  std::optional<SetAside> aside;     ///< nothing: it is not
  std::optional<Time> gone_since;    ///< wall time; nothing: it is there
  bool offered = true;               ///< false: hidden, divided, forgotten; only held from before
  int times_aside = 0;               ///< since it last did well
  Time cleared{};                    ///< wall time; faults before that are forgiven
  std::string fault;                 ///< as last seen; empty: none
  std::vector<std::pair<core::JobId, std::string>> failures;  ///< quick ones in a row, with kinds
  Time failing_since{};                                       ///< wall time of the first of them
};

/// What programs that run hold: names of devices, with the numbers of their programs' pools.
using HeldDevices = std::multimap<std::string, int>;

class DeviceRegister {
 public:
  DeviceRegister() = default;
  /// Pools as they are given. `gpus`: by pool, one name for each slot; may be shorter; none: no
  /// GPUs.
  DeviceRegister(core::Cluster cluster, const std::vector<std::vector<std::string>>& gpus);

  /// The pools of an earlier life, with their numbers and without devices, at one site; `text` is
  /// what ToText gave then, or empty. GPUs that are known from it are away until a look finds them.
  void Restore(const core::Site& site, const core::Cluster& before, const std::string& text);
  /// A pool of slots of the CPU.
  void UseSlots(int count);
  /// GPUs that no driver can be asked about, as CUDA_VISIBLE_DEVICES takes them.
  void UseUnchecked(const std::vector<std::string>& names);
  /// GPUs as a look at the machine shows them. `asked`: what --gpus said; empty: all. What it meant
  /// is remembered, so that numbers stay with their GPUs however these are counted later.
  /// `profiles` go before the built-in ones. From here on GPUs are away until Take.
  void UseGpus(std::string asked, std::vector<core::DeviceProfile> profiles);
  /// A program of an earlier life runs there.
  void Adopt(const std::string& name, int pool);

  /// A look at the machine: which GPUs are there now, or why nobody knows.
  void Take(const Result<meter::GpuInventory>& look, Time now);
  /// An attempt has ended. A device where quick failures of several jobs came in a row, while jobs
  /// elsewhere (`running`, or ended since) do well, is set aside.
  void TakeEnd(const DeviceUse& ended, std::span<const DeviceUse> running, Time now);
  /// The driver told of an error while a job was on it.
  void TakeFault(const std::string& name, const std::string& what, Time at);
  /// Ends what was set aside until now, on trial; true: something changed.
  bool TryAgain(Time now);
  /// When TryAgain has something to do next; Time::max(): never.
  Time NextRetry() const;

  /// What people ask of a device: it is named by its name or a unique beginning of it.
  Result<std::string> SetAsideByPerson(const std::string& name, const std::string& why, Time now);
  Result<std::string> PutBack(const std::string& name, Time now);
  /// It is not expected back; only of one that is gone.
  Result<std::string> Forget(const std::string& name);

  /// UseGpus was called.
  bool looks() const { return looks_; }
  /// --gpus names GPUs, and it is not known yet which they are.
  bool names_are_unknown() const { return !asked_.empty() && chosen_.empty(); }
  const std::vector<Device>& devices() const { return devices_; }
  /// Whether a job may have it now, if no other has.
  bool IsUsable(const Device& device) const;
  /// Why no GPU can be given to a job; empty: some can, or there are only slots of the CPU.
  std::string Trouble() const;
  /// As data sheets have them; counts are of slots without names.
  const core::Cluster& pools() const { return cluster_; }
  /// For the engine: devices that can be given out, or that programs hold; the others are away.
  core::Cluster ClusterWith(const HeldDevices& held) const;
  /// How many numbers the slots of the pool take up, holes included.
  int SlotsOf(int pool) const;
  /// Of its GPUs, by slot; empty: slots without names.
  std::vector<std::string> NamesOf(int pool) const;
  /// Slots that no job may have now: held, or holes.
  std::set<int> Taken(int pool, const HeldDevices& held) const;

  /// What happened since the last call, for people.
  std::vector<std::string> TakeNews() { return std::exchange(news_, {}); }
  /// Whether something changed since the last call.
  bool TakeChanged() { return std::exchange(changed_, false); }
  /// What Restore takes.
  std::string ToText() const;

 private:
  Device* Find(std::string_view name);
  Result<Device*> Named(const std::string& name);
  int PoolOf(const meter::GpuDevice& found);
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
  std::vector<int> unnamed_away_;  // by pool: GPUs of an earlier life whose names are not known
  std::vector<Device> devices_;
  std::vector<core::DeviceProfile> profiles_;
  std::string reference_;  // model that speeds and powers are relative to
  core::DeviceProfile reference_profile_;
  std::string asked_;                // --gpus
  std::vector<std::string> chosen_;  // UUIDs that it means; empty: not known yet, or all
  std::string unreachable_;          // why the driver does not answer; empty: it does
  bool told_unreachable_ = false;
  bool looks_ = false;              // UseGpus
  bool looked_ = false;             // in this life
  std::vector<std::string> notes_;  // of the last look
  struct Well {
    std::string device, kind;
    Time at{};
  };
  std::deque<Well> wells_;  // the latest that went well
  std::vector<std::string> news_;
  bool changed_ = false;
};

}  // namespace ebb::local
