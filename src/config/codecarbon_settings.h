#pragma once
// What a user of CodeCarbon has configured: `.codecarbon.config` in the home and in the working
// directory (INI, section [codecarbon]) and environment variables CODECARBON_<KEY> in any case.
// Later ones win: home, working directory, environment. Only what stands there; what it means to
// Ebb is for app/options/codecarbon_flags.h.
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
  std::string origin;  ///< "CODECARBON_PUE", "./.codecarbon.config:4"; empty: said by a program
};
/// By key, in lower case and without CODECARBON_. Values may be secrets: print keys and origins.
using CodeCarbonSettings = std::map<std::string, CodeCarbonSetting>;

inline constexpr const char* kCodeCarbonFile = ".codecarbon.config";

/// The [codecarbon] section of a file; empty where there is none. Errors name file and line.
Result<CodeCarbonSettings> ParseCodeCarbonFile(std::string_view text, const std::string& where);
/// From texts NAME=value.
CodeCarbonSettings CodeCarbonFromEnvironment(std::span<const std::string> environment);

/// All three together. A directory that is empty or holds no such file adds nothing.
Result<CodeCarbonSettings> LoadCodeCarbonSettings(const std::string& home_directory,
                                                  const std::string& working_directory,
                                                  std::span<const std::string> environment);

}  // namespace ebb::config
