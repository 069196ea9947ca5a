#include "report/signal_text.h"

#include <vector>

#include "base/text.h"

namespace ebb::report {

std::string SignalText(const core::SignalIdentity& signal) {
  std::vector<std::string> parts;
  if (!signal.zone.empty()) parts.push_back(signal.zone);
  parts.emplace_back(core::Name(signal.kind));
  if (signal.boundary != core::Boundary::kUnknown) parts.emplace_back(core::Name(signal.boundary));
  std::string text = Join(parts, ", ");
  return signal.source.empty() ? text : text + "; " + signal.source;
}

}  // namespace ebb::report
