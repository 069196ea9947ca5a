#pragma once
// The figures of a simulation for the terminal, the page and JSON, and the sentences around them.

#include <string>
#include <vector>

#include "report/table_columns.h"
#include "sim/experiment.h"

namespace ebb::report {

std::optional<Emissions> KnownEmissions(const sim::Use& use);
/// "3.2 g", "3.2 g of what is known", or "unknown".
std::string EmittedText(const sim::Use& use);
/// A figure with its interval: "value", "low", "high".
Plain WithBounds(const std::optional<sim::Estimate>& estimate);
/// `idle_is_known`: how much free devices draw is known.
std::vector<Column<sim::PolicyFigures>> PolicyColumns(bool idle_is_known);
/// One row per policy, the bound last.
TextTable PolicyTable(const sim::Experiment& experiment);
/// Published, recomputed and our figures. No rows if nothing was published.
TextTable PublishedTable(const sim::Experiment& experiment);

/// "21 jobs on 2 devices, 43 start dates from 2021-02-01T01:00:00Z to ..., own forecast".
std::string ExperimentSentence(const sim::Experiment& experiment);
/// One line per site: the provider of its signal, and if it is measured or modelled.
std::vector<std::string> SignalSentences(const sim::Experiment& experiment);
/// Remarks that readers need for the figures: unknown intensity, missed deadlines, notes.
std::vector<std::string> Remarks(const sim::Experiment& experiment);

}  // namespace ebb::report
