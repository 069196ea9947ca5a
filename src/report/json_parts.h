#pragma once
// The parts that JSON documents of reports share, for those that are written with the JSON library
// itself. Answers of the API are described (described_json.h).

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/devices/cluster.h"
#include "core/jobs/widths.h"
#include "core/signal/intensity.h"
#include "plan/policy.h"
#include "report/table_columns.h"

namespace ebb::report {

using Json = nlohmann::ordered_json;

/// The document as text. Bytes that are not UTF-8 are replaced; NaN becomes null.
inline std::string Document(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// null if the value is unknown, which is not 0. Emissions are in g, intensities in g per kWh.
template <typename T>
Json Maybe(const std::optional<T>& value) {
  if (!value) return nullptr;
  if constexpr (std::same_as<T, Emissions>)
    return value->grams;
  else if constexpr (std::same_as<T, Intensity>)
    return value->g_per_kwh;
  else if constexpr (std::same_as<T, Time>)
    return FormatTime(*value);
  else
    return *value;
}

/// The value as `to_json` makes it; null without a value.
template <typename T, typename ToJson>
Json Maybe(const std::optional<T>& value, ToJson to_json) {
  return value ? Json(to_json(*value)) : Json(nullptr);
}

/// The keys and figures of a row.
template <typename Row>
Json RowJson(const std::vector<Column<Row>>& columns, const Row& row) {
  return Json::parse(ToJson(JsonRow<Row>{columns, &row}));
}

inline Json SignalJson(const core::SignalIdentity& signal) {
  return {{"zone", signal.zone},
          {"kind", core::Name(signal.kind)},
          {"boundary", core::Name(signal.boundary)},
          {"source", signal.source}};
}

/// The times and places of a job, and the number of devices of an elastic one.
inline Json SegmentsJson(const core::Job& job, const std::vector<plan::Segment>& segments,
                         const core::Cluster& cluster) {
  Json json = Json::array();
  for (const plan::Segment& segment : segments) {
    json.push_back({{"site", cluster.SiteOf(segment.pool).name},
                    {"model", cluster.pools[static_cast<std::size_t>(segment.pool)].model},
                    {"begin", FormatTime(segment.time.begin)},
                    {"end", FormatTime(segment.time.end)}});
    if (core::IsElastic(job)) json.back()["devices"] = core::WidthFrom(job, segment.devices);
  }
  return json;
}

}  // namespace ebb::report
