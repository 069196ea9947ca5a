#include "report/period/period.h"

#include <algorithm>
#include <cmath>

#include "base/enum_names.h"
#include "core/ledger/counterfactual.h"
#include "report/period/period_cut.h"

namespace ebb::report {
namespace {

using core::LedgerRow;

std::int64_t Micrograms(double grams) { return std::llround(grams * 1e6); }

bool Matches(const core::SignalIdentity& signal, core::Boundary boundary) {
  return signal.kind == core::SignalKind::kAverage && signal.boundary == boundary;
}

// The signal of a run that a location-based figure uses: average, of one boundary; nullptr if the
// run has none.
const core::SignalIdentity* LocationSignal(const core::RunSpec& spec, core::Boundary boundary) {
  if (Matches(spec.signal, boundary)) return &spec.signal;
  const bool other = spec.other_signal && Matches(*spec.other_signal, boundary);
  return other ? &*spec.other_signal : nullptr;
}

// The rows with the intensity of that signal. Rows without such an intensity keep their energy.
std::vector<LedgerRow> LocationRows(const core::RunRecord& run, core::Boundary boundary) {
  const core::SignalIdentity* signal = LocationSignal(run.spec, boundary);
  if (signal == &run.spec.signal) return run.ledger;
  if (signal) {
    auto others = core::OnOtherSignal(run.ledger);
    if (!others.empty()) return others;
  }
  std::vector<LedgerRow> rows = run.ledger;
  for (LedgerRow& row : rows) row.intensity.reset();
  return rows;
}

const SupplyFactor* FactorFor(const std::vector<SupplyFactor>& factors, const std::string& zone) {
  const SupplyFactor* general = nullptr;
  for (const SupplyFactor& factor : factors) {
    if (!factor.zone.empty() && factor.zone == zone) return &factor;
    if (factor.zone.empty()) general = &factor;
  }
  return general;
}

std::string KeyOf(PeriodBy by, const PeriodOwner& owner) {
  switch (by) {
    case PeriodBy::kProject:
      return owner.project;
    case PeriodBy::kUser:
      return owner.user;
    case PeriodBy::kZone:
      return owner.zone;
    case PeriodBy::kSite:
      return owner.site;
    case PeriodBy::kRun:
      return owner.source.empty() ? owner.run : owner.run + " in " + owner.source;
  }
  return "";
}

constexpr std::array<std::string_view, 5> kByNames{"project", "user", "zone", "site", "run"};

Time EndOf(const core::RunRecord& run) {
  Time end = Time::min();
  for (const core::Attempt& attempt : run.attempts) end = std::max(end, attempt.wall.end);
  for (const LedgerRow& row : run.ledger) end = std::max(end, row.wall.end);
  return end;
}

Energy EnergyWithin(const LedgerRow& row, const std::vector<Interval>& counted,
                    const std::vector<PeriodDay>& days) {
  Energy energy;
  CutAtDays(row, counted, days, [&](std::size_t, const LedgerRow& part) { energy += part.energy; });
  return energy;
}

std::optional<double> KnownGrams(const std::vector<LedgerRow>& rows) {
  double grams = 0;
  for (const LedgerRow& row : rows) {
    if (row.energy == Energy{}) continue;
    const auto emissions = row.emissions();
    if (!emissions) return std::nullopt;
    grams += emissions->grams;
  }
  return grams;
}

// The correlation of errors between zones is unknown, so the result is the wider of full
// correlation and none.
double SavedHalfWidth(const std::map<std::string, core::DifferenceSum>& by_zone) {
  core::DifferenceSum all;
  double apart = 0;
  for (const auto& [zone, difference] : by_zone) {
    all.Add(difference);
    apart += difference.HalfWidth() * difference.HalfWidth();
  }
  return std::max(all.HalfWidth(), std::sqrt(apart));
}

}  // namespace

std::string_view Name(PeriodBy by) { return kByNames[static_cast<std::size_t>(by)]; }
std::optional<PeriodBy> PeriodByFromName(std::string_view name) {
  return EnumFromName<PeriodBy>(kByNames, name);
}

PeriodFigures& PeriodFigures::operator+=(const PeriodFigures& more) {
  runs += more.runs;
  energy += more.energy;
  facility_energy += more.facility_energy;
  measured += more.measured;
  for (std::size_t i = 0; i < on_status.size(); ++i) on_status[i] += more.on_status[i];
  without_intensity += more.without_intensity;
  of_pruned += more.of_pruned;
  unmetered += more.unmetered;
  running += more.running;
  embodied_ug += more.embodied_ug;
  without_embodied += more.without_embodied;
  emissions_ug += more.emissions_ug;
  market_ug += more.market_ug;
  by_contract += more.by_contract;
  without_contract += more.without_contract;
  market_unknown += more.market_unknown;
  ended += more.ended;
  compared += more.compared;
  compared_ug += more.compared_ug;
  at_submission_ug += more.at_submission_ug;
  return *this;
}

LeftOut& LeftOut::operator+=(const LeftOut& more) {
  runs += more.runs;
  energy += more.energy;
  return *this;
}

PeriodFigures PeriodAccount::RunDay::Rounded() const {
  PeriodFigures rounded = figures;
  rounded.facility_energy = Energy::Joules(facility_j);
  rounded.emissions_ug = Micrograms(grams);
  rounded.market_ug = Micrograms(market_g);
  return rounded;
}

PeriodAccount::PeriodAccount(PeriodRequest request) {
  for (const PeriodDay& day : request.days) report_.days.emplace_back(day.date, PeriodFigures{});
  report_.request = std::move(request);
}

PeriodAccount::Sums& PeriodAccount::GroupOf(const PeriodOwner& owner) {
  return groups_[KeyOf(report_.request.by, owner)];
}

void PeriodAccount::AddFigures(const PeriodOwner& owner, std::size_t day,
                               const PeriodFigures& figures) {
  auto& [date, of_day] = report_.days[day];
  of_day += figures;
  total_.figures += figures;
  GroupOf(owner).figures += figures;
  report_.cells[{date.substr(0, 7), owner.zone, owner.project}] += figures;
}

void PeriodAccount::Add(const std::vector<PeriodRun>& runs) {
  std::vector<const PeriodRun*> taken;
  std::vector<const core::RunRecord*> records;
  for (const PeriodRun& run : runs) {
    if (run.run.spec.clock.replayed && !report_.request.with_replayed) {
      const Energy energy = core::TotalWithin(run.run.ledger, report_.request.period()).energy;
      if (energy > Energy{}) report_.replayed += {1, energy};
      continue;
    }
    taken.push_back(&run);
    records.push_back(&run.run);
  }
  const auto counted = CountedOnce(records);
  for (std::size_t i = 0; i < taken.size(); ++i) AddRun(*taken[i], counted[i]);
}

void PeriodAccount::AddRun(const PeriodRun& run, const Counted& counted) {
  const Interval period = report_.request.period();
  AddEnergy(run, counted);
  AddTime(run);
  AddUnmetered(run);
  if (!run.counts) return;
  if (run.has_ended)
    AddSaving(run, counted);
  else if (Overlap(period, {run.run.spec.created_wall, EndOf(run.run)}).length() > Duration::zero())
    ++report_.not_ended;
}

// Grams are rounded to micrograms once for each run and day.
void PeriodAccount::AddEnergy(const PeriodRun& run, const Counted& counted) {
  const PeriodRequest& request = report_.request;
  const std::vector<LedgerRow> rows = LocationRows(run.run, request.boundary);
  std::map<std::size_t, RunDay> days;
  Energy taken, lost, whole;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto add = [&](std::size_t day, const LedgerRow& part) {
      taken += part.energy;
      AddPart(run, part, days[day]);
      report_.facts.AddReading(part, run.run.spec.scope);
    };
    CutAtDays(rows[i], counted[i], request.days, add);
    whole += CountedEnergy(rows[i], counted[i]);
    if (counted[i] != std::vector<Interval>{rows[i].wall})
      lost += core::TotalWithin({rows[i]}, request.period()).energy -
              EnergyWithin(rows[i], counted[i], request.days);
  }
  if (lost > Energy{}) report_.twice += {1, lost};
  if (days.empty()) return;
  if (!Matches(run.run.spec.signal, request.boundary))
    report_.other_signal += {run.counts ? 1 : 0, taken};
  if (!run.is_final && run.counts) ++report_.not_final;
  report_.facts.AddRun(run.run, run.owner.zone, run.counts);
  if (const auto* signal = LocationSignal(run.run.spec, request.boundary))
    report_.facts.signals.insert(signal->source);
  if (taken < whole) ++report_.facts.cut;
  days.begin()->second.figures.runs = run.counts ? 1 : 0;
  for (const auto& [day, sum] : days) AddFigures(run.owner, day, sum.Rounded());
}

