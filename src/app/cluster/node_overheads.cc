#include "app/cluster/node_overheads.h"

namespace ebb::app {

bool NodeOverheads::Tick() {
  bool changed = false;
  for (const kubernetes::NodeStretch& stretch : ports_.lives.TakeOver())
    changed = Count(stretch) || changed;
  return changed;
}

bool NodeOverheads::Count(const kubernetes::NodeStretch& stretch) {
  const Power idle = ports_.groups.at(stretch.group).idle_power;
  const bool is_measured = ports_.agents && ports_.agents->Measures(stretch.node);
  if (idle.watts <= 0 || (is_measured && !stretch.is_start)) return false;
  bool changed = false;
  for (const kubernetes::StretchShare& share : stretch.shares) {
    const Energy energy = Energy::Joules(idle.watts * Seconds(stretch.wall.length()) * share.part);
    const auto job = ports_.job_of(share.object);
    if (is_measured && job) {
      const core::EnergyReading reading{stretch.node + "/start", core::Component::kCpu,
                                        core::EnergySource::kModel, stretch.wall, energy};
      Add(share.object, ports_.enter(*job, share.attempt, reading));
      changed = true;
      continue;
    }
    const auto intensity = ports_.intensity_at(stretch.wall.begin + stretch.wall.length() / 2);
    const auto emissions =
        intensity ? std::optional(EmissionsOf(energy, ports_.pue, *intensity)) : std::nullopt;
    ports_.in_no_account(share.object, energy, emissions);
    Add(share.object, energy, emissions);
  }
  return changed;
}

void NodeOverheads::Add(const std::string& object, const core::LedgerTotals& totals) {
  Add(object, totals.energy,
      totals.energy_without_intensity == Energy{} ? std::optional(totals.emissions) : std::nullopt);
}

void NodeOverheads::Add(const std::string& object, Energy energy,
                        std::optional<Emissions> emissions) {
  NodeOverhead& sum = sums_[object];
  sum.energy += energy;
  if (!emissions)
    sum.emissions.reset();
  else if (sum.emissions)
    *sum.emissions += *emissions;
  ports_.tell(object, sum);
}

}  // namespace ebb::app
