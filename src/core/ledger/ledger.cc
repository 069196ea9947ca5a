#include "core/ledger/ledger.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/enum_names.h"

namespace ebb::core {
namespace {

constexpr std::array<std::string_view, 3> kComponentNames{"cpu", "gpu", "ram"};
constexpr std::array<std::string_view, 3> kSourceNames{"counter", "power_integral", "model"};

// Microjoules x milliseconds of a long run overflow 64 bits.
__extension__ using Wide = __int128;

// The energy up to `until` of an interval whose energy is spread evenly. It is exact at both ends,
// so that differences of neighbours add up to the whole.
Energy CumulativeUntil(Energy energy, Interval whole, Time until) {
  if (until <= whole.begin) return {};
  if (until >= whole.end) return energy;
  const auto passed = static_cast<Wide>((until - whole.begin).count());
  return Energy::Microjoules(
      static_cast<std::int64_t>(energy.microjoules() * passed / whole.length().count()));
}

// The wall time of `grid_time`, by the linear map between the two intervals of a reading.
Time GridToWall(Time grid_time, Interval grid, Interval wall) {
  const auto passed = static_cast<Wide>((grid_time - grid.begin).count());
  const auto wall_ms = passed * wall.length().count() / grid.length().count();
  return wall.begin + Duration{static_cast<Duration::rep>(wall_ms)};
}

// The first moment after `time` at which the series' value changes, appears or ends.
Time NextBoundary(const IntensitySeries& series, Time time) {
  if (const Sample* sample = series.At(time)) return sample->interval.end;
  const Sample* next = series.NextAfter(time);
  return next ? next->interval.begin : Time::max();
}

// Sets the values at the beginning of the row, which lies within one value of each signal.
void SetIntensities(LedgerRow& row, const IntensitySeries& signal, const IntensitySeries* other) {
  row.intensity.reset();
  row.intensity_status = SampleStatus::kMeasured;
  row.intensity_source.clear();
  if (const Sample* sample = signal.At(row.grid.begin)) {
    row.intensity = sample->intensity;
    row.intensity_status = sample->status;
    row.intensity_source = LinkOf(signal.identity(), *sample);
  }
  if (!other) return;
  row.other = OtherIntensity{{}, SampleStatus::kMeasured, other->identity().kind};
  if (const Sample* sample = other->At(row.grid.begin)) {
    row.other->intensity = sample->intensity;
    row.other->status = sample->status;
  }
}

LedgerRow BaseRow(const EnergyReading& reading, int attempt, Pue pue, SignalKind kind) {
  LedgerRow row;
  row.attempt = attempt;
  row.device = reading.device;
  row.component = reading.component;
  row.source = reading.source;
  row.shared = reading.shared;
  row.pue = pue;
  row.signal_kind = kind;
  return row;
}

void Add(LedgerTotals& totals, const LedgerRow& row, Energy energy) {
  totals.energy += energy;
  totals.facility_energy += Energy::Joules(energy.joules() * row.pue.ratio);
  switch (row.component) {
    case Component::kCpu:
      totals.cpu += energy;
      break;
    case Component::kGpu:
      totals.gpu += energy;
      break;
    case Component::kRam:
      totals.ram += energy;
      break;
  }
  switch (row.source) {
    case EnergySource::kCounter:
      totals.by_counter += energy;
      break;
    case EnergySource::kPowerIntegral:
      totals.by_power_integral += energy;
      break;
    case EnergySource::kModel:
      totals.by_model += energy;
      break;
  }
  if (!row.intensity) {
    totals.energy_without_intensity += energy;
    return;
  }
  totals.emissions += EmissionsOf(energy, row.pue, *row.intensity);
  switch (row.intensity_status) {
    case SampleStatus::kMeasured:
      totals.on_measured += energy;
      break;
    case SampleStatus::kEstimated:
      totals.on_estimated += energy;
      break;
    case SampleStatus::kForecast:
      totals.on_forecast += energy;
      break;
    case SampleStatus::kModelled:
      totals.on_modelled += energy;
      break;
  }
}

}  // namespace

std::string_view Name(Component component) {
  return kComponentNames[static_cast<std::size_t>(component)];
}
std::string_view Name(EnergySource source) {
  return kSourceNames[static_cast<std::size_t>(source)];
}
std::optional<Component> ComponentFromName(std::string_view name) {
  return EnumFromName<Component>(kComponentNames, name);
}
std::optional<EnergySource> EnergySourceFromName(std::string_view name) {
  return EnumFromName<EnergySource>(kSourceNames, name);
}

std::optional<Emissions> LedgerRow::emissions() const {
  if (!intensity) return std::nullopt;
  return EmissionsOf(energy, pue, *intensity);
}

Energy Share(Energy energy, Interval whole, Interval part) {
  const Interval common = Overlap(whole, part);
  if (common.length() == Duration::zero()) return {};
  return CumulativeUntil(energy, whole, common.end) - CumulativeUntil(energy, whole, common.begin);
}

std::vector<LedgerRow> MakeRows(const EnergyReading& reading, Interval grid, int attempt, Pue pue,
                                const IntensitySeries& signal, const IntensitySeries* other) {
  LedgerRow row = BaseRow(reading, attempt, pue, signal.identity().kind);
  if (grid.length() == Duration::zero() || reading.wall.length() == Duration::zero()) {
    // The reading is too short to divide. Its energy still counts, at the intensity of its instant.
    row.wall = reading.wall;
    row.grid = grid;
    row.energy = reading.energy;
    SetIntensities(row, signal, other);
    return {row};
  }
  std::vector<LedgerRow> rows;
  for (Time begin = grid.begin; begin < grid.end;) {
    Time end = std::min(grid.end, NextBoundary(signal, begin));
    if (other) end = std::min(end, NextBoundary(*other, begin));
    row.grid = {begin, end};
    row.wall = {GridToWall(begin, grid, reading.wall), GridToWall(end, grid, reading.wall)};
    row.energy = Share(reading.energy, grid, row.grid);
    SetIntensities(row, signal, other);
    rows.push_back(row);
    begin = end;
  }
  return rows;
}

std::vector<LedgerRow> OnOtherSignal(const std::vector<LedgerRow>& rows) {
  const auto has_other = [](const LedgerRow& row) { return row.other.has_value(); };
  const auto first = std::find_if(rows.begin(), rows.end(), has_other);
  if (first == rows.end()) return {};
  std::vector<LedgerRow> others = rows;
  for (LedgerRow& row : others) {
    const OtherIntensity other = row.other.value_or(OtherIntensity{{}, {}, first->other->kind});
    row.intensity = other.intensity;
    row.intensity_status = other.status;
    row.signal_kind = other.kind;
    row.other.reset();
  }
  return others;
}

std::optional<Intensity> LedgerTotals::MeanIntensity() const {
  const Energy known = energy - energy_without_intensity;
  if (known <= Energy{} || facility_energy <= Energy{}) return std::nullopt;
  const double pue_ratio = facility_energy.kwh() / energy.kwh();
  return Intensity{emissions.grams / (known.kwh() * pue_ratio)};
}

LedgerTotals Total(const std::vector<LedgerRow>& rows) {
  LedgerTotals totals;
  for (const LedgerRow& row : rows) Add(totals, row, row.energy);
  return totals;
}

LedgerTotals TotalWithin(const std::vector<LedgerRow>& rows, Interval wall) {
  LedgerTotals totals;
  for (const LedgerRow& row : rows) {
    const Energy energy = row.wall.length() == Duration::zero()
                              ? (wall.contains(row.wall.begin) ? row.energy : Energy{})
                              : Share(row.energy, row.wall, wall);
    if (energy != Energy{}) Add(totals, row, energy);
  }
  return totals;
}

}  // namespace ebb::core
