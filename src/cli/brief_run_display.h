#pragma once
// Shows one of several runs in one line on stderr. The line is rewritten while the run waits and
// trains, and ends with the result. run_display.h shows a run in full.

#include <memory>
#include <string>

#include "app/options/run_options.h"
#include "app/run/run_display.h"

namespace ebb::cli {

/// `label` names the run: "[3/15] scheduled, seed 1".
std::unique_ptr<app::RunDisplay> MakeBriefRunDisplay(const std::string& label,
                                                     const app::RunOptions& options);

}  // namespace ebb::cli
