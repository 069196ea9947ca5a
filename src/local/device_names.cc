#include "local/device_names.h"

namespace ebb::local {

std::vector<const Device*> DevicesNamed(const std::vector<Device>& devices,
                                        const std::string& name) {
  std::vector<const Device*> found;
  for (const Device& device : devices) {
    if (!device.offered) continue;
    const bool is_number =
        device.index && device.name == device.card && name == std::to_string(*device.index);
    if (is_number || device.name == name) return {&device};
    if (!name.empty() && device.name.starts_with(name)) found.push_back(&device);
  }
  return found;
}

}  // namespace ebb::local
