// Gives each test program GPU locks of its own (local/supervisor/device_lock.h), because tests that
// run side by side use the same names of GPUs.

#include <cstdlib>
#include <filesystem>

namespace ebb::testing {
namespace {

class OwnDeviceLocks {
 public:
  OwnDeviceLocks() {
    if (::mkdtemp(folder_)) ::setenv("EBB_DEVICE_LOCKS", folder_, 0);
  }
  ~OwnDeviceLocks() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  OwnDeviceLocks(const OwnDeviceLocks&) = delete;
  OwnDeviceLocks& operator=(const OwnDeviceLocks&) = delete;

 private:
  char folder_[32] = "/tmp/ebb-device-locks-XXXXXX";
};
const OwnDeviceLocks own_device_locks;

}  // namespace
}  // namespace ebb::testing
