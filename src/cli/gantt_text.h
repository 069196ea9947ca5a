#pragma once
// A plan as text: one row per device, one letter per job, over a sparkline of the intensity.

#include <string>

#include "cli/local_times.h"
#include "sim/queue_plan.h"

namespace ebb::cli {

/// `columns` of time. Letters are those of LetterOf.
std::string GanttText(const sim::QueuePlan& plan, std::size_t columns, const LocalTimes& times);
/// a to z, A to Z, then '#': which job of the table a letter in the chart is.
char LetterOf(std::size_t job);

}  // namespace ebb::cli
