#pragma once
// Reads the text of a flag or a setting by the option's entry in the table
// (config/options/run_option.h).

#include <string>

#include "base/result.h"
#include "config/options/run_option.h"

namespace ebb::app {

/// Sets the option to this text. The Error names the flag and says what is accepted.
Status SetOption(const config::RunOption& option, const std::string& text,
                 config::RunOptions& options);

}  // namespace ebb::app
