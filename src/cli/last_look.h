#pragma once
// When this user last looked at what failed in a service: a file of the user's state, beside where
// the user's own store would be. What failed since is news.

#include <optional>
#include <string>

#include "app/jobs/service_place.h"
#include "platform/file.h"

namespace ebb::cli {

class LastLook {
 public:
  explicit LastLook(const app::FoundService& service);
  /// On the clock of the service; a day before `now` where the user never looked, or where that
  /// clock has been set back since.
  Time Since(Time now) const;
  /// The user looks now. An Error: it cannot be kept.
  Status Remember(Time now) const;

 private:
  std::string service_;
  platform::Path file_;  ///< empty: there is no home directory
};

}  // namespace ebb::cli
