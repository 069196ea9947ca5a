#pragma once
// Rules for the keys of jobs in files, made from the table of job options
// (core/options/job_options.h).

#include <map>
#include <string>
#include <vector>

#include "config/key_reader.h"
#include "core/options/job_options.h"

namespace ebb::config {

/// Reads the options of a place whose value is all that they need into a submission. Both must
/// outlive the rules.
class JobOptionKeys {
 public:
  JobOptionKeys(core::Place place, core::Submission& submission)
      : place_(place), submission_(submission) {}

  std::vector<KeyRule> Rules();
  bool Has(std::string_view key) const { return lines_.contains(key); }
  /// 0: the file does not give the key.
  int LineOf(std::string_view key) const;

 private:
  void Read(const core::JobOption& option, const YamlNode& value, Problems& problems);

  core::Place place_;
  core::Submission& submission_;
  std::map<std::string, int, std::less<>> lines_;
};

}  // namespace ebb::config
