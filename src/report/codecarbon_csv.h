#pragma once
// emissions.csv as CodeCarbon 3.3.0 writes it: its 38 columns in its order and units, so that tools
// made for it read Ebb's runs. Units: kWh with PUE multiplied in, W without, kg, kg/s, seconds,
// GiB; local time without zone. Columns Ebb knows nothing about stay, empty.
//
// Source of the format: codecarbon/output_methods/emissions_data.py and file.py, version 3.3.0.

#include <filesystem>
#include <string>

#include "base/result.h"
#include "core/run.h"
#include "report/summary.h"

namespace ebb::report {

/// The header line and the run's line, without newlines.
std::string EmissionsCsvHeader();
std::string EmissionsCsvRow(const core::RunRecord& run, const Summary& summary);

/// Appends the run to `file`, creating it with a header. As CodeCarbon does, a file with another
/// set of columns is kept beside it as .bak and a new one is begun; the same columns in another
/// order are followed.
Status AppendEmissionsCsv(const std::filesystem::path& file, const core::RunRecord& run,
                          const Summary& summary);

}  // namespace ebb::report