void PeriodAccount::AddPart(const PeriodRun& run, const LedgerRow& part, RunDay& sum) {
  const core::MeterScope scope = run.run.spec.scope;
  PeriodFigures& figures = sum.figures;
  figures.energy += part.energy;
  sum.facility_j += part.energy.joules() * part.pue.ratio;
  if (core::IsMeasured(core::WayOf(part, scope))) figures.measured += part.energy;
  if (part.intensity)
    figures.on_status[static_cast<std::size_t>(part.intensity_status)] += part.energy;
  else
    figures.without_intensity += part.energy;
  sum.grams += part.emissions().value_or(Emissions{}).grams;
  Sums& group = GroupOf(run.owner);
  for (Sums* sums : {&total_, &group}) sums->sure.Add(part, scope);
  if (report_.request.IsMarketBased()) AddBought(run.owner, part, scope, sum);
}

// Adds energy at the stated factor of its zone, or without one at the intensity of the place.
void PeriodAccount::AddBought(const PeriodOwner& owner, LedgerRow part, core::MeterScope scope,
                              RunDay& sum) {
  const SupplyFactor* contract = FactorFor(report_.request.supplier, owner.zone);
  const SupplyFactor* factor =
      contract ? contract : FactorFor(report_.request.residual_mix, owner.zone);
  if (contract) sum.figures.by_contract += part.energy;
  if (factor)
    part.intensity = factor->intensity;
  else
    sum.figures.without_contract += part.energy;
  if (!part.intensity) sum.figures.market_unknown += part.energy;
  sum.market_g += part.emissions().value_or(Emissions{}).grams;
  Sums& group = GroupOf(owner);
  for (Sums* sums : {&total_, &group}) sums->market_sure.Add(part, scope, factor != nullptr);
}

