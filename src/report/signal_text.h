#pragma once
// A signal as people read it: "DE, average, lifecycle; Electricity Maps". Unknown parts are left
// out.

#include <string>

#include "core/signal/intensity.h"

namespace ebb::report {

std::string SignalText(const core::SignalIdentity& signal);

}  // namespace ebb::report
