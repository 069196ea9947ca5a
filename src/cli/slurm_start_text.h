#pragma once
// Says in a sentence when a job in Slurm starts, and what that saves. Pure.

#include <string>

#include "app/slurm/slurm_submission.h"
#include "cli/local_times.h"

namespace ebb::cli {

/// The relative saving of a start against starting now, in per cent; nullopt if it is not known.
std::optional<double> SavingOf(const app::StartChoice& choice);

/// "job 12 starts at Sat 03:00, in 9h: 141 g/kWh instead of 312, saves 55 %; at the latest Sat
/// 12:00". `who` is the subject.
std::string StartSentence(const std::string& who, const app::SlurmSubmission& submission, Time now,
                          const LocalTimes& times);

}  // namespace ebb::cli
