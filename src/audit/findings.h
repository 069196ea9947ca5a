#pragma once
// What an audit looked at, and what did not agree.

#include <cstdint>
#include <string>
#include <vector>

namespace ebb::audit {

/// One thing that was looked at.
struct Check {
  static constexpr std::size_t kMostNamed = 10;

  std::string what;                      ///< "figures: 84 computed again"
  std::vector<std::string> differences;  ///< the first of them, named; empty: all agrees
  std::int64_t count = 0;                ///< of all differences

  void Differ(std::string text) {
    if (++count <= static_cast<std::int64_t>(kMostNamed)) differences.push_back(std::move(text));
  }
};

/// A chain's last link, to be written down or signed elsewhere.
struct Head {
  std::string of;  ///< "seals.jsonl", "job 7"
  std::string link;
};

struct Audit {
  std::string subject;  ///< the directory, or the store
  std::vector<Check> checks;
  std::vector<std::string> notes;         ///< what a reader must know, and is no difference
  std::vector<std::string> not_computed;  ///< what is told and cannot be computed again
  std::vector<Head> heads;

  bool agrees() const {
    for (const Check& check : checks)
      if (check.count > 0) return false;
    return true;
  }
};

}  // namespace ebb::audit
