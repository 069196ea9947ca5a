#pragma once
// The GPUs that all jobs of a QOS may have together (GrpTRES=gres/gpu=N), and the count of a
// licence that accounting manages. sacctmgr reads and sets them; whoever calls it must be operator.

#include <optional>
#include <string>

#include "slurm/client/slurm_commands.h"

namespace ebb::slurm {

struct QuotaTarget {
  std::string qos;      ///< or empty
  std::string licence;  ///< name of a resource of accounting ("green"); empty: qos
  std::string name() const { return licence.empty() ? "QOS " + qos : "licence " + licence; }
};

/// The limit now; nullopt: there is none. An Error: accounting does not answer, or does not know
/// the target.
Result<std::optional<int>> ReadQuota(const RunCommand& run, const QuotaTarget& target);
/// The command that sets the limit; nullopt takes a QOS's limit away.
std::vector<std::string> QuotaCommand(const QuotaTarget& target, std::optional<int> gpus);
Status SetQuota(const RunCommand& run, const QuotaTarget& target, std::optional<int> gpus);

}  // namespace ebb::slurm
