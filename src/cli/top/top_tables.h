#pragma once
// A look at a service as lines and tables for people: what ebb top draws, and what it prints with
// --once. Pure.

#include <string>
#include <vector>

#include "cli/local_times.h"
#include "cli/top/top_sample.h"
#include "report/text_table.h"

namespace ebb::cli {

/// A line for each site's grid, one for power, energy and grams, one for jobs and devices, and one
/// for each trouble. Printable; not cut.
std::vector<std::string> TopHeader(const TopSample& sample, const LocalTimes& times);

/// Jobs in the order given.
report::TextTable TopJobTable(const std::vector<TopJob>& jobs, const LocalTimes& times);
/// The columns of that table that are left out if there is no room, the last one first.
inline constexpr std::size_t kTopFirstExtra = 6, kTopExtras = 6;

report::TextTable TopDeviceTable(const std::vector<TopDevice>& devices);

}  // namespace ebb::cli
