#include "meter/sharing/machine_meter.h"

#include <algorithm>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "base/text.h"
#include "meter/cpu/cpu_info.h"
#include "meter/sampling_clock.h"
#include "meter/sharing/machine_account.h"
#include "meter/sharing/program_usage.h"
#include "platform/system.h"

namespace ebb::meter {
namespace {

using std::chrono::nanoseconds;

double Seconds(nanoseconds time) { return std::chrono::duration<double>(time).count(); }

// A power that one short interval shows may be a counter's step.
constexpr double kSteadySeconds = 0.5;

// What a program was charged of a GPU that it shared, and between what it may really lie.
struct SharedGpu {
  Energy charged, above_idle, whole;
};

}  // namespace

// From the first program's Join to the last one's Leave. Everything behind `mutex_`.
class MachineMeter::Session {
 public:
  Session(MachineMeter& owner)
      : owner_(owner),
        interval_(std::max(owner.options_.interval, Duration{1})),
        clock_(owner.options_.wall_now),
        account_(DescribeMachine(owner)) {
    const Instant begin = SamplingClock::AsInstant(clock_.begin());
    now_ = begin;
    wall_ = clock_.wall_begin();
    busy_ = ReadBusyTime(proc_root());
    used_bytes_ = ReadUsedMemoryBytes(proc_root());
    for (const auto& meter : owner_.meters_) {
      meter->Start(begin);
      meter->Processes();
      if (const auto interval = meter->poll_interval())
        poll_interval_ = std::min(poll_interval_.value_or(*interval), *interval);
    }
    const BlockAllSignals blocked;
    thread_ = std::thread([this] { Run(); });
  }

