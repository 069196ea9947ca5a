#pragma once
// Describes the machine that a run was measured on: names and sizes only, nothing that changes.

#include <string>
#include <vector>

#include "core/run/run.h"

namespace ebb::meter {

/// `gpu_models` comes from MakeMeters (meters.h), which is the one place that opens NVML.
core::Machine DescribeMachine(std::vector<std::string> gpu_models,
                              const std::string& proc_root = "/proc");

}  // namespace ebb::meter
