#include "meter/gpu/gpu_meter.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "meter/small_file.h"

namespace ebb::meter {
namespace {

constexpr std::chrono::milliseconds kPowerPollInterval{100};
// A counter may be updated less often than samples are taken; this is the longest such pause in
// seconds.
constexpr double kUpdateSeconds = 1;
// The power of a working card changes by milliwatts all the time, so a value that stays the same
// for this long is doubtful.
constexpr std::chrono::seconds kDoubtfullySteady{60};
constexpr char kNothingNew[] = "the counter stands still";

std::chrono::duration<double> AsSeconds(std::chrono::nanoseconds time) { return time; }

}  // namespace

GpuMeter::GpuMeter(std::unique_ptr<GpuLibrary> library, std::vector<MeteredGpu> gpus)
    : library_(std::move(library)) {
  for (MeteredGpu& gpu : gpus) {
    std::string device = gpu.device();
    metered_.push_back({std::move(gpu), std::move(device)});
  }
}

std::string GpuMeter::Description() const {
  std::map<std::string, int> kinds;
  bool whole = true;
  for (const Metered& metered : metered_) {
    std::string kind = metered.gpu.model;
    const bool model = metered.gpu.source == core::EnergySource::kModel;
    kind += HasCounter(metered) ? " (counter"
            : model             ? " (model of its power by load"
                                : " (power, 10 readings per second";
    if (metered.gpu.share < 1)
      kind += ", MIG slices: " + FormatFigure(100 * metered.gpu.share) + " % of it";
    whole = whole && metered.gpu.share >= 1;
    ++kinds[kind + ")"];
  }
  std::vector<std::string> parts;
  for (const auto& [kind, count] : kinds) parts.push_back(std::to_string(count) + " x " + kind);
  return "gpu: " + std::string(library_->name()) + ", " + Join(parts, ", ") +
         (whole ? ", whole GPUs" : "");
}

void GpuMeter::Start(Instant now) {
  gaps_.Clear();
  for (Metered& metered : metered_) {
    MeteredGpu gpu = std::move(metered.gpu);
    std::string device = std::move(metered.device);
    metered = {std::move(gpu), std::move(device)};
    metered.last_power = metered.power_changed = now;
    if (HasCounter(metered))
      metered.counter.Start(now, ReadCounter(metered));
    else
      LookAtPower(metered, now);
  }
}

std::vector<core::EnergyReading> GpuMeter::Sample(const IntervalUsage& usage) {
  std::vector<core::EnergyReading> readings;
  for (Metered& metered : metered_) {
    if (!metered.wall_begin) metered.wall_begin = usage.wall.begin;
    metered.waiting_seconds += usage.seconds();
    const auto energy =
        HasCounter(metered) ? SampleCounter(metered, usage.end) : SamplePower(metered, usage.end);
    if (!energy) continue;
    readings.push_back({metered.device,
                        core::Component::kGpu,
                        metered.gpu.source,
                        {*metered.wall_begin, usage.wall.end},
                        *energy,
                        metered.gpu.share < 1});
    metered.has_reading = true;
    metered.wall_begin = usage.wall.end;
    metered.waiting_seconds = 0;
  }
  sampled_ = usage.end;
  ReadUtilisation();
  return readings;
}

std::optional<std::int64_t> GpuMeter::ReadCounter(Metered& metered) {
  const auto total = library_->TotalMicrojoules(metered.gpu.handle);
  if (total) return *total;
  metered.problem = Describe(total.error());
  return std::nullopt;
}

// A counter that cannot be read or has not been updated loses nothing: its next value covers the
// time.
std::optional<Energy> GpuMeter::SampleCounter(Metered& metered, Instant now) {
  const Instant last_read = metered.counter.last_read();
  const auto outcome = metered.counter.Look(now, ReadCounter(metered));
  if (outcome == EnergyCounter::Outcome::kCounted) {
    const Energy energy = Energy::Microjoules(metered.counter.Take());
    return metered.gpu.share < 1 ? metered.carry.Add(energy.joules() * metered.gpu.share) : energy;
  }
  if (outcome == EnergyCounter::Outcome::kStill) metered.problem = kNothingNew;
  if (IsLoss(outcome)) {
    gaps_.Add(metered.device, Describe(outcome), AsSeconds(now - last_read).count());
    metered.wall_begin.reset();
    metered.waiting_seconds = 0;
  }
  return std::nullopt;
}

std::optional<Energy> GpuMeter::SamplePower(Metered& metered, Instant now) {
  LookAtPower(metered, now);
  const double joules = metered.integral.Take(now);
  if (!metered.integral.has_reading() && joules == 0) return std::nullopt;
  return metered.carry.Add(joules * metered.gpu.share);
}

// Power in watts, read from the GPU or estimated from its load.
GpuAnswer<double> GpuMeter::Watts(const MeteredGpu& gpu) const {
  if (gpu.source != core::EnergySource::kModel) return library_->PowerWatts(gpu.handle);
  const auto percent = library_->UtilisationPercent(gpu.handle);
  if (!percent) return tl::unexpected<GpuProblem>(percent.error());
  return core::EstimatedPower(gpu.profile, *percent / 100)->watts;
}

void GpuMeter::LookAtPower(Metered& metered, Instant now) {
  const auto watts = Watts(metered.gpu);
  if (!watts) {
    metered.problem = Describe(watts.error());
    metered.integral.Missing();
    return;
  }
  if (!metered.integral.has_reading() && now > metered.last_power)
    gaps_.Add(metered.device, std::string("the power could not be read: ") + metered.problem,
              AsSeconds(now - metered.last_power).count());
  metered.integral.Reading(now, *watts);
  metered.last_power = now;
  if (metered.power_w != *watts) metered.power_changed = now;
  metered.power_w = *watts;
  metered.longest_same_power = std::max(metered.longest_same_power, now - metered.power_changed);
}

void GpuMeter::ReadUtilisation() {
  utilisation_.clear();
  for (const Metered& metered : metered_)
    if (const auto percent = library_->UtilisationPercent(metered.gpu.handle))
      utilisation_.push_back({metered.device, *percent});
}

std::optional<std::chrono::nanoseconds> GpuMeter::poll_interval() const {
  for (const Metered& metered : metered_) {
    if (!HasCounter(metered)) return kPowerPollInterval;
  }
  return std::nullopt;
}

void GpuMeter::Poll(Instant now) {
  for (Metered& metered : metered_) {
    if (!HasCounter(metered)) LookAtPower(metered, now);
  }
}

std::vector<std::string> GpuMeter::Gaps() const {
  GapLog gaps = gaps_;
  std::vector<std::string> doubts;
  for (const Metered& metered : metered_) {
    const bool may_be_slow =
        metered.problem == kNothingNew && metered.waiting_seconds < kUpdateSeconds;
    if (HasCounter(metered) && metered.waiting_seconds > 0 && !may_be_slow)
      gaps.Add(metered.device, std::string("at the end, ") + metered.problem,
               metered.waiting_seconds);
    else if (HasCounter(metered) && metered.waiting_seconds > 0 && !metered.has_reading)
      doubts.push_back(
          TooShortLine(metered.device, metered.waiting_seconds, "the counter was not updated"));
    if (!HasCounter(metered) && !metered.integral.has_reading() && sampled_ > metered.last_power)
      gaps.Add(metered.device,
               std::string("at the end, the power could not be read: ") + metered.problem,
               AsSeconds(sampled_ - metered.last_power).count());
    if (metered.gpu.source == core::EnergySource::kPowerIntegral &&
        metered.longest_same_power >= kDoubtfullySteady)
      doubts.push_back(metered.device + ": the power read the same for " +
                       FormatFixed(AsSeconds(metered.longest_same_power).count(), 0) +
                       " s, as of a sensor that is stuck; counted as read");
  }
  std::vector<std::string> lines = gaps.Lines();
  lines.insert(lines.end(), doubts.begin(), doubts.end());
  return lines;
}

}  // namespace ebb::meter
