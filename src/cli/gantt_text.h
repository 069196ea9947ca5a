#pragma once
// A plan as text: one row per device, one letter per job, over a sparkline of the intensity.

#include <string>

#include "cli/local_times.h"
#include "sim/queue_plan.h"

namespace ebb::cli {

/// The chart with `columns` of time. Letters are those of LetterOf.
std::string GanttText(const sim::QueuePlan& plan, std::size_t columns, const LocalTimes& times);
/// The letter in the chart for a job of the table: a to z, A to Z, then '#'.
char LetterOf(std::size_t job);

}  // namespace ebb::cli
