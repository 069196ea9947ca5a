#include "report/run/ledger_file.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "report/json_fields.h"

namespace ebb::report {
namespace {

using Json = nlohmann::ordered_json;

Json Span(Interval interval) {
  return Json::array({Milliseconds(interval.begin), Milliseconds(interval.end)});
}

core::OtherIntensity OtherFrom(JsonFields other, core::SignalKind kind, JsonFields& row) {
  core::OtherIntensity intensity;
  const double value = other.Number("g_per_kwh");
  if (other.Has("g_per_kwh")) intensity.intensity = Intensity{value};
  intensity.status = other.Named("status", core::SampleStatusFromName);
  intensity.kind = other.Named("kind", core::SignalKindFromName);
  if (intensity.kind == kind) row.Reject("other", "is of the same kind as the row's own intensity");
  return intensity;
}

}  // namespace

std::string FormatLedgerLine(const core::LedgerRow& row) {
  Json json{{"attempt", row.attempt},
            {"device", row.device},
            {"component", core::Name(row.component)},
            {"source", core::Name(row.source)},
            {"wall_ms", Span(row.wall)},
            {"grid_ms", Span(row.grid)},
            {"energy_uj", row.energy.microjoules()},
            {"pue", row.pue.ratio},
            {"g_per_kwh", nullptr},
            {"status", core::Name(row.intensity_status)},
            {"kind", core::Name(row.signal_kind)}};
  if (row.intensity) json["g_per_kwh"] = row.intensity->g_per_kwh;
  if (row.other) {
    json["other"] = {{"g_per_kwh", nullptr},
                     {"status", core::Name(row.other->status)},
                     {"kind", core::Name(row.other->kind)}};
    if (row.other->intensity) json["other"]["g_per_kwh"] = row.other->intensity->g_per_kwh;
  }
  if (!row.intensity_source.empty()) json["intensity_source"] = row.intensity_source;
  if (row.shared) json["shared"] = true;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<core::LedgerRow> ParseLedgerLine(std::string_view line, std::string where) {
  EBB_ASSIGN_OR_RETURN(JsonFields fields, JsonFields::Parse(line, std::move(where)));
  core::LedgerRow row;
  row.attempt = fields.Count("attempt");
  row.device = fields.Text("device");
  row.component = fields.Named("component", core::ComponentFromName);
  row.source = fields.Named("source", core::EnergySourceFromName);
  row.wall = fields.Span("wall_ms");
  row.grid = fields.Span("grid_ms");
  row.energy = Energy::Microjoules(fields.Integer("energy_uj"));
  row.pue.ratio = fields.Number("pue");
  // Must be there: an intensity that was left out by mistake would read as unknown.
  const double intensity = fields.Number("g_per_kwh");
  if (fields.Has("g_per_kwh")) row.intensity = Intensity{intensity};
  row.intensity_status = fields.Named("status", core::SampleStatusFromName);
  row.signal_kind = fields.Named("kind", core::SignalKindFromName);
  if (fields.Has("other")) row.other = OtherFrom(fields.Object("other"), row.signal_kind, fields);
  if (fields.Has("intensity_source")) row.intensity_source = fields.Text("intensity_source");
  row.shared = fields.Has("shared") && fields.Flag("shared");
  EBB_RETURN_IF_ERROR(fields.status());
  return row;
}

std::vector<core::LedgerRow> ParseLedger(std::string_view text, int& damaged) {
  std::vector<core::LedgerRow> rows;
  for (const std::string_view line : Split(text, '\n')) {
    if (Trim(line).empty()) continue;
    auto row = ParseLedgerLine(line, "");
    if (row)
      rows.push_back(*std::move(row));
    else
      ++damaged;
  }
  return rows;
}

}  // namespace ebb::report
