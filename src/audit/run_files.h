#pragma once
// The bytes of a run directory that an audit reads, by name. Its own reader: report/run_directory
// is what is audited.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb::audit {

struct RunFiles {
  std::filesystem::path directory;
  std::map<std::string, std::string> texts;  ///< "ledger.jsonl", "signals/20261122T193000Z-1.csv"

  bool Has(const std::string& name) const { return texts.contains(name); }
  /// Empty where there is no such file.
  std::string_view Text(const std::string& name) const {
    const auto found = texts.find(name);
    return found == texts.end() ? std::string_view() : std::string_view(found->second);
  }
};

/// What Python writes for numbers that JSON does not have, as null; other text as it is.
std::string WithoutNonFinite(std::string_view text);

/// Fails where run.json is missing or a file cannot be read.
Result<RunFiles> ReadRunFiles(const std::filesystem::path& directory);

}  // namespace ebb::audit
