// ebb report merge DIR...: merges run directories that belong to one run. ebb report settle DIR...:
// updates runs with the values that their sources have published since. ebb report period: reports
// many runs over a period. ebb report impact: reports runs in the forms that others ask for.
#include <cstdio>

#include "app/run/run_files.h"
#include "base/text.h"
#include "base/units_text.h"
#include "cli/command_line.h"
#include "cli/local_times.h"
#include "cli/report_impact.h"
#include "cli/report_period.h"
#include "cli/report_settle.h"
#include "cli/say.h"
#include "report/run/merged_run.h"
#include "report/run/summary.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb report merge runs/rank0-* runs/rank1-*
  ebb report merge node-a/run node-b/run --output-dir runs/whole --format json
  ebb report settle runs/*
  ebb report period --from 2026-10-01 --to 2026-11-01 runs
  ebb report period --from 2026-01-01 --to 2027-01-01 --by user /var/lib/ebb/ebb.db \
      --supplier-factor 0:DE --residual-mix 720:DE --billing google.csv --output-dir report
  ebb report impact --as model-card runs/my-model
  ebb report impact --as sci --functional-unit token runs/my-model
  ebb report impact --as ghg --from 2026-01-01 --to 2027-01-01 --supplier-factor 0:DE ebb.db

Ranks of a distributed job and attempts on several machines are one run. A device that several ranks
metered as a whole counts once, shares of process trees add up (docs/METHOD.md, One run). The merged
directory is a run directory: ebb summary, ebb compare and ebb report merge read it.

Providers of carbon intensity revise what they have published, and publish the last hours of a run
after its end. settle asks again and computes the run's figures anew; earlier versions of the
signal are kept beside it (docs/METHOD.md, Settling).

period sums up what runs used, emitted and saved, from run directories, folders of them and stores
of services (docs/report-period.md). Days are local; the day of --to is not part of it.

impact states the same figures as a section of a model card or of a paper, as a software carbon
intensity (SCI), as Scope 2 of the GHG Protocol, or as data points of ESRS E1
(docs/report-impact.md). Without --from and --to it covers the runs from the first to the last.)";

struct ReportRequest {
  std::vector<std::string> words;  // the action and the directories
  std::string output_dir, name;
  std::string format = "text";
  bool dry_run = false;
  PeriodFlags period;
  ImpactFlags impact;
  std::string version;  // of this program
};

std::vector<report::Path> DirectoriesOf(const ReportRequest& request) {
  return {request.words.begin() + 1, request.words.end()};
}

Result<int> Merge(const ReportRequest& request) {
  if (request.dry_run)
    return Fail({ExitCode::kUsage, "--dry-run is for settle", "",
                 "without --output-dir, merge writes nothing"});
  const std::vector<report::Path> directories = DirectoriesOf(request);
  if (directories.empty())
    return Fail({ExitCode::kUsage, "no run directory is named", "",
                 "ebb report merge runs/rank0 runs/rank1"});
  EBB_ASSIGN_OR_RETURN(const report::MergedRun merged,
                       report::MergeRuns(directories, request.name));
  for (const std::string& notice : merged.notices) SayNote(notice);
  if (merged.not_counted > Energy{})
    SayNote(EnergyText(merged.not_counted) + " were metered more than once and count once");
  if (!request.output_dir.empty()) {
    EBB_RETURN_IF_ERROR(report::WriteMergedRun(request.output_dir, merged));
    EBB_RETURN_IF_ERROR(app::WriteViews(request.output_dir));
  }
  const report::Summary summary = report::Summarise(merged.record);
  const std::string text =
      request.format == "json"
          ? report::SummaryJson(merged.record, summary)
          : ForStdout(LocalTimes::Now().InText(report::SummaryText(merged.record, summary)));
  std::fputs(text.c_str(), stdout);
  return 0;
}

Result<int> Impact(const ReportRequest& request) {
  if (request.format != "text")
    return Fail({ExitCode::kUsage, "--format is not for impact", "", "--as names the form"});
  return ReportImpact({request.words.begin() + 1, request.words.end()}, request.impact,
                      request.period, request.version, request.output_dir);
}

Result<int> Report(const ReportRequest& request) {
  const std::string action = request.words.empty() ? "" : request.words.front();
  if (action != "impact" && !request.impact.given.empty())
    return Fail({ExitCode::kUsage, "--" + request.impact.given + " is for impact", "",
                 "ebb report --help"});
  if (action == "period")
    return ReportPeriod({request.words.begin() + 1, request.words.end()}, request.period,
                        request.format, request.output_dir);
  if (action == "impact") return Impact(request);
  if (request.format == "csv" || !request.period.given.empty())
    return Fail({ExitCode::kUsage,
                 (request.format == "csv" ? "--format csv" : "--" + request.period.given) +
                     " is for period",
                 "", "ebb report --help"});
  if (action == "merge") return Merge(request);
  if (action == "settle")
    return SettleRuns({DirectoriesOf(request), request.dry_run, request.format == "json"});
  const std::vector<std::string> actions{"impact", "merge", "period", "settle"};
  return Fail(
      {ExitCode::kUsage,
       "\"" + action + "\" is not an action of ebb report" + SuggestionText(action, actions), "",
       "ebb report impact ..., merge DIR..., period ..., or settle DIR..."});
}

}  // namespace

void AddReportCommand(Parser& parser, const std::string& version) {
  Command& command = parser.Add(
      "report", "merge the runs of several ranks, settle figures, report on runs to others",
      kExamples);
  auto request = std::make_shared<ReportRequest>();
  request->version = version;
  command.Positionals("ACTION", "merge DIR..., settle DIR..., period DIR..., or impact DIR...",
                      &request->words);
  command.Flag(
      {"output-dir", "DIR", "also write the merged run directory, or the files of a report"},
      [request](const std::string& text) { request->output_dir = text; });
  command.Flag({"name", "NAME", "name of the merged run (default the first member's)"},
               [request](const std::string& text) { request->name = text; });
  command.Flag({"format", "text|json|csv", "output format (csv: for period)"},
               [request](const std::string& text) { request->format = text; });
  command.Switch({"dry-run", "", "settle: ask and say what changes, write nothing"},
                 [request] { request->dry_run = true; });
  AddImpactFlags(command, request->impact);
  AddPeriodFlags(command, request->period);
  command.Action([request] { return Report(*request); });
}

}  // namespace ebb::cli
