#pragma once
// The tables of a simulation as texts, for the terminal and the page.

#include <string>
#include <vector>

#include "report/text_table.h"
#include "sim/experiment.h"

namespace ebb::report {

/// "3.2 g", "3.2 g of what is known", or "unknown".
std::string EmittedText(const sim::Use& use);
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
