#include "meter/nvml.h"

#include <algorithm>
#include <functional>
#include <map>

#include "base/text.h"

namespace ebb::meter {
namespace {

constexpr std::chrono::milliseconds kPowerPollInterval{100};
constexpr char kPowerUnreadable[] = "the power cannot be read";

std::chrono::duration<double> AsSeconds(std::chrono::nanoseconds time) { return time; }

// The one UUID that begins so; nothing if there is none or several.
std::optional<std::size_t> FindUnique(const std::vector<std::string>& uuids,
                                      std::string_view beginning) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < uuids.size(); ++i) {
    if (!uuids[i].starts_with(beginning)) continue;
    if (found) return std::nullopt;
    found = i;
  }
  return found;
}

// "GPU-<uuid>" of "MIG-GPU-<uuid>/1/0", as drivers before 470 write it.
std::string_view ParentInOldMigName(std::string_view entry) {
  entry.remove_prefix(std::string_view("MIG-").size());
  return entry.substr(0, entry.find('/'));
}

std::optional<std::size_t> Resolve(std::string_view entry, const std::vector<std::string>& uuids,
                                   const NvmlLibrary& library) {
  if (const auto index = ParseInteger(entry)) {
    if (*index < 0 || *index >= static_cast<long long>(uuids.size())) return std::nullopt;
    return static_cast<std::size_t>(*index);
  }
  if (entry.starts_with("MIG-GPU-")) return FindUnique(uuids, ParentInOldMigName(entry));
  if (entry.starts_with("MIG-")) {
    const auto parent = library.ParentOfMig(std::string(entry));
    return parent ? FindUnique(uuids, *parent) : std::nullopt;
  }
  if (entry.starts_with("GPU-")) return FindUnique(uuids, entry);
  return std::nullopt;
}

std::optional<core::EnergySource> BestSource(const NvmlLibrary& library,
                                             NvmlLibrary::Device device) {
  if (library.TotalMillijoules(device)) return core::EnergySource::kCounter;
  if (library.PowerWatts(device)) return core::EnergySource::kPowerIntegral;
  return std::nullopt;
}

// CUDA numbers the fastest GPU first unless told otherwise, NVML by PCI bus.
bool NumberingIsUncertain(const std::vector<std::string>& models,
                          const std::optional<std::string>& cuda_visible_devices) {
  const bool alike =
      std::adjacent_find(models.begin(), models.end(), std::not_equal_to<>()) == models.end();
  const bool has_index =
      cuda_visible_devices && cuda_visible_devices->find_first_of("0123456789") == 0;
  return !alike && has_index;
}

std::optional<std::int64_t> Microjoules(std::optional<std::int64_t> millijoules) {
  if (!millijoules) return std::nullopt;
  return *millijoules * 1000;
}

}  // namespace

GpuSelection SelectGpus(const std::vector<std::string>& uuids,
                        const std::optional<std::string>& cuda_visible_devices,
                        const NvmlLibrary& library) {
  GpuSelection selection;
  if (!cuda_visible_devices) {
    for (std::size_t i = 0; i < uuids.size(); ++i) selection.indices.push_back(i);
    return selection;
  }
  for (const std::string_view field : Split(*cuda_visible_devices, ',')) {
    const std::string_view entry = Trim(field);
    if (entry.empty() || entry == "-1" || entry == "NoDevFiles") break;
    const auto index = Resolve(entry, uuids, library);
    if (!index) {
      selection.notes.push_back("CUDA_VISIBLE_DEVICES: \"" + std::string(entry) +
                                "\" names no GPU of this machine; it and what follows are not "
                                "metered, as CUDA does not use them either");
      break;
    }
    if (entry.starts_with("MIG-"))
      selection.notes.push_back("GPU " + uuids[*index] +
                                " is metered as a whole: its counter does "
                                "not tell MIG slices apart");
    selection.indices.push_back(*index);
  }
  std::sort(selection.indices.begin(), selection.indices.end());
  selection.indices.erase(std::unique(selection.indices.begin(), selection.indices.end()),
                          selection.indices.end());
  return selection;
}

GpuScan ScanGpus(const std::string& nvml_library,
                 const std::optional<std::string>& cuda_visible_devices) {
  GpuScan scan;
  auto library = NvmlLibrary::Open(nvml_library);
  if (!library) {
    scan.notes.push_back("GPUs are not metered: " + library.error().Message());
    return scan;
  }
  const auto devices = (*library)->Devices();
  std::vector<std::string> uuids, models;
  for (const auto device : devices) {
    uuids.push_back((*library)->Uuid(device));
    models.push_back((*library)->Name(device));
  }
  GpuSelection selection = SelectGpus(uuids, cuda_visible_devices, **library);
  scan.notes = std::move(selection.notes);
  if (NumberingIsUncertain(models, cuda_visible_devices))
    scan.notes.push_back(
        "CUDA_VISIBLE_DEVICES: numbers are taken in PCI bus order; the GPUs of this machine "
        "differ, "
        "so set CUDA_DEVICE_ORDER=PCI_BUS_ID (or use UUIDs) for CUDA to count the same way");
  std::vector<NvmlMeter::Gpu> gpus;
  for (const std::size_t i : selection.indices) {
    const std::string& model = models[i];
    const auto source = BestSource(**library, devices[i]);
    if (!source) {
      scan.notes.push_back("GPU " + uuids[i] + " (" + model +
                           ") is not metered: it reports neither energy nor power");
      continue;
    }
    gpus.push_back({devices[i], uuids[i], model, *source});
    scan.gpu_models.push_back(model);
  }
  if (!gpus.empty()) scan.meter = std::make_unique<NvmlMeter>(std::move(*library), std::move(gpus));
  return scan;
}

