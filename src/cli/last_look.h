#pragma once
// Remembers when this user last looked at the failed jobs of a service, in a file of the user's
// state, beside the place of the user's own store. Later failures are news.

#include <optional>
#include <string>

#include "app/jobs/service_place.h"
#include "platform/file.h"

namespace ebb::cli {

class LastLook {
 public:
  explicit LastLook(const app::FoundService& service);
  /// The last look on the clock of the service. A day before `now` if the user never looked, or if
  /// that clock has been set back since.
  Time Since(Time now) const;
  /// Stores that the user looks now. Returns an Error if that fails.
  Status Remember(Time now) const;

 private:
  std::string service_;
  platform::Path file_;  ///< empty if there is no home directory
};

}  // namespace ebb::cli
