#pragma once
// gate_inputs.jsonl: the inputs of each decision of a run's gate, so that `ebb audit` can decide
// again. One line for the gate (request, policy, prices), then one for each decision in the order
// of decisions.jsonl: the known values and the forecast. A line holds only those known values that
// the line before does not have. Chained. Layout: docs/run-directory.md.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/signal/intensity.h"
#include "plan/gate_policy.h"
#include "plan/price_blend.h"
#include "report/run/chained_lines.h"

namespace ebb::report {

struct GateSetup {
  plan::GateRequest request;
  int attempt = 1;
  std::string policy;
  std::optional<Intensity> threshold;
  std::optional<plan::PriceGateOptions> prices;
};

class GateInputsFile {
 public:
  static Result<GateInputsFile> Begin(const std::filesystem::path& directory,
                                      const GateSetup& setup);
  /// Call it once for each decision.
  Status Append(const core::SignalView& view, Time next_change, const std::string& failure);

 private:
  GateInputsFile(ChainedLines lines, Time read_from)
      : lines_(std::move(lines)), read_from_(read_from) {}
  ChainedLines lines_;
  Time read_from_;  ///< no policy of this gate reads values that ended before
  std::vector<core::Sample> before_;
};

}  // namespace ebb::report
