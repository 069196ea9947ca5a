#include "kubernetes/reconciler/offered_change.h"

namespace ebb::kubernetes {
namespace {

template <typename Value>
void Compare(const std::optional<Value>& told, const std::optional<Value>& wanted,
             std::optional<Value>& change, bool& drop) {
  if (told == wanted) return;
  change = wanted;
  drop = !wanted;
}

}  // namespace

std::optional<core::JobChange> ChangeTo(const core::Job& told, core::Job wanted, bool has_run) {
  if (has_run) {
    wanted.start_by = told.start_by;
    wanted.duration = told.duration;
  }
  // The pause cost depends on a node that may have to start, which is no reason for another job.
  wanted.pause_cost = told.pause_cost;
  core::JobChange change;
  if (wanted.tier != told.tier) change.tier = wanted.tier;
  if (wanted.priority != told.priority) change.priority = wanted.priority;
  if (wanted.duration != told.duration) change.duration = wanted.duration;
  Compare(told.threshold, wanted.threshold, change.threshold, change.drop_threshold);
  Compare(told.start_by, wanted.start_by, change.start_by, change.drop_start_by);
  Compare(told.finish_by, wanted.finish_by, change.finish_by, change.drop_finish_by);
  if (core::Changed(told, change) != wanted) return std::nullopt;
  return change;
}

}  // namespace ebb::kubernetes
