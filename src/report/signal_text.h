#pragma once
// A signal as people read it: "DE, average, lifecycle; Electricity Maps". What is not known of it
// is left out.

#include <string>

#include "core/intensity.h"

namespace ebb::report {

std::string SignalText(const core::SignalIdentity& signal);

}  // namespace ebb::report
