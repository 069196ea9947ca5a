#include "service/accounting/day_use.h"

#include <algorithm>

namespace ebb::service {
namespace {

using std::chrono::days;

// Local midnight, as a moment. `day`: the calendar day that it begins; `near`: a moment close to
// it.
Time MidnightOf(Time day, Time near, const DayUse::UtcOffset& offset) {
  return day - offset(day - offset(near));
}

// The offset may change within the day.
Interval LocalDay(Time now, const DayUse::UtcOffset& offset) {
  const Time day = std::chrono::floor<days>(now + offset(now));
  const Time begin = std::min(MidnightOf(day, now, offset), now);
  return {begin, std::max(MidnightOf(day + days{1}, now, offset), now + Duration{1})};
}

}  // namespace

void DayUse::Use::Add(const Use& other) {
  energy += other.energy;
  without_intensity += other.without_intensity;
  grams += other.grams;
}

void DayUse::Use::Remove(const Use& other) {
  energy -= other.energy;
  without_intensity -= other.without_intensity;
  grams -= other.grams;
}

bool DayUse::Turn(Time now) {
  if (day_.begin <= now && now < day_.end) return true;
  const bool is_earlier = now < day_.begin;
  day_ = LocalDay(now, offset_);
  jobs_.clear();
  total_ = {};
  return !is_earlier;
}

// The part of the row that is of this day. A program that was over at once has rows without length.
DayUse::Use DayUse::UseOf(const core::LedgerRow& row) const {
  core::LedgerRow part = row;
  if (row.grid.length() > Duration::zero())
    part.energy = core::Share(row.energy, row.grid, Overlap(row.grid, day_));
  else if (row.grid.begin < day_.begin || row.grid.begin >= day_.end)
    return {};
  const auto emissions = part.emissions();
  return {part.energy, emissions ? Energy{} : part.energy, emissions ? emissions->grams : 0};
}

void DayUse::Add(core::JobId job, std::span<const core::LedgerRow> rows) {
  for (const core::LedgerRow& row : rows) {
    if (row.grid.end > day_.end || row.grid.begin >= day_.end) Turn(row.grid.end);
    const Use use = UseOf(row);
    if (use.energy == Energy{}) continue;
    jobs_[job].Add(use);
    total_.Add(use);
  }
}

void DayUse::Replace(core::JobId job, std::span<const core::LedgerRow> rows) {
  const auto before = jobs_.find(job);
  if (before != jobs_.end()) total_.Remove(before->second);
  Use use;
  for (const core::LedgerRow& row : rows) use.Add(UseOf(row));
  jobs_[job] = use;
  total_.Add(use);
}

DayFigures DayUse::figures() const {
  DayFigures figures;
  figures.day = day_;
  figures.energy = total_.energy;
  const bool is_unknown = total_.energy > Energy{} && total_.without_intensity == total_.energy;
  // Sums of what was added and taken away again may be below 0 by a rounding error.
  figures.emissions =
      is_unknown ? std::nullopt : std::optional(Emissions{std::max(total_.grams, 0.0)});
  return figures;
}

}  // namespace ebb::service
