#pragma once
// A drain of the whole queue: running jobs end, and nothing starts or goes on until the drain is
// over. People drain the queue to work on the machine.

#include <optional>
#include <string>

#include "base/time.h"

namespace ebb::engine {

struct Drain {
  Time since{};
  std::optional<Time> until;  ///< the drain ends by itself then; nullopt: when a person ends it
  std::string why;            ///< reason for people; may be empty
  friend bool operator==(const Drain&, const Drain&) = default;
};

inline bool IsOver(const Drain& drain, Time now) { return drain.until && *drain.until <= now; }

/// "the service is draining until 2023-05-01 18:00: new disks". The end and the reason are left out
/// if the drain has none.
std::string DrainText(const Drain& drain);

}  // namespace ebb::engine
