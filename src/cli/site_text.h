#pragma once
// The sites of the service as text.

#include <optional>
#include <string>

#include "cli/local_times.h"

namespace ebb::cli {

/// The sites of the service as a table, from its answer about its sites or its status. Empty if the
/// answer has none. Without `times` they are by the clock of the answer.
std::string SitesText(const std::string& answer, std::optional<LocalTimes> times = {});

/// The emissions that a job would have at each site, as a table, from the service's answer about
/// the job. Empty if the job has ended, or if the service has one site.
std::string SiteChoicesText(const std::string& job, const LocalTimes& times);

/// The emissions that an ended job would have had at other places and times, as a table, from the
/// service's answer about the job. Empty if it has no such figures.
std::string PlaceAndTimeText(const std::string& job, const LocalTimes& times);

}  // namespace ebb::cli
