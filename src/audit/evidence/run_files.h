#pragma once
// The files of a run directory that an audit reads, by name. The audit has its own reader because
// report/run_directory is one of the things that it audits.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::audit {

struct RunFiles {
  std::filesystem::path directory;
  std::map<std::string, std::string> texts;  ///< file contents by name: "ledger.jsonl",
                                             ///< "signals/20261122T193000Z-1.csv"

  bool Has(const std::string& name) const { return texts.contains(name); }
  /// Empty if there is no such file.
  std::string_view Text(const std::string& name) const {
    const auto found = texts.find(name);
    return found == texts.end() ? std::string_view() : std::string_view(found->second);
  }
};

/// Replaces the numbers that Python writes but JSON does not have (NaN, Infinity) by null.
std::string WithoutNonFinite(std::string_view text);

/// Fails if run.json is missing or a file cannot be read.
Result<RunFiles> ReadRunFiles(const std::filesystem::path& directory);

}  // namespace ebb::audit
