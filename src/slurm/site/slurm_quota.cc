#include "slurm/site/slurm_quota.h"

#include "base/text.h"

namespace ebb::slurm {
namespace {

constexpr std::string_view kGpus = "gres/gpu=";

Result<std::string> Run(const RunCommand& run, const std::vector<std::string>& command) {
  EBB_ASSIGN_OR_RETURN(platform::ProgramEnd end, run(command));
  if (end.exit_code == 0) return std::move(end.output);
  // sacctmgr reports some refusals on standard output.
  const std::string said(Trim(end.errors.empty() ? end.output : end.errors));
  return Fail({ExitCode::kUnavailable, said, "sacctmgr",
               "see whether slurmdbd runs, and whether this user is operator: sacctmgr show user"});
}

}  // namespace

Result<std::optional<int>> ReadQuota(const RunCommand& run, const QuotaTarget& target) {
  const bool is_licence = !target.licence.empty();
  const std::string& name = is_licence ? target.licence : target.qos;
  EBB_ASSIGN_OR_RETURN(
      const std::string text,
      Run(run, {"sacctmgr", "-n", "-P", "show", is_licence ? "resource" : "qos", "where",
                "name=" + name, is_licence ? "format=Name,Count" : "format=Name,GrpTRES"}));
  const auto cells = Split(Trim(std::string_view(text).substr(0, text.find('\n'))), '|');
  if (cells.size() < 2)
    return Fail({ExitCode::kConfiguration, "accounting does not know it", target.name(),
                 "make it: sacctmgr add " + std::string(is_licence ? "resource" : "qos")});
  if (is_licence) {
    const auto count = ParseInteger(cells[1]);
    return count ? std::optional(static_cast<int>(*count)) : std::nullopt;
  }
  for (const std::string_view limit : Split(cells[1], ','))
    if (limit.starts_with(kGpus))
      if (const auto gpus = ParseInteger(limit.substr(kGpus.size())))
        return std::optional(static_cast<int>(*gpus));
  return std::optional<int>();
}

std::vector<std::string> QuotaCommand(const QuotaTarget& target, std::optional<int> gpus) {
  std::vector<std::string> command{"sacctmgr", "-i", "modify"};
  if (!target.licence.empty())
    for (std::string word :
         {std::string("resource"), std::string("where"), "name=" + target.licence,
          std::string("set"), "count=" + std::to_string(gpus.value_or(0))})
      command.push_back(std::move(word));
  else
    for (std::string word :
         {std::string("qos"), std::string("where"), "name=" + target.qos, std::string("set"),
          "GrpTRES=" + std::string(kGpus) + std::to_string(gpus.value_or(-1))})
      command.push_back(std::move(word));
  return command;
}

Status SetQuota(const RunCommand& run, const QuotaTarget& target, std::optional<int> gpus) {
  EBB_ASSIGN_OR_RETURN(const std::string said, Run(run, QuotaCommand(target, gpus)));
  return {};
}

}  // namespace ebb::slurm
