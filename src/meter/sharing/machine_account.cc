#include "meter/sharing/machine_account.h"

#include <algorithm>

namespace ebb::meter {
namespace {

double ValueIn(const std::map<std::string, double>& values, const std::string& key) {
  const auto found = values.find(key);
  return found == values.end() ? 0 : found->second;
}

}  // namespace

double MachineAccount::Holder::ShareOf(const std::string& device) const {
  double share = 0;
  for (const GpuHolding& gpu : gpus) {
    if (gpu.device == device) share += gpu.share;
  }
  return std::min(1.0, share);
}

void MachineAccount::Join(int program, std::vector<GpuHolding> gpus, double reserved) {
  holders_[program] = {std::move(gpus), reserved};
  now_.programs[program] = {};
}

void MachineAccount::Leave(int program) {
  holders_.erase(program);
  now_.programs.erase(program);
  for (auto& [device, sums] : at_last_reading_) sums.programs.erase(program);
}

void MachineAccount::Add(const MachineGrowth& growth) {
  now_.seconds += growth.seconds;
  if (growth.busy_cpu_seconds) {
    now_.busy_cpu_seconds += *growth.busy_cpu_seconds;
    now_.busy_known_seconds += growth.seconds;
  }
  if (growth.used_bytes) {
    now_.used_byte_seconds += *growth.used_bytes * growth.seconds;
    now_.used_known_seconds += growth.seconds;
  }
  for (const auto& [device, busy] : growth.foreign_gpu_busy) {
    now_.foreign_gpu_busy[device] += busy;
    now_.users_known_seconds[device] += growth.seconds;
  }
  for (const auto& [number, program] : growth.programs) {
    const auto found = now_.programs.find(number);
    if (found == now_.programs.end()) continue;
    Use& use = found->second;
    use.present_seconds += growth.seconds;
    use.cpu_seconds += program.cpu_seconds;
    use.byte_seconds += program.resident_bytes * growth.seconds;
    for (const auto& [device, busy] : program.gpu_busy) use.gpu_busy[device] += busy;
  }
}

MachineUse MachineAccount::MachineSince(const Sums& before, const std::string& device) const {
  MachineUse use;
  use.seconds = now_.seconds - before.seconds;
  use.logical_processors = machine_.logical_processors;
  use.total_bytes = machine_.total_bytes;
  use.cpu_idle_w = machine_.cpu_idle_w;
  if (now_.busy_known_seconds > before.busy_known_seconds)
    use.busy_cpu_seconds = now_.busy_cpu_seconds - before.busy_cpu_seconds;
  const double known = now_.used_known_seconds - before.used_known_seconds;
  if (known > 0) use.used_bytes = (now_.used_byte_seconds - before.used_byte_seconds) / known;
  use.busy_known =
      ValueIn(now_.users_known_seconds, device) > ValueIn(before.users_known_seconds, device);
  use.foreign_busy =
      ValueIn(now_.foreign_gpu_busy, device) - ValueIn(before.foreign_gpu_busy, device);
  for (const auto& [number, holder] : holders_) {
    const double share = holder.ShareOf(device);
    use.sliced = use.sliced || (share > 0 && share < 1);
  }
  return use;
}

JobUse MachineAccount::ProgramSince(const Sums& before, int program, const std::string& device,
                                    double seconds) const {
  const Use& now = now_.programs.at(program);
  const auto found = before.programs.find(program);
  const Use then = found == before.programs.end() ? Use{} : found->second;
  const Holder& holder = holders_.at(program);
  const double present =
      seconds > 0 ? std::min(1.0, (now.present_seconds - then.present_seconds) / seconds) : 1;
  JobUse use;
  use.cpu_seconds = now.cpu_seconds - then.cpu_seconds;
  if (seconds > 0) use.resident_bytes = (now.byte_seconds - then.byte_seconds) / seconds;
  use.held = holder.ShareOf(device) * present;
  use.busy = ValueIn(now.gpu_busy, device) - ValueIn(then.gpu_busy, device);
  use.reserved = holder.reserved * present;
  return use;
}

MachineAccount::Split MachineAccount::Take(const core::EnergyReading& reading) {
  const Sums before = std::exchange(at_last_reading_[reading.device], now_);
  const MachineUse machine = MachineSince(before, reading.device);
  std::vector<int> numbers;
  std::vector<JobUse> uses;
  int holders = 0;
  for (const auto& [number, holder] : holders_) {
    uses.push_back(ProgramSince(before, number, reading.device, machine.seconds));
    numbers.push_back(number);
    holders += uses.back().held > 0;
  }
  const Apportioned parts =
      Apportion(reading.energy, reading.component, machine, uses, machine_.idle);
  const bool gpu = reading.component == core::Component::kGpu;
  Split split{{},
              parts.idle,
              parts.unattributed,
              gpu && holders > 1 && !machine.sliced,
              gpu && (holders > 1 || machine.sliced)};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool has_part = !gpu || uses[i].held > 0 || parts.jobs[i] > Energy{};
    if (has_part) split.programs[numbers[i]] = parts.jobs[i];
  }
  return split;
}

}  // namespace ebb::meter
