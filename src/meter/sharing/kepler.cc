#include "meter/sharing/kepler.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "base/exposition_reader.h"
#include "base/text.h"
#include "meter/sharing/idle_meter.h"

namespace ebb::meter {
namespace {

constexpr std::string_view kPackage = "package";
constexpr double kMicrojoules = 1e6;
// Largest sum of two such counters whose microjoules fit into 64 bits.
constexpr double kMostJoules = 4e12;
// Kepler reads the counters every 5 s, so a value that stands still for up to this long is not a
// gap.
constexpr double kUpdateSeconds = 6;

bool CanBe(double joules) { return std::isfinite(joules) && joules >= 0 && joules <= kMostJoules; }

std::int64_t Microjoules(double joules) { return std::llround(joules * kMicrojoules); }

}  // namespace

Result<KeplerNode> KeplerNodeFromText(std::string_view text) {
  std::map<std::string, KeplerPackage> packages;
  std::set<std::string> others;
  KeplerNode node;
  EBB_RETURN_IF_ERROR(ForEachSample(text, [&](const ExpositionSample& sample) {
    const bool is_active = sample.name == "kepler_node_cpu_active_joules_total";
    const bool is_idle = sample.name == "kepler_node_cpu_idle_joules_total";
    const bool is_pod = sample.name == "kepler_pod_cpu_joules_total";
    if (!(is_active || is_idle || is_pod) || !CanBe(sample.value)) return;
    if (sample.Label("zone") != kPackage) return void(others.emplace(sample.Label("zone")));
    if (is_pod) {
      if (const auto uid = sample.Label("pod_id"); !uid.empty())
        node.pods[std::string(uid)] += sample.value;
      return;
    }
    const std::string path(sample.Label("path"));
    KeplerPackage& package = packages.try_emplace(path, KeplerPackage{path, 0, 0}).first->second;
    (is_active ? package.active_microjoules : package.idle_microjoules) = Microjoules(sample.value);
  }));
  for (auto& [path, package] : packages) node.packages.push_back(std::move(package));
  if (!node.packages.empty()) return node;
  const std::vector<std::string> zones(others.begin(), others.end());
  return Fail(
      {ExitCode::kUnavailable,
       "it tells of no processor package" + (zones.empty() ? "" : ", only of " + Join(zones, ", ")),
       "",
       "is it the address of Kepler, 0.10 or later, and does it export the metrics of the "
       "node and of pods?"});
}

// Adds the growth between two answers. A counter that began anew with Kepler has grown by its
// value.
void AddKepler(const KeplerNode& before, const KeplerNode& now, PodsInterval& interval) {
  const auto active = [](const KeplerNode& node) {
    double joules = 0;
    for (const KeplerPackage& package : node.packages)
      joules += static_cast<double>(package.active_microjoules);
    return joules / kMicrojoules;
  };
  const auto grown = [](double from, double to) { return to < from ? to : to - from; };
  interval.busy_s += grown(active(before), active(now));
  for (const auto& [pod, joules] : now.pods) {
    const auto last = before.pods.find(pod);
    const double more = grown(last == before.pods.end() ? 0 : last->second, joules);
    if (more > 0) interval.cpu_s[pod] += more;
  }
}

KeplerMeter::KeplerMeter(std::shared_ptr<KeplerExporter> exporter)
    : exporter_(std::move(exporter)) {
  for (const KeplerPackage& package : exporter_->told().packages)
    counted_.push_back({package.path, "cpu:package-" + std::to_string(counted_.size())});
}

std::string KeplerMeter::Description() const {
  std::vector<std::string> paths;
  for (const Counted& counted : counted_) paths.push_back(counted.path);
  return "cpu: Kepler " + Join(paths, ", ") + " (counter)";
}

const KeplerPackage* KeplerMeter::Find(const Counted& counted) const {
  const auto& packages = exporter_->told().packages;
  const auto found = std::ranges::find(packages, counted.path, &KeplerPackage::path);
  return found == packages.end() ? nullptr : &*found;
}

void KeplerMeter::Start(Instant now) {
  gaps_.Clear();
  std::ignore = exporter_->Look();  // callers ask trouble() for the reason of a failure
  for (Counted& counted : counted_) {
    const KeplerPackage* package = Find(counted);
    counted = {counted.path, counted.device};
    counted.counter.Start(now, package ? std::optional(package->all_microjoules()) : std::nullopt);
    if (package) counted.idle_microjoules = package->idle_microjoules;
  }
}

void KeplerMeter::Add(const Counted& counted, Interval wall, Energy idle, Energy rest,
                      std::vector<core::EnergyReading>& readings) {
  for (const auto& [whose, energy] : {std::pair(kIdlePrefix, idle), {kUnattributedPrefix, rest}})
    if (energy > Energy{})
      readings.push_back({std::string(whose) + counted.device, core::Component::kCpu,
                          core::EnergySource::kCounter, wall, energy});
}

std::vector<core::EnergyReading> KeplerMeter::Sample(const IntervalUsage& usage) {
  using Outcome = EnergyCounter::Outcome;
  std::ignore = exporter_->Look();
  std::vector<core::EnergyReading> readings;
  for (Counted& counted : counted_) {
    if (!counted.wall_begin) counted.wall_begin = usage.wall.begin;
    counted.waiting_seconds += usage.seconds();
    const KeplerPackage* package = Find(counted);
    const Outcome outcome = counted.counter.Look(
        usage.end, package ? std::optional(package->all_microjoules()) : std::nullopt);
    counted.waiting = outcome;
    if (outcome == Outcome::kUnreadable || outcome == Outcome::kStill) continue;
    if (IsLoss(outcome)) gaps_.Add(counted.device, Describe(outcome), counted.waiting_seconds);
    const Energy energy = Energy::Microjoules(counted.counter.Take());
    const std::int64_t grown =
        package->idle_microjoules - counted.idle_microjoules.value_or(package->idle_microjoules);
    const Energy idle = std::clamp(Energy::Microjoules(grown), Energy{}, energy);
    Add(counted, {*counted.wall_begin, usage.wall.end}, idle, energy - idle, readings);
    counted.idle_microjoules = package->idle_microjoules;
    counted.wall_begin = usage.wall.end;
    counted.waiting_seconds = 0;
    counted.waiting.reset();
  }
  return readings;
}

std::vector<std::string> KeplerMeter::Gaps() const {
  GapLog gaps = gaps_;
  for (const Counted& counted : counted_)
    if (counted.waiting && counted.waiting_seconds > kUpdateSeconds)
      gaps.Add(counted.device, std::string("at the end, ") + Describe(*counted.waiting),
               counted.waiting_seconds);
  return gaps.Lines();
}

}  // namespace ebb::meter
