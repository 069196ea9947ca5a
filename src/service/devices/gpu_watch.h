#pragma once
// Looks at the GPUs of the machine regularly, on a thread of its own, so that a driver that hangs
// does not block the loop. Each look loads the driver's library anew and unloads it, so that a
// driver can be upgraded while the service runs, and new GPUs are found.
//
// Thread contract: call the functions from one thread. `look` and `on_news` run on the watch's
// thread. A look that hangs outlives the watch, so `look` must own all that it uses.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "meter/gpu/gpu_inventory.h"

namespace ebb::service {

struct GpuWatchOptions {
  std::function<Result<meter::GpuInventory>()> look;
  /// Called when the answer differs from the last one that was taken.
  std::function<void()> on_news = [] {};
  std::chrono::milliseconds every{60'000};
  std::chrono::milliseconds every_in_trouble{
      5'000};                                  ///< while the driver gives no answer, or a fault
  std::chrono::milliseconds patience{30'000};  ///< for one look; then the driver counts as silent
};

class GpuWatch {
 public:
  explicit GpuWatch(GpuWatchOptions options);
  ~GpuWatch();
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

  /// The latest answer, if it differs from the last one that was taken. An Error: the driver does
  /// not answer, or a look takes longer than `patience`.
  std::optional<Result<meter::GpuInventory>> TakeNews();
  /// The first answer. An Error: it does not come in time.
  Result<meter::GpuInventory> TakeFirst(std::chrono::milliseconds limit);
  /// Looks now instead of at the next regular time.
  void Hurry();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace ebb::service
