#pragma once
// The section `start_dates` of a scenario: a list of moments, a rule for many, or "recorded" for a
// job trace that has dates.

#include <optional>
#include <vector>

#include "config/yaml/key_reader.h"

namespace ebb::config {

/// The dates in order, without duplicates. `first_recorded` is the date that "recorded" stands for,
/// if the jobs have dates.
std::vector<Time> ReadStartDates(const YamlNode& section, std::optional<Time> first_recorded,
                                 Problems& problems);

}  // namespace ebb::config
