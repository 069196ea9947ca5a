#pragma once
// The result of an audit: what was checked, and the differences.

#include <cstdint>
#include <string>
#include <vector>

namespace ebb::audit {

/// One kind of check and its result.
struct Check {
  static constexpr std::size_t kMostNamed = 10;

  std::string what;                      ///< "figures: 84 computed again"
  std::vector<std::string> differences;  ///< the first kMostNamed differences; empty if everything
                                         ///< agrees
  std::int64_t count = 0;                ///< number of all differences

  void Differ(std::string text) {
    if (++count <= static_cast<std::int64_t>(kMostNamed)) differences.push_back(std::move(text));
  }
};

/// The last link of a chain, for people to write down or to sign elsewhere.
struct Head {
  std::string of;  ///< "seals.jsonl", "job 7"
  std::string link;
};

struct Audit {
  std::string subject;  ///< the directory or the store
  std::vector<Check> checks;
  std::vector<std::string> notes;         ///< notes for the reader that are not differences
  std::vector<std::string> not_computed;  ///< fields that the files state and that cannot be
                                          ///< computed again
  std::vector<Head> heads;

  bool agrees() const {
    for (const Check& check : checks)
      if (check.count > 0) return false;
    return true;
  }
};

}  // namespace ebb::audit
