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

<<<<<<< HEAD
// "35", "35 g/kWh", "35:DE", "35 g/kWh:DE".
Result<report::SupplyFactor> FactorOf(const std::string& flag, const std::string& text) {
  report::SupplyFactor factor;
  std::string_view rest = text;
  if (const auto colon = rest.find(':'); colon != std::string_view::npos) {
    factor.zone = Trim(rest.substr(colon + 1));
    rest = rest.substr(0, colon);
  }
  rest = Trim(rest);
  if (rest.ends_with("g/kWh")) rest = Trim(rest.substr(0, rest.size() - 5));
  const auto number = ParseNumber(rest);
  if (!number || *number < 0 || *number > kHighestFactor)
    return Refuse(flag + ": " + Quoted(text) + " is not an emission factor",
                  "give grams per kWh, for one zone if you like: 35, or 0:DE");
  factor.intensity = {*number};
  return factor;
}

Result<std::vector<report::SupplyFactor>> FactorsOf(const std::string& flag,
                                                    const std::string& texts) {
  std::vector<report::SupplyFactor> factors;
  if (texts.empty()) return factors;
  for (const std::string_view text : Split(texts, ',')) {
    EBB_ASSIGN_OR_RETURN(report::SupplyFactor factor, FactorOf(flag, std::string(text)));
    for (const report::SupplyFactor& other : factors)
      if (other.zone == factor.zone)
        return Refuse(flag + ": " + Quoted(text) + " is a second factor for " +
                          (factor.zone.empty() ? "all zones" : factor.zone),
                      "give one for each zone");
    factors.push_back(std::move(factor));
  }
  return factors;
}

Result<report::PeriodRequest> RequestOf(const PeriodFlags& flags) {
  report::PeriodRequest request;
  if (flags.from.empty() || flags.to.empty())
    return Refuse("a period needs --from and --to",
                  "ebb report period --from 2026-10-01 --to 2026-11-01 runs");
  EBB_ASSIGN_OR_RETURN(const prices::ZoneClock zone, app::ZoneOfUser(flags.time_zone));
  EBB_ASSIGN_OR_RETURN(const Time from, app::MomentOf("--from", flags.from, zone));
  EBB_ASSIGN_OR_RETURN(const Time to, app::MomentOf("--to", flags.to, zone));
  if (to <= from || to - from > kLongestPeriod)
    return Refuse("--to has to be after --from, by 100 years at most",
                  "the day of --to is not part of the period");
  const auto by = report::PeriodByFromName(flags.by);
  if (!by)
    return Refuse("--by: " + Quoted(flags.by) + " is not accepted",
                  "project, user, zone, site or run");
  request.by = *by;
  request.days = DaysOf({from, to}, zone);
  request.from = LocalMinute(from, zone);
  request.to = LocalMinute(to, zone);
  request.time_zone = zone.name();
  request.with_replayed = flags.include_replayed;
  EBB_ASSIGN_OR_RETURN(request.supplier, FactorsOf("--supplier-factor", flags.supplier_factors));
  EBB_ASSIGN_OR_RETURN(request.residual_mix, FactorsOf("--residual-mix", flags.residual_mix));
  return request;
}

// Emissions of unlike boundaries are never summed.
Result<core::Boundary> BoundaryOf(const PeriodFlags& flags, const app::PeriodSources& sources) {
  if (!flags.boundary.empty()) {
    if (const auto boundary = core::BoundaryFromName(flags.boundary)) return *boundary;
    return Refuse("--boundary: " + Quoted(flags.boundary) + " is not accepted",
                  "lifecycle, direct or unknown");
  }
  const auto boundaries = sources.Boundaries();
  if (boundaries.empty()) return core::Boundary::kUnknown;
  if (boundaries.size() == 1) return boundaries.begin()->first;
  std::vector<std::string> texts;
  for (const auto& [boundary, runs] : boundaries)
    texts.push_back(std::to_string(runs) + " " + std::string(core::Name(boundary)));
  return Refuse("the runs are accounted within different boundaries: " + Join(texts, ", "),
                "give --boundary: the grams of the others then count as not known");
}

=======
>>>>>>> 9aa0a063 (ebb report impact: model card, paper, SCI, GHG Protocol Scope 2 and ESRS E1 from the same figures)
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

<<<<<<< HEAD
void AddPeriodFlags(Command& command, PeriodFlags& flags) {
  const auto text = [&](const char* name, const char* value, const char* help,
                        std::string PeriodFlags::*member) {
    command.Flag({name, value, help, "period"}, [&flags, name, member](const std::string& given) {
      flags.*member = given;
      flags.given = name;
    });
  };
  text("from", "DATE", "first day, by the local clock; or a time", &PeriodFlags::from);
  text("to", "DATE", "the day after the last one", &PeriodFlags::to);
  text("time-zone", "NAME", "time zone of the days, e.g. Europe/Berlin (default: yours)",
       &PeriodFlags::time_zone);
  text("by", "project|user|zone|site|run", "one row for each of these (default project)",
       &PeriodFlags::by);
  text("boundary", "lifecycle|direct|unknown",
       "emissions boundary, if the runs have different ones", &PeriodFlags::boundary);
  text("supplier-factor", "G_PER_KWH[:ZONE],...",
       "factor of electricity under contract: adds market-based emissions",
       &PeriodFlags::supplier_factors);
  text("residual-mix", "G_PER_KWH[:ZONE],...", "factor for energy without a contract",
       &PeriodFlags::residual_mix);
  command.List(
      {"billing", "FILE", "carbon export of AWS, Google Cloud or Azure to compare with", "period"},
      &flags.billing);
  text("slurm", "FILE", "Slurm's accounting to compare with: sacct, or a file that sacct -P wrote",
       &PeriodFlags::slurm);
  command.Switch({"include-replayed", "", "include runs on a replayed grid clock", "period"},
                 [&flags] {
                   flags.include_replayed = true;
                   flags.given = "include-replayed";
                 });
}

=======
>>>>>>> 9aa0a063 (ebb report impact: model card, paper, SCI, GHG Protocol Scope 2 and ESRS E1 from the same figures)
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
