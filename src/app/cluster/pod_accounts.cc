#include "app/cluster/pod_accounts.h"

#include <algorithm>
#include <utility>

namespace ebb::app {
namespace {

// The API server reports a pod moments before or after an agent does.
constexpr std::chrono::seconds kKnownWithin{10};
// Records of an agent that was away for longer are still counted when they arrive.
constexpr std::chrono::minutes kCompleteAfter{10};
// A row of the ledger covers no more than this, even if many records arrive at once.
constexpr std::chrono::minutes kLongestRow{1};
// A node that has reported nothing for this long is no longer shown as drawing power.
constexpr std::chrono::minutes kPowerHolds{3};

constexpr std::size_t kMostUnknown = 10'000;

void ForEachPod(const kubernetes::NodeRecords& records,
                const std::function<void(const std::string&)>& look) {
  for (const core::NodeRecord& record : records.records)
    for (const core::DeviceEnergy& device : record.devices)
      for (const core::PodEnergy& pod : device.pods) look(pod.pod);
}

constexpr const char* kIdle = "/idle";

// Appends a reading; it is joined with the last one if it follows that directly.
void Append(std::vector<core::EnergyReading>& readings, core::EnergyReading reading) {
  core::EnergyReading* last = readings.empty() ? nullptr : &readings.back();
  const bool joins = last && last->wall.end >= reading.wall.begin &&
                     reading.wall.end - last->wall.begin <= kLongestRow;
  if (!joins) {
    // Rows of one device must not overlap, even if readings do.
    if (last) reading.wall.begin = std::max(reading.wall.begin, last->wall.end);
    reading.wall.end = std::max(reading.wall.begin, reading.wall.end);
    return readings.push_back(std::move(reading));
  }
  last->wall.end = std::max(last->wall.end, reading.wall.end);
  last->energy += reading.energy;
  last->source = std::max(last->source, reading.source);
  last->shared |= reading.shared;
}

std::string_view PlaceOf(const core::DeviceEnergy& device) {
  switch (device.component) {
    case core::Component::kCpu:
      return "cpu";
    case core::Component::kRam:
      return "ram";
    case core::Component::kGpu:
      return device.device;
  }
  return device.device;
}

}  // namespace

// The shares in records of one node; readings that follow each other are joined.
struct PodAccounts::Shares {
  struct Key {
    core::JobId job;
    int attempt;
    std::string device;
    auto operator<=>(const Key&) const = default;
  };
  std::map<Key, std::vector<core::EnergyReading>> jobs;
  std::map<core::Component, core::MachineShares> node;
  std::map<core::JobId, std::string> objects;  // objects of jobs with idle time
};

PodAccounts::PodAccounts(Ports ports) : ports_(std::move(ports)) {
  if (ports_.agents) ports_.agents->GoOnAt(ports_.metering.Remembered());
}

// Records -------------------------------------------------------------------------------------

// Some pods never become known, such as static pods, whose group has another uid than their object.
void PodAccounts::FollowUnknownPods(const kubernetes::NodeRecords& records) {
  if (unknown_since_.size() > kMostUnknown) unknown_since_.clear();
  ForEachPod(records, [&](const std::string& pod) {
    if (!ports_.pods->Knows(pod)) unknown_since_.try_emplace(pod, ports_.since_boot());
  });
}

bool PodAccounts::MayBecomeKnown(const kubernetes::NodeRecords& records) const {
  bool found = false;
  ForEachPod(records, [&](const std::string& pod) {
    if (found || ports_.pods->Knows(pod)) return;
    const auto met = unknown_since_.find(pod);
    found = met != unknown_since_.end() && ports_.since_boot() - met->second < kKnownWithin;
  });
  return found;
}

void PodAccounts::Divide(const std::string& node, const core::DeviceEnergy& device,
                         Shares& shares) {
  const auto [found, is_new] = shares.node.try_emplace(device.component);
  core::MachineShares& sum = found->second;
  if (is_new) {
    sum.device = std::string(core::Name(device.component));
    sum.component = device.component;
    sum.source = device.source;
    sum.wall = device.wall;
  }
  sum.wall = {std::min(sum.wall.begin, device.wall.begin), std::max(sum.wall.end, device.wall.end)};
  const Energy of_jobs = DivideIdle(node, device, shares);
  sum.idle += device.idle - of_jobs;
  sum.jobs += of_jobs;
  sum.unattributed += device.unattributed;
  for (const core::PodEnergy& pod : device.pods) {
    const auto origin = ports_.pods->OriginOf(pod.pod);
    const auto job = origin ? ports_.job_of(origin->object) : std::nullopt;
    (job ? sum.jobs : sum.unattributed) += pod.energy;
    if (!job) continue;
    if (CountedBefore(origin->object, device)) continue;
    core::EnergyReading reading{node + "/" + std::string(PlaceOf(device)),
                                device.component,
                                device.source,
                                device.wall,
                                pod.energy,
                                pod.shared};
    auto& readings = shares.jobs[{*job, origin->attempt, reading.device}];
    Append(readings, std::move(reading));
  }
}

bool PodAccounts::CountedBefore(const std::string& object, const core::DeviceEnergy& device) const {
  const auto counted = counted_until_.find(object);
  return counted != counted_until_.end() && device.wall.begin < counted->second;
}

// The idle energy that belongs to known jobs; the rest stays idle.
Energy PodAccounts::DivideIdle(const std::string& node, const core::DeviceEnergy& device,
                               Shares& shares) {
  Energy of_jobs;
  const kubernetes::NodeStretch* stretch = ports_.idle_at(node, device.wall.begin);
  if (!stretch) return of_jobs;
  for (const kubernetes::StretchShare& share : stretch->shares) {
    const auto job = ports_.job_of(share.object);
    if (!job) continue;
    const Energy energy =
        std::min(device.idle - of_jobs, Energy::Joules(device.idle.joules() * share.part));
    of_jobs += energy;
    if (CountedBefore(share.object, device)) continue;
    shares.objects[*job] = share.object;
    core::EnergyReading reading{node + "/" + std::string(PlaceOf(device)) + kIdle,
                                device.component,
                                device.source,
                                device.wall,
                                energy,
                                stretch->shares.size() > 1};
    auto& readings = shares.jobs[{*job, share.attempt, reading.device}];
    Append(readings, std::move(reading));
  }
  return of_jobs;
}

core::LedgerTotals PodAccounts::Enter(core::JobId job, int attempt,
                                      std::span<const core::EnergyReading> readings) {
  const core::LedgerTotals totals = ports_.metering.Add(job, attempt, readings);
  Account& account = live_[job];
  if (attempt < account.attempt) return totals;  // a late reading of an earlier attempt
  if (account.attempt != attempt) account = {attempt, {}, {}, {}};
  account.energy += totals.energy;
  account.emissions += totals.emissions;
  return totals;
}

core::LedgerTotals PodAccounts::Add(core::JobId job, int attempt,
                                    const core::EnergyReading& reading) {
  const core::LedgerTotals totals = Enter(job, attempt, {&reading, 1});
  if (completed_.contains(job)) ports_.metering.Complete(job);
  return totals;
}

void PodAccounts::Enter(const std::string& node, Shares& shares) {
  std::map<core::JobId, std::pair<Energy, Interval>> sums;
  for (auto& [key, readings] : shares.jobs) {
    const core::LedgerTotals totals = Enter(key.job, key.attempt, readings);
    if (key.device.ends_with(kIdle)) ports_.idle_counted(shares.objects[key.job], totals);
    if (key.attempt < live_[key.job].attempt) continue;
    const Interval wall{readings.front().wall.begin, readings.back().wall.end};
    auto& [energy, over] = sums.try_emplace(key.job, Energy{}, wall).first->second;
    energy += totals.energy;
    over = {std::min(over.begin, wall.begin), std::max(over.end, wall.end)};
  }
  for (const auto& [job, sum] : sums) {
    const auto& [energy, wall] = sum;
    if (wall.length() > Duration::zero())
      live_[job].power[node] = {Power{energy.joules() / Seconds(wall.length())}, wall.end};
    // A reading that arrives after the account was complete needs another settlement.
    if (completed_.contains(job)) ports_.metering.Complete(job);
  }
  for (const auto& [component, sum] : shares.node) ports_.metering.AddMachine(sum);
}

void PodAccounts::Take(const kubernetes::NodeRecords& records) {
  Shares shares;
  for (const core::NodeRecord& record : records.records)
    for (const core::DeviceEnergy& device : record.devices) Divide(records.node, device, shares);
  Enter(records.node, shares);
}

// Counts the records of each node in order. A node that has to wait does not delay other nodes.
bool PodAccounts::CountWaiting() {
  std::set<std::string> held;
  std::deque<kubernetes::NodeRecords> left;
  bool changed = false;
  for (kubernetes::NodeRecords& records : std::exchange(waiting_, {})) {
    if (held.contains(records.node) || MayBecomeKnown(records)) {
      held.insert(records.node);
      left.push_back(std::move(records));
      continue;
    }
    Take(records);
    ports_.agents->Counted(records);
    changed = true;
  }
  waiting_ = std::move(left);
  return changed;
}

bool PodAccounts::Tick() {
  if (!ports_.agents) return false;
  for (kubernetes::NodeRecords& records : ports_.agents->Take()) {
    FollowUnknownPods(records);
    waiting_.push_back(std::move(records));
  }
  const bool changed = CountWaiting();
  if (changed) ports_.metering.Remember(ports_.agents->Position());
  return LookAtEnds() || changed;
}

std::optional<Duration> PodAccounts::NextDue() const {
  if (waiting_.empty() && ending_.empty()) return std::nullopt;
  return ports_.since_boot() + std::chrono::seconds{1};
}

// Ends ----------------------------------------------------------------------------------------

bool PodAccounts::Ended(core::JobId job, const std::string& object) {
  Ending ending{object, {}, ports_.now(), ports_.since_boot()};
  if (ports_.agents) ending.nodes = ports_.pods->NodesOf(object);
  std::erase_if(ending.nodes,
                [&](const std::string& node) { return !ports_.agents->Measures(node); });
  if (ending.nodes.empty()) {
    completed_.insert(job);
    return false;
  }
  ending_[job] = std::move(ending);
  return true;
}

bool PodAccounts::LookAtEnds() {
  const Duration now = ports_.since_boot();
  const std::size_t erased = std::erase_if(ending_, [&](const auto& entry) {
    const auto& [job, ending] = entry;
    const bool is_told = std::ranges::all_of(ending.nodes, [&](const std::string& node) {
      return ports_.agents->CountedUpTo(node) >= ending.at;
    });
    if (!is_told && now - ending.since < kCompleteAfter) return false;
    completed_.insert(job);
    ports_.metering.Complete(job);
    return true;
  });
  return erased > 0;
}

std::optional<local::LiveFigures> PodAccounts::FiguresOf(core::JobId job, int attempt) const {
  const auto found = live_.find(job);
  if (found == live_.end() || found->second.attempt != attempt) return std::nullopt;
  const Account& account = found->second;
  local::LiveFigures figures{{}, account.energy, account.emissions, {}};
  for (const auto& [node, power] : account.power)
    if (ports_.now() - power.second < kPowerHolds) figures.power.watts += power.first.watts;
  return figures;
}

std::optional<Time> PodAccounts::CountedUpTo(const std::string& object) const {
  std::optional<Time> latest;
  if (!ports_.agents) return latest;
  for (const std::string& node : ports_.pods->NodesOf(object))
    if (const Time until = ports_.agents->CountedUpTo(node); !latest || until > *latest)
      latest = until;
  if (latest == Time::min()) latest.reset();
  return latest;
}

void PodAccounts::Forget(core::JobId job) {
  live_.erase(job);
  completed_.erase(job);
}

}  // namespace ebb::app
