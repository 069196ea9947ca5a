#pragma once
// The options of jobs (core/options/job_options.h) as a table of keys of files.

#include "config/section_table.h"
#include "core/options/job_options.h"

namespace ebb::config {

/// The options that may stand in a place and need nothing but their value.
SectionTable<core::Submission> JobOptionTable(core::Place place);

}  // namespace ebb::config
