#include "store/accounts/signal_records.h"

#include <algorithm>
#include <array>

#include "store/accounts/latest_signal.h"

namespace ebb::store {
namespace {

// Best status first, like SampleStatus. Stored numbers are indices of this list, so its order must
// not change.
constexpr std::array kByRank{core::SampleStatus::kMeasured, core::SampleStatus::kEstimated,
                             core::SampleStatus::kForecast, core::SampleStatus::kModelled};

std::int64_t RankOf(core::SampleStatus status) {
  std::int64_t rank = 0;
  while (kByRank[static_cast<std::size_t>(rank)] != status) ++rank;
  return rank;
}

Result<core::SignalIdentity> IdentityOfNewest(Database& database, const char* query,
                                              std::vector<Value> parameters) {
  core::SignalIdentity identity;
  EBB_RETURN_IF_ERROR(database.Query(query, std::move(parameters), [&](const Row& row) -> Status {
    identity.zone = row.Text(0);
    identity.kind = core::SignalKindFromName(row.Text(1)).value_or(identity.kind);
    identity.boundary = core::BoundaryFromName(row.Text(2)).value_or(identity.boundary);
    identity.source = row.Text(3);
    return {};
  }));
  return identity;
}

}  // namespace

void AddSignal(WriteGroup& group, const core::IntensitySeries& series) {
  const core::SignalIdentity& identity = series.identity();
  for (const core::Sample& sample : series.samples()) {
    group.Add(
        "INSERT INTO signal_history(zone, kind, boundary, begin_ms, length_ms, g_per_kwh, rank,"
        " source) VALUES(?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT(zone, kind, boundary, begin_ms) DO UPDATE SET length_ms = excluded.length_ms,"
        " g_per_kwh = excluded.g_per_kwh, rank = excluded.rank, source = excluded.source"
        " WHERE excluded.rank <= signal_history.rank",
        {identity.zone, std::string(Name(identity.kind)), std::string(Name(identity.boundary)),
         Milliseconds(sample.interval.begin), sample.interval.length().count(),
         sample.intensity.g_per_kwh, RankOf(sample.status), identity.source});
  }
}

Result<core::SignalIdentity> LatestSignal(Database& database) {
  return IdentityOfNewest(database,
                          "SELECT zone, kind, boundary, source FROM signal_history WHERE zone ="
                          " coalesce((SELECT value FROM meta WHERE key = 'home zone'), zone)"
                          " ORDER BY begin_ms DESC LIMIT 1",
                          {});
}

Result<core::SignalIdentity> LatestSignalOf(Database& database, const std::string& zone) {
  return IdentityOfNewest(database,
                          "SELECT zone, kind, boundary, source FROM signal_history WHERE zone = ?"
                          " ORDER BY begin_ms DESC LIMIT 1",
                          {zone});
}

Result<core::IntensitySeries> SignalHistory(Database& database,
                                            const core::SignalIdentity& identity, Interval window) {
  core::SignalIdentity found = identity;
  std::vector<core::Sample> samples;
  // A sample of another resolution may overlap the next: it ends where the next begins.
  EBB_RETURN_IF_ERROR(database.Query(
      "SELECT begin_ms, length_ms, g_per_kwh, rank, source FROM signal_history"
      " WHERE zone = ? AND kind = ? AND boundary = ? AND begin_ms < ? AND begin_ms >= ?"
      " ORDER BY begin_ms",
      {identity.zone, std::string(Name(identity.kind)), std::string(Name(identity.boundary)),
       Milliseconds(window.end), Milliseconds(window.begin - std::chrono::hours{24})},
      [&](const Row& row) -> Status {
        const Time begin{Duration{row.Integer(0)}};
        if (!samples.empty() && samples.back().interval.end > begin)
          samples.back().interval.end = begin;
        const auto rank = static_cast<std::size_t>(row.Integer(3));
        samples.push_back({{begin, begin + Duration{row.Integer(1)}},
                           {row.Number(2)},
                           kByRank[std::min(rank, kByRank.size() - 1)]});
        found.source = row.Text(4);
        return {};
      }));
  EBB_ASSIGN_OR_RETURN(const auto series,
                       core::IntensitySeries::Create(std::move(found), std::move(samples)));
  return series.Slice(window);
}

}  // namespace ebb::store
