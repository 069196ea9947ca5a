#pragma once
// Reads Prometheus's text exposition format, version 0.0.4, which exposition.h writes.

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ebb {

struct ExpositionSample {
  std::string name;
  std::map<std::string, std::string, std::less<>> labels;
  double value = 0;

  /// The label's value; empty if the sample does not have the label.
  std::string_view Label(std::string_view label) const;
};

/// Calls `take` for each sample in order, and skips comments and time stamps. Returns an Error that
/// names the first malformed line; samples before that line have been taken.
Status ForEachSample(std::string_view text,
                     const std::function<void(const ExpositionSample&)>& take);

}  // namespace ebb