NvmlMeter::NvmlMeter(std::unique_ptr<NvmlLibrary> library, std::vector<Gpu> gpus)
    : library_(std::move(library)) {
  for (Gpu& gpu : gpus) {
    std::string device = "gpu:" + gpu.uuid;
    metered_.push_back({std::move(gpu), std::move(device)});
  }
}

std::string NvmlMeter::Description() const {
  std::map<std::string, int> kinds;
  for (const Metered& metered : metered_) {
    const bool counter = metered.gpu.source == core::EnergySource::kCounter;
    ++kinds[metered.gpu.model + (counter ? " (counter)" : " (power, 10 readings per second)")];
  }
  std::vector<std::string> parts;
  for (const auto& [kind, count] : kinds) parts.push_back(std::to_string(count) + " x " + kind);
  return "gpu: NVML, " + Join(parts, ", ") + ", whole GPUs";
}

void NvmlMeter::Start(Instant now) {
  gaps_.Clear();
  for (Metered& metered : metered_) {
    metered.integral = {};
    metered.carry = {};
    metered.last_power = now;
    metered.wall_begin.reset();
    metered.waiting_seconds = 0;
    if (metered.gpu.source == core::EnergySource::kCounter)
      metered.counter.Start(now, Microjoules(library_->TotalMillijoules(metered.gpu.handle)));
    else
      LookAtPower(metered, now);
  }
}

std::vector<core::EnergyReading> NvmlMeter::Sample(const IntervalUsage& usage) {
  std::vector<core::EnergyReading> readings;
  for (Metered& metered : metered_) {
    if (!metered.wall_begin) metered.wall_begin = usage.wall.begin;
    metered.waiting_seconds += usage.seconds();
    const bool counter = metered.gpu.source == core::EnergySource::kCounter;
    const auto energy =
        counter ? SampleCounter(metered, usage.end) : SamplePower(metered, usage.end);
    if (!energy) continue;
    readings.push_back({metered.device,
                        core::Component::kGpu,
                        metered.gpu.source,
                        {*metered.wall_begin, usage.wall.end},
                        *energy});
    metered.wall_begin = usage.wall.end;
    metered.waiting_seconds = 0;
  }
  sampled_ = usage.end;
  ReadUtilisation();
  return readings;
}

// A counter that cannot be read loses nothing: its next value covers the time.
std::optional<Energy> NvmlMeter::SampleCounter(Metered& metered, Instant now) {
  const Instant last_read = metered.counter.last_read();
  const auto outcome =
      metered.counter.Look(now, Microjoules(library_->TotalMillijoules(metered.gpu.handle)));
  if (outcome == EnergyCounter::Outcome::kCounted)
    return Energy::Microjoules(metered.counter.Take());
  if (outcome != EnergyCounter::Outcome::kUnreadable) {
    gaps_.Add(metered.device, Describe(outcome), AsSeconds(now - last_read).count());
    metered.wall_begin.reset();
    metered.waiting_seconds = 0;
  }
  return std::nullopt;
}

std::optional<Energy> NvmlMeter::SamplePower(Metered& metered, Instant now) {
  LookAtPower(metered, now);
  const double joules = metered.integral.Take(now);
  if (!metered.integral.has_reading() && joules == 0) return std::nullopt;
  return metered.carry.Add(joules);
}

void NvmlMeter::LookAtPower(Metered& metered, Instant now) {
  const auto watts = library_->PowerWatts(metered.gpu.handle);
  if (!watts) {
    metered.integral.Missing();
    return;
  }
  if (!metered.integral.has_reading() && now > metered.last_power)
    gaps_.Add(metered.device, kPowerUnreadable, AsSeconds(now - metered.last_power).count());
  metered.integral.Reading(now, *watts);
  metered.last_power = now;
}

void NvmlMeter::ReadUtilisation() {
  double sum = 0;
  int count = 0;
  for (const Metered& metered : metered_) {
    const auto percent = library_->UtilisationPercent(metered.gpu.handle);
    if (!percent) continue;
    sum += *percent;
    ++count;
  }
  utilisation_percent_.reset();
  if (count > 0) utilisation_percent_ = sum / count;
}

std::optional<std::chrono::nanoseconds> NvmlMeter::poll_interval() const {
  for (const Metered& metered : metered_) {
    if (metered.gpu.source == core::EnergySource::kPowerIntegral) return kPowerPollInterval;
  }
  return std::nullopt;
}

void NvmlMeter::Poll(Instant now) {
  for (Metered& metered : metered_) {
    if (metered.gpu.source == core::EnergySource::kPowerIntegral) LookAtPower(metered, now);
  }
}

std::vector<std::string> NvmlMeter::Gaps() const {
  GapLog gaps = gaps_;
  for (const Metered& metered : metered_) {
    const bool counter = metered.gpu.source == core::EnergySource::kCounter;
    if (counter && metered.waiting_seconds > 0)
      gaps.Add(metered.device, Describe(EnergyCounter::Outcome::kUnreadable),
               metered.waiting_seconds);
    if (!counter && !metered.integral.has_reading() && sampled_ > metered.last_power)
      gaps.Add(metered.device, kPowerUnreadable, AsSeconds(sampled_ - metered.last_power).count());
  }
  return gaps.Lines();
}

}  // namespace ebb::meter
