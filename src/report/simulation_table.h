#pragma once
// The table of a simulation as texts: what the terminal and the page both print.

#include <string>
#include <vector>

#include "sim/experiment.h"

namespace ebb::report {

struct TextTable {
  std::vector<std::string> headers;
  std::vector<std::vector<std::string>> rows;  ///< the first cell of a row is its name
  bool ends_in_text = false;                   ///< the last column is a sentence
};

/// One row per policy, the bound last.
TextTable PolicyTable(const sim::Experiment& experiment);
/// Published, recomputed, ours. No rows where nothing was published.
TextTable PublishedTable(const sim::Experiment& experiment);

/// "21 jobs on 2 devices, 43 start dates from 2021-02-01T01:00:00Z to ..., own forecast".
std::string ExperimentSentence(const sim::Experiment& experiment);
/// One line per site: whose signal, measured or modelled.
std::vector<std::string> SignalSentences(const sim::Experiment& experiment);
/// What a reader must know to read the figures right: unknown intensity, missed deadlines, notes.
std::vector<std::string> Remarks(const sim::Experiment& experiment);
/// Grams; kilograms where all values of a column would be large.
std::string GramsText(double grams);

}  // namespace ebb::report