  ~Session() {
    {
      const std::lock_guard lock(mutex_);
      stop_requested_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  void Join(int number, ProgramToMeter program, Sink sink) {
    const std::lock_guard lock(mutex_);
    Sample(false);
    auto added = std::make_unique<Program>(
        Program{ProgramUsage(proc_root(), {program.root}, true, program.cgroup), std::move(sink),
                program.gpus});
    added->found = added->usage.Start();
    const ProgramUsage::Look look = added->usage.Now();
    added->resident_bytes = look.resident_bytes;
    added->wall_begin = wall_;
    for (const std::string& gap : Gaps()) added->gaps_before.insert(gap);
    account_.Join(number, std::move(program.gpus), program.reserved);
    programs_[number] = std::move(added);
  }

  void Mark() {
    const std::lock_guard lock(mutex_);
    Sample(false);
  }

  SamplerSummary Leave(int number) {
    const std::lock_guard lock(mutex_);
    Sample(true);
    const auto found = programs_.find(number);
    if (found == programs_.end()) return {};
    const Program& program = *found->second;
    SamplerSummary summary;
    summary.mean = program.mean.value();
    if (!program.found)
      summary.warnings.push_back("the process ended before its CPU time and memory could be read");
    for (const std::string& gap : Gaps()) {
      if (!program.gaps_before.contains(gap)) summary.warnings.push_back(gap);
    }
    for (const auto& [device, shared] : program.shared)
      summary.warnings.push_back(
          device +
          " was shared with other programs: " + FormatSignificant(shared.charged.joules(), 4) +
          " J by use, at least " + FormatSignificant(shared.above_idle.joules(), 4) +
          " J (without its idle power), at most " + FormatSignificant(shared.whole.joules(), 4) +
          " J (all of it)");
    account_.Leave(number);
    programs_.erase(found);
    return summary;
  }

  bool empty() const { return programs_.empty(); }
  MachineTotals totals() const {
    const std::lock_guard lock(mutex_);
    return totals_;
  }

 private:
  struct Program {
    ProgramUsage usage;
    Sink sink;
    std::vector<GpuHolding> gpus;
    bool found = true;
    nanoseconds cpu_time{};
    double resident_bytes = 0;
    Time wall_begin{};
    MeanUtilisation mean{};
    std::set<std::string> gaps_before{};
    std::map<std::string, SharedGpu> shared{};
  };

  const std::string& proc_root() const { return owner_.options_.proc_root; }

  static MachineAccount::Machine DescribeMachine(const MachineMeter& owner) {
    MachineAccount::Machine machine;
    machine.logical_processors = platform::LogicalProcessors();
    machine.total_bytes = ReadTotalMemoryBytes(owner.options_.proc_root).value_or(0);
    machine.cpu_idle_w = owner.options_.cpu_idle_w;
    machine.idle = owner.options_.idle;
    return machine;
  }

  std::vector<std::string> Gaps() const {
    std::vector<std::string> gaps;
    for (const auto& meter : owner_.meters_) {
      for (std::string& gap : meter->Gaps()) gaps.push_back(std::move(gap));
    }
    return gaps;
  }

  void Run() {
    std::unique_lock lock(mutex_);
    SteadyTime next_sample = clock_.begin() + interval_;
    SteadyTime next_poll = poll_interval_ ? clock_.begin() + *poll_interval_ : SteadyTime::max();
    for (;;) {
      wake_.wait_until(lock, std::min(next_sample, next_poll), [this] { return stop_requested_; });
      if (stop_requested_) return;
      const SteadyTime now = std::chrono::steady_clock::now();
      if (now >= next_sample) {
        Sample(false);
        next_sample = clock_.NextMultiple(now, interval_);
      }
      if (now >= next_poll) {
        for (const auto& meter : owner_.meters_) {
          if (meter->poll_interval()) meter->Poll(SamplingClock::AsInstant(now));
        }
        next_poll = clock_.NextMultiple(now, *poll_interval_);
      }
    }
  }

  // Ends an interval for the machine and all programs. A request within a millisecond of a boundary
  // adds none, unless it is somebody's last.
  void Sample(bool last) {
    const Instant now = SamplingClock::AsInstant(std::chrono::steady_clock::now());
    const Time wall = clock_.WallNow();
    if (wall <= wall_ && !last) return;
    IntervalUsage usage;
    usage.wall = {wall_, std::max(wall, wall_)};
    usage.begin = now_;
    usage.end = now;
    const MachineGrowth growth = Look(usage);
    account_.Add(growth);
    std::map<int, std::vector<core::EnergyReading>> parts;
    std::vector<core::EnergyReading> rest;
    for (const auto& meter : owner_.meters_) {
      for (const core::EnergyReading& reading : meter->Sample(usage))
        Distribute(reading, parts, rest);
    }
    for (auto& [number, readings] : parts) programs_.at(number)->sink(std::move(readings));
    if (!rest.empty()) owner_.rest_(std::move(rest));
    DescribePrograms(usage, growth);
    now_ = now;
    wall_ = usage.wall.end;
  }

  MachineGrowth Look(IntervalUsage& usage) {
    MachineGrowth growth;
    growth.seconds = usage.seconds();
    if (const auto busy = ReadBusyTime(proc_root())) {
      usage.machine_busy = std::max(nanoseconds{}, *busy - busy_.value_or(*busy));
      growth.busy_cpu_seconds = Seconds(*usage.machine_busy);
      busy_ = std::max(busy_.value_or(*busy), *busy);
    }
    usage.logical_processors = platform::LogicalProcessors();
    if (const auto used = ReadUsedMemoryBytes(proc_root())) {
      growth.used_bytes = (*used + used_bytes_.value_or(*used)) / 2;
      used_bytes_ = used;
    }
    usage.tree_resident_bytes = growth.used_bytes;
    for (auto& [number, program] : programs_) {
      const ProgramUsage::Look look = program->usage.Now();
      MachineGrowth::Program& part = growth.programs[number];
      part.cpu_seconds = Seconds(look.cpu_time - program->cpu_time);
      part.resident_bytes = (look.resident_bytes + program->resident_bytes) / 2;
      program->cpu_time = look.cpu_time;
      program->resident_bytes = look.resident_bytes;
    }
    for (const auto& meter : owner_.meters_) {
      for (const DeviceProcesses& device : meter->Processes()) AssignGpuUse(device, growth);
    }
    return growth;
  }

  // A driver in another pid namespace names processes that are not here: then nothing is known.
  void AssignGpuUse(const DeviceProcesses& device, MachineGrowth& growth) {
    std::map<int, double> by_program;
    double foreign = 0;
    for (const auto& [pid, busy] : device.busy) {
      const auto holder =
          std::find_if(programs_.begin(), programs_.end(),
                       [pid = pid](auto& entry) { return entry.second->usage.Holds(pid); });
      std::error_code ignored;
      if (holder != programs_.end())
        by_program[holder->first] += busy;
      else if (std::filesystem::exists(proc_root() + "/" + std::to_string(pid), ignored))
        foreign += busy;
      else
        return;
    }
    for (const auto& [number, busy] : by_program)
      growth.programs[number].gpu_busy[device.device] += busy;
    growth.foreign_gpu_busy[device.device] += foreign;
  }

  void Distribute(const core::EnergyReading& reading,
                  std::map<int, std::vector<core::EnergyReading>>& parts,
                  std::vector<core::EnergyReading>& rest) {
    const MachineAccount::Split split = account_.Take(reading);
    totals_.machine += reading.energy;
    for (const auto& [number, energy] : split.programs) {
      Program& program = *programs_.at(number);
      core::EnergyReading part = reading;
      part.energy = energy;
      part.shared = split.divided;
      // A reading may reach back to before the program was there.
      part.wall.begin = std::max(part.wall.begin, program.wall_begin);
      totals_.programs += energy;
      if (split.shared) NoteShare(reading, energy, program);
      parts[number].push_back(std::move(part));
    }
    const auto keep = [&](const char* whose, Energy energy) {
      if (energy == Energy{}) return;
      core::EnergyReading part = reading;
      part.device = whose + reading.device;
      part.energy = energy;
      rest.push_back(std::move(part));
    };
    keep("idle:", split.idle);
    keep("unattributed:", split.unattributed);
    totals_.idle += split.idle;
    totals_.unattributed += split.unattributed;
    NoteIdlePower(reading);
  }

  // The lowest power a GPU was seen to draw stands for its idle power: an upper bound of it, which
  // makes what is above it a lower bound of what the programs caused.
  void NoteIdlePower(const core::EnergyReading& reading) {
    const double seconds = std::chrono::duration<double>(reading.wall.length()).count();
    if (reading.component != core::Component::kGpu || seconds < kSteadySeconds) return;
    const double watts = reading.energy.joules() / seconds;
    const auto [found, added] = lowest_w_.try_emplace(reading.device, watts);
    if (!added) found->second = std::min(found->second, watts);
  }

  void NoteShare(const core::EnergyReading& reading, Energy energy, Program& program) {
    SharedGpu& shared = program.shared[reading.device];
    shared.charged += energy;
    shared.whole += reading.energy;
    const auto lowest = lowest_w_.find(reading.device);
    if (lowest == lowest_w_.end() || reading.energy == Energy{}) return;
    const double seconds = std::chrono::duration<double>(reading.wall.length()).count();
    const double above = std::max(0.0, reading.energy.joules() - lowest->second * seconds);
    shared.above_idle += Energy::Joules(energy.joules() * above / reading.energy.joules());
  }

  void DescribePrograms(const IntervalUsage& machine, const MachineGrowth& growth) {
    for (auto& [number, program] : programs_) {
      const MachineGrowth::Program& part = growth.programs.at(number);
      IntervalUsage usage = machine;
      usage.tree_cpu =
          std::chrono::duration_cast<nanoseconds>(std::chrono::duration<double>(part.cpu_seconds));
      usage.tree_resident_bytes = part.resident_bytes;
      Utilisation utilisation = UtilisationOf(usage, owner_.meters_);
      utilisation.gpu_percent = GpuPercent(program->gpus);
      program->mean.Add(utilisation, usage.seconds());
    }
  }

  // Mean over the GPUs that the program sees.
  double GpuPercent(const std::vector<GpuHolding>& gpus) const {
    double sum = 0;
    int count = 0;
    for (const auto& meter : owner_.meters_) {
      const auto by_device = meter->utilisation_by_device();
      for (const GpuHolding& gpu : gpus) {
        const auto found = by_device.find(gpu.device);
        if (found == by_device.end()) continue;
        sum += found->second;
        ++count;
      }
    }
    return count > 0 ? sum / count : 0;
  }

  MachineMeter& owner_;
  const Duration interval_;
  const SamplingClock clock_;
  MachineAccount account_;
  std::optional<nanoseconds> poll_interval_;
  Instant now_{};
  Time wall_{};
  std::optional<nanoseconds> busy_;
  std::optional<double> used_bytes_;
  std::map<int, std::unique_ptr<Program>> programs_;
  std::map<std::string, double> lowest_w_;  // by GPU
  MachineTotals totals_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_requested_ = false;
  std::thread thread_;
};

MachineMeter::MachineMeter(std::vector<std::unique_ptr<Meter>> meters, MachineMeterOptions options,
                           Sink rest)
    : meters_(std::move(meters)), options_(std::move(options)), rest_(std::move(rest)) {
  if (options_.always) session_ = std::make_unique<Session>(*this);
}

MachineMeter::~MachineMeter() = default;

int MachineMeter::Join(ProgramToMeter program, Sink sink) {
  if (!session_) session_ = std::make_unique<Session>(*this);
  session_->Join(++last_number_, std::move(program), std::move(sink));
  return last_number_;
}

void MachineMeter::Mark() {
  if (session_) session_->Mark();
}

SamplerSummary MachineMeter::Leave(int program) {
  if (!session_) return {};
  SamplerSummary summary = session_->Leave(program);
  if (options_.always || !session_->empty()) return summary;
  before_ = totals();
  session_.reset();
  return summary;
}

MachineTotals MachineMeter::totals() const {
  if (!session_) return before_;
  MachineTotals sum = session_->totals();
  sum.machine += before_.machine;
  sum.programs += before_.programs;
  sum.idle += before_.idle;
  sum.unattributed += before_.unattributed;
  return sum;
}

}  // namespace ebb::meter
