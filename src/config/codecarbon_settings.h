#pragma once
// The settings that a user of CodeCarbon has: `.codecarbon.config` in the home and in the working
// directory (INI, section [codecarbon]) and environment variables CODECARBON_<KEY> in any case.
// Later ones win: home, working directory, environment. This file only reads them;
// app/options/codecarbon_flags.h translates them for Ebb.
//
// Source: codecarbon/core/config.py, version 3.3.0, and Python's configparser, whose rules the
// files follow: "=" or ":", comment lines with "#" or ";", indented lines continue a value, keys in
// any case, [DEFAULT] fills in, "%%" is a percent sign. References "%(key)s" are refused.

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::config {

struct CodeCarbonSetting {
  std::string value;
  std::string origin;  ///< "CODECARBON_PUE", "./.codecarbon.config:4"; empty if a program set it
};
/// Settings by key, in lower case and without CODECARBON_. Values may be secrets: print only keys
/// and origins.
using CodeCarbonSettings = std::map<std::string, CodeCarbonSetting>;

inline constexpr const char* kCodeCarbonFile = ".codecarbon.config";

/// The [codecarbon] section of a file; empty if the file has none. Errors name file and line.
Result<CodeCarbonSettings> ParseCodeCarbonFile(std::string_view text, const std::string& where);
/// The settings in environment variables of the form NAME=value.
CodeCarbonSettings CodeCarbonFromEnvironment(std::span<const std::string> environment);

/// The settings of both files and the environment. A directory that is empty or holds no such file
/// adds nothing.
Result<CodeCarbonSettings> LoadCodeCarbonSettings(const std::string& home_directory,
                                                  const std::string& working_directory,
                                                  std::span<const std::string> environment);

}  // namespace ebb::config
