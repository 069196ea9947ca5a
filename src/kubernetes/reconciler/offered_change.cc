#include "kubernetes/reconciler/offered_change.h"

namespace ebb::kubernetes {

std::optional<core::JobChange> ChangeTo(const core::Job& told, core::Job wanted, bool has_run) {
  if (has_run) {
    wanted.start_by = told.start_by;
    wanted.duration = told.duration;
  }
  // The pause cost depends on a node that may have to start, which is no reason for another job.
  wanted.pause_cost = told.pause_cost;
  // Objects do not know the speeds that were measured.
  if (wanted.speedup == told.speedup) wanted.learned_speedup = told.learned_speedup;
  const core::JobChange change = core::Difference(told, wanted);
  if (core::Changed(told, change) != wanted) return std::nullopt;
  return change;
}

}  // namespace ebb::kubernetes
