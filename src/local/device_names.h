#pragma once
// How people name devices: by UUID, by the unique beginning of one, or a whole GPU by its number in
// nvidia-smi. Pure.

#include <string>
#include <vector>

#include "local/device_register.h"

namespace ebb::local {

/// The offered devices that `name` may mean: one if the name is whole, and all whose UUID begins
/// with it otherwise.
std::vector<const Device*> DevicesNamed(const std::vector<Device>& devices,
                                        const std::string& name);

}  // namespace ebb::local
