#pragma once
// A run as people see it, on stderr: lines that stay, and one that is rewritten (display.h). With
// --format json the run's summary goes to stdout.

#include <memory>

#include "app/options/run_options.h"
#include "app/run/run_display.h"

namespace ebb::cli {

std::unique_ptr<app::RunDisplay> MakeRunDisplay(const app::RunOptions& options);

}  // namespace ebb::cli
