#include "cli/report_settle.h"

#include <cstdio>
#include <optional>
#include <string>

#include "app/run/run_files.h"
#include "base/units_text.h"
#include "cli/error_text.h"
#include "cli/local_times.h"
#include "platform/file.h"
#include "platform/system_clock.h"
#include "report/json_parts.h"
#include "report/run/known_emissions.h"
#include "report/run/summary.h"
#include "signals/make_feed.h"

namespace ebb::cli {
namespace {

using platform::Path;

// The figures that a revision moves.
struct Settled {
  report::Summary before, after;
  core::SignalVersion version;
  int number = 0;  // number of the version
  bool is_new = false;
};

// A source answers only for a limited past. Older values stay unchanged.
Result<core::IntensitySeries> Newest(const core::RunRecord& run, const app::RunOptions& options,
                                     Time now) {
  EBB_ASSIGN_OR_RETURN(
      const core::IntensitySeries asked,
      signals::AskSettled(options.scheduler.signal, app::SettledAround(run, now), now));
  return core::IntensitySeries::Create(run.spec.signal,
                                       core::Filled(asked.samples(), run.signal.samples()));
}

Result<Settled> Settle(const Path& directory, bool dry_run) {
  EBB_ASSIGN_OR_RETURN(core::RunRecord run, report::ReadRun(directory));
  std::error_code code;
  if (!std::filesystem::exists(directory / app::kOptionsFile, code))
    return Fail({ExitCode::kConfiguration, "does not say where its signal came from",
                 directory.string(),
                 "settle the runs that it was merged from and merge them again; the service "
                 "settles its jobs by itself"});
  const Time now = platform::WallNow();
  if (app::StillRuns(run, now))
    return Fail(
        {ExitCode::kTryLater, "still runs", directory.string(), "settle it when it has ended"});
  EBB_ASSIGN_OR_RETURN(const app::RunOptions options, app::ReadOptions(directory));
  EBB_ASSIGN_OR_RETURN(core::IntensitySeries newest, Newest(run, options, now));
  Settled settled;
  settled.before = report::Summarise(run);
  settled.is_new = newest.samples() != run.signal.samples();
  const bool revises = signals::IsLive(options.scheduler.signal.source);
  const bool is_final = app::IsFinal(run, revises, now);
  if (!dry_run) {
    EBB_RETURN_IF_ERROR(report::AddSignalVersion(directory, newest, now, is_final));
    EBB_RETURN_IF_ERROR(report::ReadSignalAnew(directory, run));
    EBB_ASSIGN_OR_RETURN(app::RunViews views, app::WriteViews(directory, std::move(run)));
    run = std::move(views.record);
  } else {
    run.signal = std::move(newest);
    run.signal_versions.push_back({now, is_final, "", ""});
  }
  settled.after = report::Summarise(run);
  settled.version = run.signal_versions.back();
  settled.number = static_cast<int>(run.signal_versions.size());
  return settled;
}

std::string Change(const std::string& before, const std::string& after) {
  return before == after ? after + " as before" : before + " -> " + after;
}

std::string EmittedText(const report::Summary& summary) {
  return report::KnownEmissionsText(report::KnownEmissions(summary.totals),
                                    summary.totals.energy_without_intensity);
}

std::string SavingText(const report::Summary& summary) {
  const auto& at = summary.at_submission;
  if (!at || !at->saving) return "unknown";
  return at->saving->grams < 0 ? "worse by " + EmissionsText({-at->saving->grams})
                               : EmissionsText(*at->saving);
}

std::string BestText(const report::Summary& summary) {
  if (!summary.best_in_hindsight) return "not yet known";
  const core::Counterfactual& best = summary.best_in_hindsight->run;
  return EmissionsText(best.emissions) + " at " + LocalTimes::Now().Moment(best.start);
}

void Print(const Path& directory, const Settled& settled) {
  std::printf("%s\n", directory.c_str());
  std::printf("  emitted     %s\n",
              Change(EmittedText(settled.before), EmittedText(settled.after)).c_str());
  std::printf("  saved       %s\n",
              Change(SavingText(settled.before), SavingText(settled.after)).c_str());
  std::printf("  best start  %s\n",
              Change(BestText(settled.before), BestText(settled.after)).c_str());
  std::printf("  version     %d, %s, asked for %s, %s\n", settled.number,
              settled.is_new ? "revised" : "unchanged",
              LocalTimes::Now().Moment(settled.version.asked_at).c_str(),
              settled.version.is_final ? "final"
                                       : "not final: its provider may revise it, settle it again "
                                         "a week after the run's end");
}

nlohmann::ordered_json Json(const Path& directory, const Settled& settled) {
  const auto figures = [](const report::Summary& summary) -> report::Json {
    const auto& at = summary.at_submission;
    return {{"emissions_g", report::Maybe(report::KnownEmissions(summary.totals))},
            {"saving_g", at ? report::Maybe(at->saving) : report::Json()},
            {"best_start_g", report::Maybe(summary.best_in_hindsight, [](const auto& best) {
               return best.run.emissions.grams;
             })}};
  };
  return {{"run", directory.string()},         {"version", settled.number},
          {"revised", settled.is_new},         {"asked_at", FormatTime(settled.version.asked_at)},
          {"final", settled.version.is_final}, {"before", figures(settled.before)},
          {"after", figures(settled.after)}};
}

}  // namespace

Result<int> SettleRuns(const SettleRequest& request) {
  if (request.directories.empty())
    return Fail({ExitCode::kUsage, "no run directory is named", "", "ebb report settle runs/*"});
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  int exit_code = 0;
  for (const Path& directory : request.directories) {
    const auto settled = Settle(directory, request.dry_run);
    if (!settled) {
      std::fprintf(stderr, "ebb: %s\n", ErrorText(settled.error()).c_str());
      if (exit_code == 0) exit_code = static_cast<int>(settled.error().code);
    } else if (request.json) {
      all.push_back(Json(directory, *settled));
    } else {
      Print(directory, *settled);
    }
  }
  if (request.json) std::fputs(report::Document(all).c_str(), stdout);
  return exit_code;
}

}  // namespace ebb::cli
