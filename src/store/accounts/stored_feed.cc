#include "store/accounts/stored_feed.h"

#include "store/accounts/latest_signal.h"
#include "store/accounts/signal_records.h"
#include "store/device_history.h"

namespace ebb::store {
namespace {

// By then a running service has received a new value.
constexpr Duration kLookAgain{std::chrono::seconds{10}};
constexpr Duration kBeyond = std::chrono::hours{24};

Result<core::SignalIdentity> IdentityFor(Database& database, std::optional<int> pool) {
  if (!pool) return LatestSignal(database);
  EBB_ASSIGN_OR_RETURN(const std::vector<core::Site> sites, SitesOfPools(database));
  const auto number = static_cast<std::size_t>(*pool);
  if (*pool < 0 || number >= sites.size())
    return Fail({ExitCode::kUnavailable, "the site of pool " + std::to_string(*pool) + " is unknown",
                 database.path().string(), ""});
  return LatestSignalOf(database, sites[number].zone);
}

}  // namespace

StoredFeed::StoredFeed(platform::Path store, Time since, std::optional<int> pool)
    : store_(std::move(store)), since_(since), pool_(pool) {}

Result<core::SignalView> StoredFeed::Observe(Time now, Duration) {
  EBB_ASSIGN_OR_RETURN(Database database, Database::Open(store_, Database::Mode::kReadUnchecked));
  EBB_ASSIGN_OR_RETURN(const core::SignalIdentity identity, IdentityFor(database, pool_));
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
