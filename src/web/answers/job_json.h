#pragma once
// Jobs as JSON, as the service shows them (docs/api.md).

#include <string>
#include <string_view>

#include "service/view.h"
#include "store/job_records.h"

namespace ebb::web {

/// One line for each list of jobs.
std::string JobToJson(const service::JobCard& card, bool whole);
/// Only what a list of jobs and a chart of devices show.
std::string JobRowToJson(const service::JobCard& card);
std::string JobToJson(const store::JobRecord& record);
/// With the happenings whose number is above `after_happening`.
std::string ViewToJson(const service::View& view, std::uint64_t after_happening = 0);
std::string RecurringToJson(const service::View& view);
std::string SignalsToJson(const service::View& view);
std::string ErrorToJson(const Error& error);

}  // namespace ebb::web