void PeriodAccount::ForDaysOf(Interval time,
                              const std::function<void(std::size_t day, Duration)>& take) {
  if (time.length() == Duration::zero()) return;
  core::LedgerRow row;  // no energy
  row.wall = time;
  CutAtDays(row, {time}, report_.request.days,
            [&](std::size_t day, const core::LedgerRow& part) { take(day, part.wall.length()); });
}

// Adds the running time of a run, and the share of its hardware that it bears by it. Micrograms are
// rounded once for each run and day.
void PeriodAccount::AddTime(const PeriodRun& run) {
  std::map<std::size_t, Duration> ran;
  for (const Interval& time : RunningTimes(run.run))
    ForDaysOf(time, [&](std::size_t day, Duration length) { ran[day] += length; });
  const std::optional<core::Embodied>& embodied = run.run.spec.embodied;
  for (const auto& [day, length] : ran) {
    PeriodFigures figures;
    figures.running = length;
    if (embodied)
      figures.embodied_ug = Micrograms(embodied->Of(length).grams);
    else
      figures.without_embodied = length;
    AddFigures(run.owner, day, figures);
  }
}

void PeriodAccount::AddUnmetered(const PeriodRun& run) {
  for (const Interval& unmetered : UnmeteredTimes(run.run))
    ForDaysOf(unmetered, [&](std::size_t day, Duration length) {
      PeriodFigures figures;
      figures.unmetered = length;
      AddFigures(run.owner, day, figures);
    });
}

// Adds the saving of a job of several sites, unless some of the energy counts for another run. Its
// interval is widened as if its errors were those of all the others.
void PeriodAccount::AddSettled(const PeriodRun& run, const Counted& counted,
                               PeriodFigures& figures) {
  const std::vector<LedgerRow>& rows = run.run.ledger;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (CountedEnergy(rows[i], counted[i]) != rows[i].energy) return;
  const SettledSaving& settled = *run.settled;
  figures.compared = 1;
  figures.compared_ug = Micrograms(settled.emitted.grams);
  figures.at_submission_ug =
      figures.compared_ug + Micrograms(settled.at_submission.grams - settled.emitted.grams);
  Sums& group = GroupOf(run.owner);
  for (Sums* sums : {&total_, &group}) sums->settled_half_g += settled.half_width_g;
}

