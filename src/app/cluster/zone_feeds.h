#pragma once
// Signals of the zones of worker clusters: those of the controller's own source, asked for another
// zone. In an address, a command or the path of a trace, "{zone}" stands for the zone.
//
// Thread contract: one thread, the loop's; `wake` is called from any.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "runtime/grid_clock.h"
#include "runtime/signal_feed.h"
#include "signals/signal_options.h"

namespace ebb::app {

/// The options for one zone.
signals::SignalOptions OfZone(signals::SignalOptions options, const std::string& zone);

class ZoneFeeds {
 public:
  struct Ports {
    std::function<Time()> now;   ///< grid time
    std::function<void()> wake;  ///< ends a wait for events
    std::function<void(const std::string&)> say;
  };
  ZoneFeeds(signals::SignalOptions options, Ports ports)
      : options_(std::move(options)), ports_(std::move(ports)) {}
  ~ZoneFeeds();
  ZoneFeeds(const ZoneFeeds&) = delete;
  ZoneFeeds& operator=(const ZoneFeeds&) = delete;

  /// The feed of the zone, which is made when it is first asked for; nullptr: the source cannot
  /// tell about it, and that was reported.
  runtime::SignalFeed* Of(const std::string& zone);
  /// The mean that is expected in the zone over the time from now on; nothing: some of it is
  /// unknown.
  std::optional<Intensity> Expected(const std::string& zone, Duration ahead);

 private:
  signals::SignalOptions options_;
  Ports ports_;
  std::map<std::string, std::unique_ptr<runtime::SignalFeed>> feeds_;  // nullptr: cannot be made
};

}  // namespace ebb::app
