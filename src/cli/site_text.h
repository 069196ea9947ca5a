#pragma once
// The sites of the service as text.

#include <string>

#include "cli/local_times.h"

namespace ebb::cli {

/// What a job would emit at each site, as a table, from the service's answer about the job. Empty
/// if the job has ended, or if the service has one site.
std::string SiteChoicesText(const std::string& job, const LocalTimes& times);

}  // namespace ebb::cli
