#pragma once
// Looks at the GPUs of the machine again and again, on a thread of its own: a driver that hangs
// holds nobody up. The library is loaded anew and let go each time, so that a driver can be
// upgraded under the service, and what comes is seen.
//
// Thread contract: the functions from one thread; `look` and `on_news` are called on the watch's.
// A look that hangs is left behind at the end, so `look` must not refer to what ends before it.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "base/result.h"
#include "meter/gpu/gpu_inventory.h"

namespace ebb::service {

struct GpuWatchOptions {
  std::function<Result<meter::GpuInventory>()> look;
  /// Something differs from what was taken last.
  std::function<void()> on_news = [] {};
  std::chrono::milliseconds every{60'000};
  std::chrono::milliseconds every_in_trouble{5'000};  ///< while there is no answer, or a fault
  std::chrono::milliseconds patience{30'000};         ///< then the driver counts as silent
};

class GpuWatch {
 public:
  explicit GpuWatch(GpuWatchOptions options);
  ~GpuWatch();
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

  /// The latest answer, once it differs from the one that was taken last. While a look takes longer
  /// than it should: that Error.
  std::optional<Result<meter::GpuInventory>> TakeNews();
  /// The first answer; an Error when it does not come in time.
  Result<meter::GpuInventory> TakeFirst(std::chrono::milliseconds limit);
  /// Looks now rather than later.
  void Hurry();

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace ebb::service
