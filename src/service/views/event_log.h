#pragma once
// The events of the service, as its parts tell them: for the page, `ebb queue` and notifications.
//
// Thread contract: the loop's thread.

#include <functional>
#include <string>
#include <utility>

#include "service/views/publisher.h"

namespace ebb::service {

class EventLog {
 public:
  /// `now`: the grid clock.
  EventLog(Publisher& publisher, std::function<Time()> now)
      : publisher_(publisher), now_(std::move(now)) {}

  /// Tells an event of one job; 0: of no job.
  void Say(core::JobId job, std::string text) { publisher_.Say(now_(), job, std::move(text)); }

 private:
  Publisher& publisher_;
  std::function<Time()> now_;
};

}  // namespace ebb::service
