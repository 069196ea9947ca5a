#include "app/run/run_files.h"

#include <algorithm>

#include "base/field_text.h"
#include "core/run/accounting.h"
#include "meter/machine.h"
#include "platform/file.h"
#include "platform/system_clock.h"
#include "report/run/codecarbon_csv.h"
#include "report/run/seal.h"

namespace ebb::app {
namespace {

using platform::Path;

// The time before and after a run whose signal is stored for reports.
constexpr Duration kContext = std::chrono::hours{6};

}  // namespace

Status WriteFlags(const Path& file, const FlagValues& flags) {
  return platform::WriteFileAtomically(file, Indented(ToFieldText(flags)) + "\n");
}

Result<FlagValues> ReadFlags(const Path& file) {
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(file, 1 << 20));
  EBB_ASSIGN_OR_RETURN(FlagValues values, FromFieldText<FlagValues>(text, file.string()));
  const auto signal = values.find("signal");
  if (signal != values.end() && signal->second == Name(signals::SignalSource::kProfile))
    values.try_emplace("zone", signals::kFallbackZone);  // default of earlier versions
  if (const auto zone = values.find("zone");
      zone != values.end() && zone->second == signals::kNeoProfile)
    values.try_emplace("neo-time-zone", "UTC");  // default of earlier versions
  return values;
}

Result<RunOptions> ReadOptions(const Path& directory) {
  EBB_ASSIGN_OR_RETURN(const FlagValues values, ReadFlags(directory / kOptionsFile));
  RunOptions options;
  EBB_RETURN_IF_ERROR(ApplyFlags(values, options));
  return options;
}

void DescribeMetering(const config::MeteringConfig& metering, const meter::MeterSet& meters,
                      core::RunSpec& spec) {
  spec.pue = metering.pue;
  spec.wue_l_per_kwh = metering.wue_l_per_kwh;
  if (metering.embodied.total.grams > 0) spec.embodied = metering.embodied;
  spec.scope = metering.scope;
  spec.sample_interval = metering.interval;
  spec.meters = meters.descriptions;
  spec.machine = meter::DescribeMachine(meters.gpu_models);
}

Interval TimeAround(const core::RunRecord& run) {
  Duration length{0};
  Time end = run.latest_start();
  for (const core::Attempt& attempt : run.attempts) {
    length += attempt.grid.length();
    end = std::max(end, attempt.grid.end);
  }
  return {run.spec.submitted - kContext, end + length + kContext};
}

Interval SettledAround(const core::RunRecord& run, Time now) {
  const Interval around = TimeAround(run);
  return run.spec.clock.replayed ? around : Overlap(around, {Time::min(), now});
}

// The test is by wall time. A replayed source, whose grid clock differs, revises nothing.
bool StillRuns(const core::RunRecord& run, Time now) {
  constexpr Duration kSilent{std::chrono::minutes{5}};
  for (const core::Attempt& attempt : run.attempts)
    if (attempt.outcome == core::AttemptOutcome::kRunning && now < attempt.wall.end + kSilent)
      return true;
  return false;
}

bool IsFinal(const core::RunRecord& run, bool revises, Time asked_at) {
  Time end = run.spec.created_wall;
  for (const core::Attempt& attempt : run.attempts) end = std::max(end, attempt.wall.end);
  return !revises || asked_at >= end + core::kRevisedFor;
}

Status StoreSignal(report::RunDirectory& directory, const core::RunRecord& run,
                   runtime::SignalFeed& feed) {
  const Time now = platform::WallNow();
  EBB_ASSIGN_OR_RETURN(const core::IntensitySeries signal, feed.Settled(SettledAround(run, now)));
  return directory.WriteSignal(signal, now, IsFinal(run, feed.Revises(), now));
}

Status StorePrices(report::RunDirectory& directory, const core::RunRecord& run,
                   const prices::PriceSource& prices) {
  return directory.WritePrices(prices.Over(TimeAround(run)));
}

Result<RunViews> WriteViews(const Path& directory) {
  EBB_ASSIGN_OR_RETURN(core::RunRecord run, report::ReadRun(directory));
  return WriteViews(directory, std::move(run));
}

Result<RunViews> WriteViews(const Path& directory, core::RunRecord run) {
  RunViews views;
  views.record = std::move(run);
  views.summary = report::Summarise(views.record);
  EBB_RETURN_IF_ERROR(report::WriteSummaries(directory, views.record, views.summary));
  // The file has one row for a run: a resumed run replaces the row of its earlier attempts.
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(
      directory / report::kEmissionsFile, report::EmissionsCsv(views.record, views.summary)));
  EBB_RETURN_IF_ERROR(report::SealRun(directory, platform::WallNow()));
  return views;
}

}  // namespace ebb::app
