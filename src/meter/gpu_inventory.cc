#include "meter/gpu_inventory.h"

#include <algorithm>

#include "base/text.h"
#include "meter/cuda_visible.h"
#include "meter/nvml_library.h"

namespace ebb::meter {
namespace {

// The library with everything it shows.
struct Machine {
  std::unique_ptr<NvmlLibrary> library;
  std::vector<GpuLibrary::Device> cards;
  std::vector<std::string> uuids;  ///< of the cards
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
                                   library.Slice(slice, card).share});
}

Result<Machine> LookAt(const std::string& nvml_library) {
  Machine machine;
  EBB_ASSIGN_OR_RETURN(machine.library, NvmlLibrary::Open(nvml_library));
  const NvmlLibrary& library = *machine.library;
  machine.cards = library.Devices();
  for (const auto card : machine.cards) machine.uuids.push_back(library.Uuid(card));
  for (std::size_t i = 0; i < machine.cards.size(); ++i) {
    if (machine.uuids[i].empty()) {
      machine.all.notes.push_back("GPU " + std::to_string(i) + " does not say its UUID: left out");
    } else if (library.MigIsOn(machine.cards[i])) {
      AddSlices(machine, i);
    } else {
      const std::string model = library.Name(machine.cards[i]);
      machine.all.devices.push_back(
          {machine.uuids[i], model, i, machine.uuids[i], model, std::optional(1.0)});
    }
  }
  return machine;
}

// Those of `among` that one entry names: an instance, or all of a GPU. Empty: none.
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

// As CUDA would: what follows an entry that names nothing is not visible.
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

Result<GpuInventory> FindGpus(const GpuSearch& search) {
  EBB_ASSIGN_OR_RETURN(Machine machine, LookAt(search.nvml_library));
  GpuInventory inventory = std::move(machine.all);
  if (search.cuda_visible_devices) KeepVisible(machine, *search.cuda_visible_devices, inventory);
  if (search.names.empty()) return inventory;
  std::vector<GpuDevice> chosen;
  for (const std::string& name : search.names) {
    std::vector<GpuDevice> found = Named(machine, name, inventory.devices);
    if (found.empty())
      return Fail(NoSuchGpu(name, inventory, search.cuda_visible_devices.has_value()));
    Add(std::move(found), chosen);
  }
  inventory.devices = std::move(chosen);
  return inventory;
}

}  // namespace ebb::meter
