#include "cli/report_impact.h"

#include <cstdio>
#include <filesystem>

#include "base/text.h"
#include "platform/file.h"
#include "report/impact/impact.h"

namespace ebb::cli {
namespace {

Result<report::ImpactKindText> KindOf(const ImpactFlags& flags) {
  const std::string all = report::ImpactKindNames();
  if (flags.as.empty())
    return Fail({ExitCode::kUsage, "ebb report impact needs --as", "", "--as " + all});
  const auto kind = report::ImpactKindFromName(flags.as);
  if (!kind)
    return Fail({ExitCode::kUsage, "--as: " + Quoted(flags.as) + " is not accepted", "", all});
  return *kind;
}

Result<report::FunctionalUnit> UnitOf(const ImpactFlags& flags) {
  const auto unit = report::FunctionalUnitFromName(flags.functional_unit);
  if (!unit)
    return Fail({ExitCode::kUsage,
                 "--functional-unit: " + Quoted(flags.functional_unit) + " is not accepted", "",
                 "run, token, sample, step or epoch"});
  return *unit;
}

Status WriteReport(const std::filesystem::path& directory, std::string_view file,
                   const std::string& text) {
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(directory));
  EBB_RETURN_IF_ERROR(platform::WriteFileAtomically(directory / file, text));
  std::fprintf(stderr, "wrote %s\n", (directory / file).c_str());
  return {};
}

}  // namespace

void AddImpactFlags(Command& command, ImpactFlags& flags) {
  const auto text = [&](const char* name, const std::string& value, const char* help,
                        std::string ImpactFlags::*member) {
    command.Flag({name, value, help, "impact"}, [&flags, name, member](const std::string& given) {
      flags.*member = given;
      flags.given = name;
    });
  };
  text("as", report::ImpactKindNames(), "form of the report", &ImpactFlags::as);
  text("functional-unit", "run|token|sample|step|epoch",
       "R of the software carbon intensity (default run)", &ImpactFlags::functional_unit);
}

Result<int> ReportImpact(const std::vector<std::string>& sources, const ImpactFlags& flags,
                         const PeriodFlags& period, const std::string& version,
                         const std::string& output_dir) {
  EBB_ASSIGN_OR_RETURN(const report::ImpactKindText kind, KindOf(flags));
  EBB_ASSIGN_OR_RETURN(const report::FunctionalUnit unit, UnitOf(flags));
  if (!period.billing.empty() || !period.slurm.empty())
    return Fail({ExitCode::kUsage, "--billing and --slurm are for ebb report period", "",
                 "ebb report period --from DATE --to DATE DIR... --billing FILE"});
  EBB_ASSIGN_OR_RETURN(const PeriodQuestion question,
                       ReadPeriodFlags(sources, period, PeriodDates::kOptional));
  EBB_ASSIGN_OR_RETURN(const report::PeriodReport report, AccountPeriod(sources, period, question));
  const std::string text = report::ImpactText(report, {kind.kind, unit, version});
  if (!output_dir.empty()) EBB_RETURN_IF_ERROR(WriteReport(output_dir, kind.file, text));
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace ebb::cli
