#pragma once
// A plan for a queue: the table that the terminal and the page share, and the page itself.

#include <string>

#include "report/text_table.h"
#include "sim/queue_plan.h"

namespace ebb::report {

/// One row per job: its time, place and grams, its grams against a start now, and the reason.
TextTable QueuePlanTable(const sim::QueuePlan& plan);
/// "expected 1.51 kg, 38.5 % less than all at once; no schedule under this forecast emits less than
/// 1.49 kg".
std::string QueuePlanSentence(const sim::QueuePlan& plan);
/// The segments of every job, for charts.
std::vector<std::vector<plan::Segment>> SegmentsOf(const sim::QueuePlan& plan);
std::vector<core::Job> JobsOf(const sim::QueuePlan& plan);

std::string QueuePlanPage(const sim::QueuePlan& plan);

}  // namespace ebb::report
