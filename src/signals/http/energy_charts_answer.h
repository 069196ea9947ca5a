#pragma once
// The common part of all answers of Energy-Charts (https://api.energy-charts.info, Fraunhofer ISE):
// a list of times, and lists of as many values beside it. Pure.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_node.h"
#include "base/time.h"

namespace ebb::signals {

inline constexpr const char* kEnergyChartsUrl = "https://api.energy-charts.info";

/// The times of the answer, each later than the one before.
Result<std::vector<Time>> EnergyChartsTimes(const JsonNode& root, std::string_view body,
                                            const std::string& where);

/// The list of that name, with `count` entries; nullptr if there is none.
const JsonNode* EnergyChartsList(const JsonNode& root, std::string_view name, std::size_t count);

}  // namespace ebb::signals
