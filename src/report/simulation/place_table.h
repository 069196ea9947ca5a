#pragma once
// The worth of the place and the time of jobs, for the terminal, the page and JSON alike. Empty
// if the scenario's jobs have no home.

#include <string>

#include "report/text_table.h"
#include "sim/experiment.h"

namespace ebb::report {

/// Makes a row for each alternative (sim/place_and_time.h) with its saving against home at once.
/// The table is empty if the alternatives are unknown.
TextTable PlaceTable(const sim::Experiment& experiment);

/// A sentence on the rows of PlaceTable.
std::string PlaceSentence();

/// "planner: 12 moves between sites, 3.1 kWh, 120 g in its figures"; empty without moves.
std::string MovesSentence(const sim::PolicyFigures& policy);

}  // namespace ebb::report
