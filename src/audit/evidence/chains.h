#pragma once
// Checks that the files of a run directory are those that Ebb wrote and sealed: the link of every
// line, and what each seal states about chains and files (docs/run-directory.md, Chains and seals).

#include <optional>

#include "audit/evidence/findings.h"
#include "audit/evidence/run_files.h"

namespace ebb::audit {

enum class Sealing {
  kSealed,
  kGoesOn,     ///< lines were added after the last seal: the run goes on, or was killed
  kNeverYet,   ///< the files are chained, but not sealed yet
  kUnchained,  ///< the files are from a version of Ebb without chains
};

struct ChainFindings {
  Sealing sealing = Sealing::kUnchained;
  Check check;
  std::vector<std::string> notes;
  std::vector<Head> heads;
  std::optional<RunFiles> as_sealed;  ///< the files at the last seal, if the run goes on
};

ChainFindings CheckChains(const RunFiles& files);

}  // namespace ebb::audit
