#include "store/accounts/stored_feed.h"

#include "store/accounts/latest_signal.h"
#include "store/accounts/signal_records.h"

namespace ebb::store {
namespace {

// By then a running service has received a new value.
constexpr Duration kLookAgain{std::chrono::seconds{10}};
constexpr Duration kBeyond = std::chrono::hours{24};

}  // namespace

StoredFeed::StoredFeed(platform::Path store, Time since, std::string zone)
    : store_(std::move(store)), since_(since), zone_(std::move(zone)) {}

Result<core::SignalView> StoredFeed::Observe(Time now, Duration) {
  EBB_ASSIGN_OR_RETURN(Database database, Database::Open(store_, Database::Mode::kReadUnchecked));
  EBB_ASSIGN_OR_RETURN(const core::SignalIdentity identity,
                       zone_.empty() ? LatestSignal(database) : LatestSignalOf(database, zone_));
  // The value at `now` is kept in full, beyond `now`.
  EBB_ASSIGN_OR_RETURN(known_, SignalHistory(database, identity, {since_, now + kBeyond}));
  return core::SignalView{now, known_, {}};
}

Result<core::IntensitySeries> StoredFeed::Believed(Interval interval) {
  return known_.Slice(interval);
}

Time StoredFeed::NextChange(Time now) const {
  const core::Sample* sample = known_.At(now);
  return sample ? sample->interval.end : now + kLookAgain;
}

}  // namespace ebb::store
