#pragma once
// Rules for the keys of jobs in files, made from the table of job options
// (core/options/job_options.h).

#include <map>
#include <string>
#include <vector>

#include "config/yaml/key_reader.h"
#include "core/options/job_options.h"

namespace ebb::config {

/// Reads job options that need nothing but their value into a submission. The submission and this
/// object must outlive the rules.
class JobOptionKeys {
 public:
  JobOptionKeys(core::Place place, core::Submission& submission)
      : place_(place), submission_(submission) {}

  std::vector<KeyRule> Rules();
  bool Has(std::string_view key) const { return lines_.contains(key); }
  /// The line of the key; 0 if the file does not give it.
  int LineOf(std::string_view key) const;

 private:
  void Read(const core::JobOption& option, const YamlNode& value, Problems& problems);

  core::Place place_;
  core::Submission& submission_;
  std::map<std::string, int, std::less<>> lines_;
};

}  // namespace ebb::config
