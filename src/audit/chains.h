#pragma once
// Whether the files of a run directory are those that Ebb wrote and sealed: every line's link, and
// what each seal says of chains and files (docs/run-directory.md, Chains and seals).

#include <optional>

#include "audit/findings.h"
#include "audit/run_files.h"

namespace ebb::audit {

enum class Sealing {
  kSealed,
  kGoesOn,     ///< lines were added after the last seal: the run goes on, or was killed
  kNeverYet,   ///< chained, and nothing has been sealed yet
  kUnchained,  ///< written before there were chains
};

struct ChainFindings {
  Sealing sealing = Sealing::kUnchained;
  Check check;
  std::vector<std::string> notes;
  std::vector<Head> heads;
  std::optional<RunFiles> as_sealed;  ///< kGoesOn: the files as they were at the last seal
};

ChainFindings CheckChains(const RunFiles& files);

}  // namespace ebb::audit
