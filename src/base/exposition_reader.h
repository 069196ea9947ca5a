#pragma once
// Reads what exposition.h writes: Prometheus's text exposition format, version 0.0.4.

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

  /// Empty: it has no such label.
  std::string_view Label(std::string_view label) const;
};

/// Calls `take` for each sample, in order; comments and time stamps are passed over. An Error names
/// the first line that is none of these; what comes before it was taken.
Status ForEachSample(std::string_view text,
                     const std::function<void(const ExpositionSample&)>& take);

}  // namespace ebb
