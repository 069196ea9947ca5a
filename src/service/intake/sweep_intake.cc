#include "service/intake/sweep_intake.h"

#include "core/jobs/owner_variables.h"

namespace ebb::service {

Result<bool> SweepIntake::Begin(Submit& submit, Time now) {
  if (!submit.sweep) return false;
  NewSweep& sweep = *submit.sweep;
  bool is_new = false;
  if (sweep.id == 0) {
    store::SweepRecord record{0,
                              sweep.name,
                              sweep.key,
                              now,
                              sweep.halving,
                              sweep.budget,
                              core::VariableOf(submit.submission, core::kUserVariable)};
    EBB_ASSIGN_OR_RETURN(const auto added, store_.AddSweep(record));
    sweep.id = record.id = added.id;
    is_new = !added.existing;
    if (is_new) halving_.Begin(record);
    if (is_new) budgets_.Begin(record);
  }
  submit.submission.sweep = sweep.id;
  return is_new;
}

Status SweepIntake::Add(const core::Submission& submission, bool begun) {
  EBB_RETURN_IF_ERROR(halving_.Add(submission, begun));
  return budgets_.Add(submission);
}

void SweepIntake::End(core::JobId job) {
  halving_.End(job);
  budgets_.End(job);
}

}  // namespace ebb::service
