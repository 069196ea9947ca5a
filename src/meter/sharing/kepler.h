#pragma once
// The energy of a node's processors, and its division among pods, as Kepler reports both. It serves
// an agent that may not read the counters itself, on a node where Kepler runs, and makes Ebb's
// figures for a pod equal Kepler's.
//
// The format is Prometheus's text format (from version 0.10 on):
//
//   kepler_node_cpu_active_joules_total{zone="package",path="/sys/class/powercap/intel-rapl:0"}
//   kepler_node_cpu_idle_joules_total{zone="package",path="..."}                           joules
//   kepler_pod_cpu_joules_total{zone="package",pod_id="...",state="running"}   or "terminated"
//
// Zones are RAPL's zones; only packages are used. Both counters of the node start at 0 with Kepler
// and only grow; kepler_node_cpu_joules_total is not read, because it is the hardware's counter,
// which wraps every few minutes to hours, and Kepler does not report at which value. Kepler divides
// the energy that was not idle among pods by their CPU time. It reads the counters when it is
// asked, or every 5 s.
//
// Source: https://github.com/sustainable-computing-io/kepler, docs/user/metrics.md.
//
// Not thread-safe: one thread at a time.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "meter/cpu/energy_counter.h"
#include "meter/exporter.h"
#include "meter/gap_log.h"
#include "meter/meter.h"
#include "meter/sharing/node_split.h"

namespace ebb::meter {

struct KeplerPackage {
  std::string path;  ///< path of the counter
  std::int64_t active_microjoules = 0, idle_microjoules = 0;
  std::int64_t all_microjoules() const { return active_microjoules + idle_microjoules; }
};

struct KeplerNode {
  std::vector<KeplerPackage> packages;   ///< sorted by path
  std::map<std::string, double> pods{};  ///< joules of the packages that each pod used, by uid
};

/// Adds the energy that pods used between two answers, out of the energy that was not idle: joules
/// take the place of CPU time. A pod that was not in the answer before has used all that it
/// reports.
void AddKepler(const KeplerNode& before, const KeplerNode& now, PodsInterval& interval);

/// Fails if the text is not in the format or reports no package.
Result<KeplerNode> KeplerNodeFromText(std::string_view text);

class KeplerExporter : public Exporter<KeplerNode> {
 public:
  explicit KeplerExporter(Ports ports)
      : Exporter(std::move(ports), KeplerNodeFromText, "Kepler does not tell of the CPU") {}
};

/// A meter with the scope machine that splits each reading as an IdleMeter does: devices
/// "idle:cpu:package-0" and "unattributed:cpu:package-0". The packages are those of the exporter's
/// first answer, which must have come.
class KeplerMeter final : public Meter {
 public:
  explicit KeplerMeter(std::shared_ptr<KeplerExporter> exporter);

  std::string Description() const override;
  void Start(Instant now) override;
  std::vector<core::EnergyReading> Sample(const IntervalUsage& usage) override;
  std::vector<std::string> Gaps() const override;

 private:
  struct Counted {
    std::string path, device;
    EnergyCounter counter{std::nullopt};
    std::optional<std::int64_t> idle_microjoules{};  // as of the last reading
    std::optional<Time> wall_begin{};                // time of the last reading
    double waiting_seconds = 0;
    std::optional<EnergyCounter::Outcome> waiting{};  // reason why the last value added nothing
  };
  const KeplerPackage* Find(const Counted& counted) const;
  static void Add(const Counted& counted, Interval wall, Energy idle, Energy rest,
                  std::vector<core::EnergyReading>& readings);

  std::shared_ptr<KeplerExporter> exporter_;
  std::vector<Counted> counted_;
  GapLog gaps_;
};

}  // namespace ebb::meter
