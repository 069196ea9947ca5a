#pragma once
// emissions.csv as CodeCarbon 3.3.0 writes it: its 38 columns in its order and units, so that tools
// made for it read Ebb's runs. Units: kWh with PUE multiplied in, W without, kg, kg/s, seconds,
// GiB; local time without zone. Columns Ebb knows nothing about stay, empty. How a row gets into a
// file that several processes share: emissions_file.h.
//
// Source of the format: codecarbon/output_methods/emissions_data.py and file.py, version 3.3.0.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/run.h"
#include "report/run/summary.h"

namespace ebb::report {

/// Texts by column; absent columns are empty.
using EmissionsFields = std::map<std::string, std::string, std::less<>>;

/// The 38 columns in their order.
const std::vector<std::string>& EmissionsColumns();
EmissionsFields EmissionsFieldsOf(const core::RunRecord& run, const Summary& summary);
/// The fields in the order of `columns`, without newline.
std::string EmissionsLine(const std::vector<std::string>& columns, const EmissionsFields& fields);

/// A file with this run alone.
std::string EmissionsCsv(const core::RunRecord& run, const Summary& summary);

}  // namespace ebb::report
