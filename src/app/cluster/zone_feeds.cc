#include "app/cluster/zone_feeds.h"

#include <utility>

#include "signals/make_feed.h"

namespace ebb::app {
namespace {

std::string WithZone(std::string text, const std::string& zone) {
  constexpr std::string_view kZone = "{zone}";
  for (auto at = text.find(kZone); at != std::string::npos; at = text.find(kZone, at + zone.size()))
    text.replace(at, kZone.size(), zone);
  return text;
}

}  // namespace

signals::SignalOptions OfZone(signals::SignalOptions options, const std::string& zone) {
  options.zone = zone;
  options.url = WithZone(std::move(options.url), zone);
  options.command = WithZone(std::move(options.command), zone);
  options.trace_path = WithZone(std::move(options.trace_path), zone);
  return options;
}

ZoneFeeds::~ZoneFeeds() {
  for (auto& [zone, feed] : feeds_)
    if (feed) feed->OnNews({});
}

runtime::SignalFeed* ZoneFeeds::Of(const std::string& zone) {
  const auto [found, is_new] = feeds_.try_emplace(zone);
  if (!is_new) return found->second.get();
  auto made = signals::MakeFeed(OfZone(options_, zone), platform::HttpGet, {},
                                signals::FirstAnswer::kBeside);
  if (!made) {
    ports_.say("zone " + zone + ": " + made.error().Message());
    return nullptr;
  }
  found->second = *std::move(made);
  found->second->OnNews(ports_.wake);
  ports_.say("zone " + zone + ": " + signals::Describe(found->second->identity()));
  return found->second.get();
}

std::optional<Intensity> ZoneFeeds::Expected(const std::string& zone, Duration ahead) {
  runtime::SignalFeed* feed = Of(zone);
  if (!feed || ahead <= Duration::zero()) return std::nullopt;
  const Time now = ports_.now();
  const auto view = feed->Observe(now, ahead);
  const auto mean = view ? view->Mean({now, now + ahead}) : std::nullopt;
  return mean ? std::optional(mean->intensity) : std::nullopt;
}

}  // namespace ebb::app