// Adds the saving of a run. A saving is one figure of a whole run, so it belongs to the day on
// which the run ended.
void PeriodAccount::AddSaving(const PeriodRun& run, const Counted& counted) {
  const core::RunRecord& record = run.run;
  if (record.ledger.empty()) return;
  const auto day = DayAt(report_.request.days, EndOf(record));
  if (!day) return;
  PeriodFigures figures;
  figures.ended = 1;
  const bool on_signal = Matches(record.spec.signal, report_.request.boundary);
  if (on_signal && run.settled) {
    AddSettled(run, counted, figures);
  } else if (on_signal && record.spec.zones == 1) {
    std::vector<LedgerRow> rows = record.ledger;
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].energy = CountedEnergy(rows[i], counted[i]);
    const auto moved = core::RowsAt(rows, run.at_submission, record.signal);
    const auto here = KnownGrams(rows), there = KnownGrams(moved);
    if (here && there) {
      figures.compared = 1;
      figures.compared_ug = Micrograms(*here);
      // The difference is rounded, not its parts, so that a difference of exactly 0 stays 0.
      figures.at_submission_ug = figures.compared_ug + Micrograms(*there - *here);
      Sums& group = GroupOf(run.owner);
      for (Sums* sums : {&total_, &group})
        sums->saved[run.owner.zone].Add(moved, rows, record.spec.scope);
    }
  }
  AddFigures(run.owner, *day, figures);
}

// Adds a job of which only sums are kept. Its kind of metering and of intensities is no longer
// known, so it counts as modelled, which has the widest bounds. It lies on the day on which it
// ended.
void PeriodAccount::Add(const PrunedJob& job) {
  const auto day = DayAt(report_.request.days, job.ended);
  if (!day) return;
  RunDay sum;
  PeriodRun run;
  run.owner = job.owner;
  LedgerRow unknown;
  unknown.source = core::EnergySource::kModel;
  unknown.intensity_status = core::SampleStatus::kModelled;
  unknown.pue = job.pue;
  unknown.energy = job.emissions ? job.energy_without_intensity : job.energy;
  LedgerRow known = unknown;
  known.energy = job.energy - unknown.energy;
  const double facility_kwh = known.energy.kwh() * job.pue.ratio;
  if (facility_kwh > 0)
    known.intensity = Intensity{job.emissions.value_or(Emissions{}).grams / facility_kwh};
  AddPart(run, known, sum);
  AddPart(run, unknown, sum);
  PeriodFigures figures = sum.Rounded();
  figures.runs = figures.ended = 1;
  figures.of_pruned = job.energy;
  report_.facts.AddPruned(job.work, job.owner.zone, job.pue);
  if (job.emissions && job.at_submission && unknown.energy == Energy{}) {
    figures.compared = 1;
    figures.compared_ug = figures.emissions_ug;
    figures.at_submission_ug =
        figures.compared_ug + Micrograms(job.at_submission->grams - job.emissions->grams);
    ++report_.saved_without_interval;
  }
  AddFigures(job.owner, *day, figures);
}

PeriodRow PeriodAccount::RowOf(const std::string& name, const Sums& sums) {
  PeriodRow row{name, sums.figures};
  const core::Uncertainty sure = sums.sure.Value();
  row.energy_half_j = sure.energy_share * sums.figures.energy.joules();
  row.emissions_half_g = sure.emissions_share * Grams(sums.figures.emissions_ug);
  row.market_half_g = sums.market_sure.Value().emissions_share * Grams(sums.figures.market_ug);
  row.saved_half_g = SavedHalfWidth(sums.saved) + sums.settled_half_g;
  return row;
}

PeriodReport PeriodAccount::Report() const {
  PeriodReport report = report_;
  report.total = RowOf("total", total_);
  for (const auto& [name, sums] : groups_) report.rows.push_back(RowOf(name, sums));
  std::stable_sort(report.rows.begin(), report.rows.end(),
                   [](const PeriodRow& a, const PeriodRow& b) {
                     if (a.name.empty() != b.name.empty()) return b.name.empty();
                     return a.figures.emissions_ug > b.figures.emissions_ug;
                   });
  return report;
}

}  // namespace ebb::report
