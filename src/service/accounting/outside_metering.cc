#include "service/accounting/outside_metering.h"

#include <vector>

#include "runtime/accountant.h"

namespace ebb::service {
namespace {

constexpr const char* kRemembered = "outside metering";
constexpr const char* kEarlier = "earlier";

}  // namespace

core::LedgerTotals OutsideMetering::Add(core::JobId job, int attempt,
                                        std::span<const core::EnergyReading> readings) {
  runtime::Accountant accountant(ports_.feed, ports_.clock, attempt, ports_.pue);
  std::vector<core::LedgerRow> rows = accountant.Add(readings);
  for (core::LedgerRow& row : accountant.Flush()) rows.push_back(std::move(row));
  if (!rows.empty()) std::ignore = ports_.accounting.Rows(job, rows);
  return core::Total(rows);
}

void OutsideMetering::AddEarlier(core::JobId job, int attempt, Interval wall, Energy energy,
                                 std::optional<Emissions> emissions) {
  core::LedgerRow row;
  row.attempt = attempt;
  row.device = kEarlier;
  row.source = core::EnergySource::kModel;
  row.wall = wall;
  row.grid = ports_.clock.ToGrid(wall);
  row.energy = energy;
  row.pue = ports_.pue;
  row.intensity_status = core::SampleStatus::kEstimated;
  row.signal_kind = ports_.feed.identity().kind;
  if (emissions && energy > Energy{})
    row.intensity = Intensity{emissions->grams / (energy.kwh() * ports_.pue.ratio)};
  std::ignore = ports_.accounting.Rows(job, {&row, 1});
}

std::string OutsideMetering::Remembered() const {
  const auto text = ports_.store.Meta(kRemembered);
  return text && *text ? **text : "";
}

void OutsideMetering::Remember(const std::string& text) { ports_.store.SetMeta(kRemembered, text); }

std::optional<Intensity> OutsideMetering::IntensityAt(Time wall) const {
  const Time at = ports_.clock.ToGrid(wall);
  const auto believed = ports_.feed.Believed({at, at + Duration{1}});
  if (!believed) return std::nullopt;
  const core::Sample* sample = believed->At(at);
  return sample ? std::optional(sample->intensity) : std::nullopt;
}

}  // namespace ebb::service
