#pragma once
// Lets any thread end the wait of another one, which waits for a descriptor besides.
//
// Thread contract: Wake from any thread; Wait from one.

#include "base/time.h"
#include "platform/descriptor.h"

namespace ebb::platform {

class Waker {
 public:
  Waker();
  /// Ends the present wait, or the next one at once.
  void Wake();
  /// Waits for Wake, or until `descriptor` is readable, at most for `timeout`. True if Wake was
  /// called.
  bool Wait(Duration timeout, int descriptor);

 private:
  Descriptor event_;
};

}  // namespace ebb::platform
