#include "meter/gpu/gpu_inventory.h"

#include <algorithm>

#include "base/text.h"
#include "meter/gpu/cuda_visible.h"
#include "meter/gpu/nvml_library.h"

namespace ebb::meter {
namespace {

// The library with all devices that it reports.
struct Machine {
  std::unique_ptr<NvmlLibrary> library;
  std::vector<GpuLibrary::Device> cards;
  std::vector<std::string> uuids;  ///< UUIDs of the cards
  GpuInventory all;
};

void AddSlices(Machine& machine, std::size_t index) {
  const NvmlLibrary& library = *machine.library;
  const auto card = machine.cards[index];
  const auto slices = library.MigDevices(card);
  if (slices.empty())
    machine.all.notes.push_back("GPU " + machine.uuids[index] + " (" + library.Name(card) +
                                ") is set to MIG and has no instances: no program can use it");
  for (const auto slice : slices)
    machine.all.devices.push_back({library.Uuid(slice), library.Name(slice), index,
                                   machine.uuids[index], library.Name(card),
                                   library.Slice(slice, card).share, library.Fault(card)});
}

Result<Machine> LookAt(const std::string& nvml_library) {
  Machine machine;
  EBB_ASSIGN_OR_RETURN(machine.library, NvmlLibrary::Open(nvml_library));
  const NvmlLibrary& library = *machine.library;
  machine.cards = library.Places();
  for (const auto card : machine.cards) machine.uuids.push_back(card ? library.Uuid(card) : "");
  for (std::size_t i = 0; i < machine.cards.size(); ++i) {
    if (!machine.uuids[i].empty()) {
      machine.all.cards.push_back(machine.uuids[i]);
      if (const auto energy = library.TotalMicrojoules(machine.cards[i]))
        machine.all.energies.push_back({machine.uuids[i], *energy});
    }
    if (machine.uuids[i].empty()) {
      machine.all.notes.push_back("GPU " + std::to_string(i) +
                                  (machine.cards[i] ? " does not say its UUID: left out"
                                                    : " does not answer the driver: left out"));
    } else if (library.MigIsOn(machine.cards[i])) {
      AddSlices(machine, i);
    } else {
      const std::string model = library.Name(machine.cards[i]);
      machine.all.devices.push_back({machine.uuids[i], model, i, machine.uuids[i], model,
                                     std::optional(1.0), library.Fault(machine.cards[i])});
    }
  }
  return machine;
}

// The devices among `among` that one entry names: an instance, or all devices of a GPU. Empty if
// there are none.
std::vector<GpuDevice> Named(const Machine& machine, const std::string& entry,
                             const std::vector<GpuDevice>& among) {
  std::vector<GpuDevice> found;
  const auto named = NameGpu(entry, machine.cards, machine.uuids, *machine.library);
  if (!named) return found;
  for (const GpuDevice& device : among) {
    if (named->slice ? device.uuid == named->slice->uuid : device.index == named->index)
      found.push_back(device);
  }
  return found;
}

void Add(std::vector<GpuDevice> found, std::vector<GpuDevice>& devices) {
  for (GpuDevice& device : found) {
    const bool there = std::any_of(devices.begin(), devices.end(),
                                   [&](const auto& other) { return other.uuid == device.uuid; });
    if (!there) devices.push_back(std::move(device));
  }
}

// Hides devices as CUDA does: an entry that names nothing hides all that follow it.
void KeepVisible(const Machine& machine, const std::string& visible, GpuInventory& inventory) {
  std::vector<GpuDevice> kept;
  for (const std::string& entry : VisibleEntries(visible)) {
    std::vector<GpuDevice> found = Named(machine, entry, inventory.devices);
    if (found.empty()) {
      inventory.notes.push_back(
          "CUDA_VISIBLE_DEVICES: \"" + entry +
          "\" names no GPU of this machine; it and what follows are left out");
      break;
    }
    Add(std::move(found), kept);
  }
  inventory.devices = std::move(kept);
}

Error NoSuchGpu(const std::string& name, const GpuInventory& inventory, bool restricted) {
  std::vector<std::string> there;
  for (const GpuDevice& device : inventory.devices)
    there.push_back(std::to_string(device.index) + " " + device.uuid + " (" + device.model + ")");
  const std::string list = there.empty() ? "none" : Join(there, ", ");
  return {ExitCode::kUsage, "\"" + name + "\" names none of the GPUs that are here", "",
          (restricted ? "CUDA_VISIBLE_DEVICES leaves: " : "there are: ") + list};
}

}  // namespace

Result<GpuInventory> FindAllGpus(const GpuSearch& search) {
  EBB_ASSIGN_OR_RETURN(Machine machine, LookAt(search.nvml_library));
  GpuInventory inventory = std::move(machine.all);
  if (search.cuda_visible_devices) KeepVisible(machine, *search.cuda_visible_devices, inventory);
  for (const std::string& name : search.names) {
    const std::vector<GpuDevice> found = Named(machine, name, inventory.devices);
    if (found.empty() && !inventory.unknown_name)
      inventory.unknown_name = NoSuchGpu(name, inventory, search.cuda_visible_devices.has_value());
    const bool whole = !name.starts_with("MIG-") && name.find(':') == std::string::npos;
    for (const GpuDevice& device : found)
      inventory.chosen.push_back(whole ? device.card_uuid : device.uuid);
  }
  return inventory;
}

Result<GpuInventory> FindGpus(const GpuSearch& search) {
  EBB_ASSIGN_OR_RETURN(GpuInventory inventory, FindAllGpus(search));
  if (inventory.unknown_name) return Fail(*inventory.unknown_name);
  if (search.names.empty()) return inventory;
  std::vector<GpuDevice> chosen;
  for (const std::string& uuid : inventory.chosen)
    for (const GpuDevice& device : inventory.devices)
      if (device.uuid == uuid || device.card_uuid == uuid) Add({device}, chosen);
  inventory.devices = std::move(chosen);
  return inventory;
}

core::DeviceProfile ProfileOf(const GpuDevice& device, std::span<const core::DeviceProfile> own) {
  core::DeviceProfile profile = core::ProfileOf(device.model, own);
  if (!profile.model.empty() || device.uuid == device.card_uuid || !device.share) return profile;
  return core::PartOf(core::ProfileOf(device.card_model, own), *device.share);
}

}  // namespace ebb::meter
