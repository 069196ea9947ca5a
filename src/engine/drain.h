#pragma once
// A drain of the whole queue: what runs ends, and nothing starts or goes on until it is
// over. For work on the machine.

#include <optional>
#include <string>

#include "base/time.h"

namespace ebb::engine {

struct Drain {
  Time since{};
  std::optional<Time> until;  ///< it ends by itself; nothing: when somebody ends it
  std::string why;            ///< for people; may be empty
  friend bool operator==(const Drain&, const Drain&) = default;
};

inline bool IsOver(const Drain& drain, Time now) { return drain.until && *drain.until <= now; }

/// "the service is draining until 2023-05-01 18:00: new disks", without its end and reason where
/// they are not given.
std::string DrainText(const Drain& drain);

}  // namespace ebb::engine
