#pragma once
// gate_inputs.jsonl: what each decision of a run's gate was made from, so that it can be made again
// (`ebb audit`). A line for the gate (request, policy, prices), then one for each decision in the
// order of decisions.jsonl: the values that were known and the forecast. Of the known values a line
// holds what is new against the line before. Chained. Layout: docs/run-directory.md.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/intensity.h"
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
  Time read_from_;  ///< no policy of this gate looks at values that ended before
  std::vector<core::Sample> before_;
};

}  // namespace ebb::report
