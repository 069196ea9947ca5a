#include "cli/report_period.h"

#include <cstdio>
#include <filesystem>
#include <optional>

#include "app/options/when.h"
#include "app/slurm/job_runs.h"
#include "app/slurm/sacct.h"
#include "base/text.h"
#include "cli/say.h"
#include "platform/file.h"
#include "platform/system_clock.h"
#include "platform/terminal.h"
#include "report/period/billing_match.h"
#include "report/period/period_json.h"
#include "report/period/period_page.h"
#include "signals/cloud_regions.h"

namespace ebb::cli {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> Refuse(const std::string& what, const std::string& next) {
  return Fail({ExitCode::kUsage, what, "", next});
}

Result<std::vector<report::BillingExport>> ReadBilling(const std::vector<std::string>& files) {
  std::vector<report::BillingExport> exports;
  for (const std::string& file : files) {
    if (std::error_code code; fs::is_directory(file, code))
      return Refuse("--billing: " + file + " is a directory",
                    "name the runs before --billing: it takes every word that follows it");
    EBB_ASSIGN_OR_RETURN(const std::string text,
                         platform::ReadFile(file, report::kBillingLimitBytes));
    EBB_ASSIGN_OR_RETURN(report::BillingExport read, report::ParseBilling(text, file));
    for (report::BillingLine& line : read.lines) {
      // "West US 2" and westus2 are one region.
      std::string region = Lowercase(line.region);
      std::erase(region, ' ');
      if (const auto known = signals::CloudRegionFromText(read.provider + "/" + region);
          !region.empty() && known)
        line.zone = (*known)->zone;
    }
    exports.push_back(std::move(read));
  }
  return exports;
}

// Comparisons beside the report, each absent if it was not asked for.
struct Beside {
  std::optional<report::BillingReport> bill;
  std::optional<report::SlurmReport> accounting;
  const report::BillingReport* billing() const { return bill ? &*bill : nullptr; }
  const report::SlurmReport* slurm() const { return accounting ? &*accounting : nullptr; }
};

Status WriteFiles(const fs::path& directory, const report::PeriodReport& report,
                  const Beside& beside) {
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(directory));
  const auto write = [&](const char* name, const std::string& text) -> Status {
    EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(directory / name, text));
    std::fprintf(stderr, "wrote %s\n", (directory / name).c_str());
    return {};
  };
  EBB_RETURN_IF_ERROR(write("period.csv", report::PeriodCsv(report)));
  EBB_RETURN_IF_ERROR(
      write("period.json", report::PeriodJson(report, beside.billing(), beside.slurm())));
  EBB_RETURN_IF_ERROR(
      write("period.html", report::PeriodPage(report, beside.billing(), beside.slurm())));
  if (beside.bill) EBB_RETURN_IF_ERROR(write("billing.csv", report::BillingCsv(*beside.bill)));
  return beside.accounting ? write("slurm.csv", report::SlurmCsv(*beside.accounting)) : Status();
}

void Print(const std::string& format, const report::PeriodReport& report, const Beside& beside) {
  std::string text;
  if (format == "json")
    text = report::PeriodJson(report, beside.billing(), beside.slurm());
  else if (format == "csv")
    text = report::PeriodCsv(report);
  else
    text =
        report::PeriodText(report, platform::StdoutColumns()) +
        (beside.bill ? report::BillingText(*beside.bill, platform::StdoutColumns()) : "") +
        (beside.accounting ? report::SlurmText(*beside.accounting, platform::StdoutColumns()) : "");
  std::fputs(text.c_str(), stdout);
}

Result<report::SlurmReport> ReadSlurm(const std::string& source,
                                      const std::vector<std::string>& sources,
                                      const PeriodFlags& flags, Interval period) {
  EBB_ASSIGN_OR_RETURN(const prices::ZoneClock zone, app::ZoneOfUser(flags.time_zone));
  EBB_ASSIGN_OR_RETURN(auto rows, app::SlurmRowsOf(source, period, zone, platform::WallNow(),
                                                   slurm::RunOnThisMachine()));
  std::vector<std::string> notices;
  EBB_ASSIGN_OR_RETURN(const auto attempts,
                       app::MeasuredAttempts({sources.begin(), sources.end()}, period, notices));
  return report::BesideSlurm(std::move(rows), attempts);
}

}  // namespace

Result<int> ReportPeriod(const std::vector<std::string>& sources, const PeriodFlags& flags,
                         const std::string& format, const std::string& output_dir) {
  EBB_ASSIGN_OR_RETURN(const PeriodQuestion question,
                       ReadPeriodFlags(sources, flags, PeriodDates::kRequired));
  EBB_ASSIGN_OR_RETURN(const auto exports, ReadBilling(flags.billing));
  EBB_ASSIGN_OR_RETURN(const report::PeriodReport report, AccountPeriod(sources, flags, question));
  Beside beside;
  if (!exports.empty()) beside.bill = report::MatchBilling(exports, report);
  if (!flags.slurm.empty()) {
    EBB_ASSIGN_OR_RETURN(beside.accounting,
                         ReadSlurm(flags.slurm, sources, flags, report.request.period()));
  }
  if (!output_dir.empty()) EBB_RETURN_IF_ERROR(WriteFiles(output_dir, report, beside));
  Print(format, report, beside);
  return 0;
}

}  // namespace ebb::cli
