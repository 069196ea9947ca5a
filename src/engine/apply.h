#pragma once
// How facts change the state. Private to the engine.

#include "base/result.h"
#include "engine/engine.h"

namespace ebb::engine {

/// The parts of an engine that a fact may change.
struct Folding {
  const Options& options;
  State& state;
  plan::Change& change;
  std::vector<core::JobId>& just_ended;
};

Status ApplyReport(Folding& fold, const JobReport& report);
Status ApplyObserved(Folding& fold, Time at, const ExecutorObserved& observed);
/// Moves the live job at `index` among the ended ones.
void EndJob(Folding& fold, std::size_t index, Stage stage, Time at);

}  // namespace ebb::engine
