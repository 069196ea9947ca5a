#include "core/jobs/widths.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/text.h"

namespace ebb::core {
namespace {

constexpr double kMostDevices = 100'000, kMostSpeed = 100'000;

Result<WidthSpeed> ParseWidth(const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto refuse = [&] {
    return Fail(
        {ExitCode::kUsage, "\"" + text + "\" is not a width and its speed", "",
         "a number of devices and the speed relative to `devices`: 4=3.3; or 4 if it is not "
         "known"});
  };
  const auto devices = ParseNumber(Trim(std::string_view(text).substr(0, equals)));
  if (!devices || !(*devices >= 1 && *devices <= kMostDevices) || *devices != std::floor(*devices))
    return refuse();
  if (equals == std::string::npos) return WidthSpeed{static_cast<int>(*devices), 0};
  const auto speed = ParseNumber(Trim(std::string_view(text).substr(equals + 1)));
  if (!speed || !(*speed > 0 && *speed <= kMostSpeed)) return refuse();
  return WidthSpeed{static_cast<int>(*devices), *speed};
}

Status Wrong(const Job& job, std::string what, std::string next) {
  const std::string name =
      "job " + std::to_string(job.id) + (job.name.empty() ? "" : " (" + job.name + ")");
  return Fail({ExitCode::kConfiguration, std::move(what), name, std::move(next)});
}

// The speeds that count, given ones or those that replace them.
const std::vector<WidthSpeed>& SpeedsOf(const Job& job) {
  return job.learned_speedup.empty() ? job.speedup : job.learned_speedup;
}

// The speed of an entry; of the job's own width it is 1 even if it is not given.
double Known(const Job& job, const WidthSpeed& width) {
  return width.speed == 0 ? AssumedSpeed(job.devices, width.devices) : width.speed;
}

// The widths with all speeds known, and the job's own width among them.
std::vector<WidthSpeed> WithOwn(const Job& job, std::vector<WidthSpeed> widths) {
  for (WidthSpeed& width : widths) width.speed = Known(job, width);
  const auto at = std::ranges::lower_bound(widths, job.devices, {}, &WidthSpeed::devices);
  if (at == widths.end() || at->devices != job.devices) widths.insert(at, {job.devices, 1});
  return widths;
}

Status CheckSpeeds(const Job& job, const std::vector<WidthSpeed>& speeds) {
  for (const WidthSpeed& width : speeds)
    if (width.devices < 1 || !std::isfinite(width.speed) || !(width.speed >= 0) ||
        (width.devices == job.devices && Known(job, width) != 1))
      return Wrong(job,
                   "its speed on " + std::to_string(width.devices) + " devices is " +
                       FormatExact(width.speed),
                   "give speeds above 0; the speed on `devices` is 1");
  const std::vector<WidthSpeed> widths = WithOwn(job, speeds);
  for (std::size_t i = 1; i < widths.size(); ++i)
    if (widths[i].devices == widths[i - 1].devices || !(widths[i].speed > widths[i - 1].speed))
      return Wrong(job,
                   "it is not faster on " + std::to_string(widths[i].devices) +
                       " devices than on " + std::to_string(widths[i - 1].devices),
                   "give each width once, and leave out widths that are no faster");
  return {};
}

}  // namespace

double AssumedSpeed(int own, int devices) {
  constexpr double kOfDoubling = 1.8;
  return std::pow(static_cast<double>(devices) / own, std::log2(kOfDoubling));
}

bool IsElastic(const Job& job) {
  return std::ranges::any_of(job.speedup,
                             [&](const WidthSpeed& width) { return width.devices != job.devices; });
}

std::vector<WidthSpeed> WidthsOf(const Job& job) { return WithOwn(job, SpeedsOf(job)); }

double SpeedAt(const Job& job, int devices) {
  if (devices == job.devices) return 1;
  const std::vector<WidthSpeed>& speeds = SpeedsOf(job);
  const auto width = std::ranges::find(speeds, devices, &WidthSpeed::devices);
  EBB_CHECK(width != speeds.end());
  return Known(job, *width);
}

std::string DevicesText(int devices) {
  return std::to_string(devices) + (devices == 1 ? " device" : " devices");
}

std::string WidthsText(const std::vector<int>& widths) {
  constexpr std::size_t kMost = 7;
  if (widths.empty()) return "";
  std::vector<int> series;
  for (const int width : widths)
    if (series.empty() || series.back() != width) series.push_back(width);
  if (series.size() > kMost) {
    const auto [least, most] = std::ranges::minmax(series);
    return std::to_string(least) + " to " + DevicesText(most);
  }
  std::vector<std::string> texts;
  for (const int width : series) texts.push_back(std::to_string(width));
  if (texts.size() == 1) return DevicesText(series.back());
  return Join(texts, ", ") + " devices";
}

Result<std::vector<WidthSpeed>> ParseSpeedup(const std::vector<std::string>& texts) {
  std::vector<WidthSpeed> speedup;
  for (const std::string& text : texts) {
    EBB_ASSIGN_OR_RETURN(const WidthSpeed width, ParseWidth(text));
    speedup.push_back(width);
  }
  std::ranges::stable_sort(speedup, {}, &WidthSpeed::devices);
  return speedup;
}

std::vector<std::string> Describe(const std::vector<WidthSpeed>& speedup) {
  std::vector<std::string> texts;
  for (const WidthSpeed& width : speedup)
    texts.push_back(std::to_string(width.devices) +
                    (width.speed == 0 ? "" : "=" + FormatExact(width.speed)));
  return texts;
}

Status CheckWidths(const Job& job) {
  if (job.speedup.empty()) return {};
  if (!job.checkpointable || job.freeze)
    return Wrong(job, "it has several widths, but cannot change them without a checkpoint",
                 "make it checkpointable, or leave out speedup");
  EBB_RETURN_IF_ERROR(CheckSpeeds(job, job.speedup));
  if (job.learned_speedup.empty()) return {};
  if (!std::ranges::equal(job.learned_speedup, job.speedup, {}, &WidthSpeed::devices,
                          &WidthSpeed::devices))
    return Wrong(job, "its learned speeds are not those of its widths", "");
  return CheckSpeeds(job, job.learned_speedup);
}

bool FitsAt(const Job& job, const Cluster& cluster, int pool, int devices) {
  if (devices == job.devices) return Fits(job, cluster, pool);
  Job other = job;
  other.devices = devices;
  return Fits(other, cluster, pool);
}

double SpeedOn(const Job& job, const DevicePool& pool, int devices) {
  return SpeedOn(job, pool) * SpeedAt(job, devices);
}

Power PowerOn(const Job& job, const DevicePool& pool, int devices) {
  const Power power = PowerOn(job, pool);
  if (devices == job.devices) return power;
  return {power.watts * devices / job.devices};
}

Duration TimeOn(const Job& job, const DevicePool& pool, int devices, Duration work) {
  const double speed = SpeedOn(job, pool, devices);
  if (speed == 1) return work;
  return Duration{static_cast<Duration::rep>(std::ceil(static_cast<double>(work.count()) / speed))};
}

}  // namespace ebb::core
