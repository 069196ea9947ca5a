#include "signals/traces/trace_header.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace ebb::signals {
namespace {

constexpr std::size_t kMostColumns = 256;
constexpr std::array<std::string_view, 8> kTimeNames{
    "timestamp", "datetime", "date_time", "time", "begin", "start", "from", "point_time"};
constexpr std::array<std::string_view, 3> kEndNames{"end", "to", "end_time"};
constexpr std::array<std::string_view, 3> kZoneNames{"zone", "zone_id", "region"};
constexpr std::array<std::string_view, 3> kEstimatedNames{"is_estimated", "isestimated",
                                                          "data_estimated"};
// Names that may be followed by a unit or boundary ("carbon_intensity_gco2eq_per_kwh_direct").
constexpr std::array<std::string_view, 5> kValuePrefixes{"carbon_intensity", "carbonintensity",
                                                         "intensity", "moer", "gco2"};

template <std::size_t N>
bool IsOneOf(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool IsValueName(std::string_view name) {
  return name == "value" || std::any_of(kValuePrefixes.begin(), kValuePrefixes.end(),
                                        [&](auto prefix) { return name.starts_with(prefix); });
}

std::optional<core::Boundary> BoundaryInName(std::string_view name) {
  if (Contains(name, "direct")) return core::Boundary::kDirect;
  if (Contains(name, "lifecycle") || Contains(name, "life_cycle") || Contains(name, "lca"))
    return core::Boundary::kLifecycle;
  return std::nullopt;
}

// The unit in a column's name if it is not g/kWh; "" if it is, or if the name has none.
std::string ForeignUnit(std::string_view name) {
  bool kilograms = false, per_mwh = false;
  std::string unit;
  for (const std::string_view token : Split(name, '_')) {
    if (token.starts_with("kg")) kilograms = true;
    if (token == "mwh") per_mwh = true;
    if (token.starts_with("lb") || token.starts_with("pound")) unit = "pounds";
    if (token.starts_with("percent")) unit = "percent";
    if (token.starts_with("tonne") || token.starts_with("tco2")) unit = "tonnes";
    if (token == "mg" || token.starts_with("mgco2")) unit = "milligrams";
  }
  // kg per MWh is the same number as g per kWh.
  if (!unit.empty() || (kilograms && per_mwh)) return unit;
  if (kilograms) return "kilograms";
  return per_mwh ? "a mass per MWh" : "";
}

Status CheckUnit(std::string_view name, std::string_view shown, const std::string& where) {
  const std::string unit = ForeignUnit(name);
  if (unit.empty()) return {};
  return Fail({ExitCode::kConfiguration,
               "column " + Quoted(shown) + " is in " + unit + ", but gCO2eq/kWh is needed", where,
               "convert it: 1 kg/kWh is 1000 g/kWh, 1 kg/MWh is 1 g/kWh, 1 lb/MWh is 0.45359237 "
               "g/kWh"});
}

// Reads forecast_d1, forecast_60min, forecast_latest.
std::optional<ForecastHeader> ParseForecastName(std::string_view name) {
  constexpr std::string_view kPrefix = "forecast_";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  const std::string_view rest = name.substr(kPrefix.size());
  ForecastHeader header;
  header.name = name;
  if (rest == "latest") return header;
  if (rest.starts_with('d')) {
    const auto day = ParseInteger(rest.substr(1));
    if (!day || *day < 1 || *day > 14) return std::nullopt;
    header.issue = ForecastIssue::kDayRun;
    header.days_ahead = static_cast<int>(*day - 1);
    return header;
  }
  if (!rest.ends_with("min")) return std::nullopt;
  const auto minutes = ParseInteger(rest.substr(0, rest.size() - 3));
  if (!minutes || *minutes < 0 || *minutes > 14 * 24 * 60) return std::nullopt;
  header.issue = ForecastIssue::kFixedLead;
  header.lead = std::chrono::minutes{*minutes};
  return header;
}

Error UnknownForecast(std::string_view name, const std::string& where) {
  const std::vector<std::string> known{"forecast_d1",    "forecast_d2",     "forecast_d3",
                                       "forecast_d4",    "forecast_0min",   "forecast_5min",
                                       "forecast_60min", "forecast_180min", "forecast_latest"};
  return {ExitCode::kConfiguration,
          "column " + Quoted(name) + " is not a known forecast" + SuggestionText(name, known),
          where, "forecast_dK, forecast_Nmin and forecast_latest are"};
}

// Lists the first columns, so that a reader sees how the line was split.
std::string ColumnList(const std::vector<std::string>& names) {
  constexpr std::size_t kMostShown = 6;
  std::string list;
  for (std::size_t i = 0; i < std::min(names.size(), kMostShown); ++i)
    list += (i == 0 ? "" : ", ") + Quoted(names[i]);
  return names.size() > kMostShown ? list + " ..." : list;
}

Error MissingColumn(const std::vector<std::string>& names, std::string what,
                    const std::string& column, const std::string& where) {
  std::string suggestion;
  const std::vector<std::string> wanted{column};
  for (const std::string& name : names) {
    if (suggestion.empty() && Suggest(name, wanted))
      suggestion = "; is " + Quoted(name) + " a misspelling of it?";
  }
  return {ExitCode::kConfiguration,
          "has no column for " + std::move(what) + " (" + Quoted(column) + ")" + suggestion +
              "; its columns are " + ColumnList(names),
          where, "the first line must name the columns: timestamp,carbon_intensity"};
}

// Chooses the column of values among the candidates: the wanted boundary, else life cycle, else the
// first.
Result<std::size_t> ChooseValue(const std::vector<std::string>& names,
                                const std::vector<std::size_t>& candidates,
                                std::optional<core::Boundary> wanted, const std::string& where) {
  const auto with_boundary = [&](core::Boundary boundary) -> std::optional<std::size_t> {
    for (const std::size_t column : candidates) {
      if (BoundaryInName(names[column]) == boundary) return column;
    }
    return std::nullopt;
  };
  if (candidates.size() == 1) return candidates.front();
  if (const auto column = with_boundary(wanted.value_or(core::Boundary::kLifecycle)))
    return *column;
  std::string list;
  for (const std::size_t column : candidates)
    list += (list.empty() ? "" : ", ") + Quoted(names[column]);
  return Fail({ExitCode::kConfiguration, "several columns may hold the intensity: " + list, where,
               "name the one to use carbon_intensity"});
}

Status AssignColumn(const std::string& name, std::size_t column, const std::string& where,
                    TraceHeader& header) {
  if (IsEndName(name)) header.end = column;
  if (name == "status") header.status = column;
  if (IsOneOf(kEstimatedNames, name)) header.estimated = column;
  if (IsZoneName(name)) header.zone = column;
  if (!name.starts_with("forecast")) return {};
  auto forecast = ParseForecastName(name);
  if (!forecast) return Fail(UnknownForecast(name, where));
  forecast->column = column;
  header.forecasts.push_back(*forecast);
  return {};
}

}  // namespace

std::string NormalisedName(std::string_view column) {
  std::string plain;
  for (std::size_t i = 0; i < column.size(); ++i) {
    const char c = column[i];
    if (column.substr(i).starts_with("\u2082")) {
      plain += '2';
      i += 2;
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      plain += c;
    } else if (c >= 'A' && c <= 'Z') {
      plain += static_cast<char>(c - 'A' + 'a');
    } else if (!plain.empty() && plain.back() != '_') {
      plain += '_';
    }
  }
  while (!plain.empty() && plain.back() == '_') plain.pop_back();
  return plain;
}

bool IsTimeName(std::string_view name) {
  if (name.ends_with("_utc")) name.remove_suffix(4);
  return IsOneOf(kTimeNames, name);
}

bool IsEndName(std::string_view name) { return IsOneOf(kEndNames, name); }
bool IsZoneName(std::string_view name) { return IsOneOf(kZoneNames, name); }

Result<TraceHeader> ParseTraceHeader(const std::vector<std::string_view>& fields,
                                     const std::string& where, const TraceOptions& options) {
  if (fields.size() > kMostColumns)
    return Fail({ExitCode::kConfiguration,
                 "has " + std::to_string(fields.size()) + " columns, more than any trace", where,
                 "is it the right file?"});
  std::vector<std::string> names;
  for (const std::string_view field : fields) names.push_back(NormalisedName(field));

  TraceHeader header;
  header.columns = fields.size();
  std::optional<std::size_t> time;
  std::vector<std::size_t> values;
  for (std::size_t column = 0; column < names.size(); ++column) {
    const std::string& name = names[column];
    if (!name.empty() && std::count(names.begin(), names.end(), name) > 1)
      return Fail({ExitCode::kConfiguration, "column " + Quoted(name) + " is given twice", where,
                   "remove or rename one"});
    if (!time && IsTimeName(name)) {
      time = column;
      continue;
    }
    if (options.column ? name == NormalisedName(*options.column) : IsValueName(name))
      values.push_back(column);
    EBB_RETURN_IF_ERROR(AssignColumn(name, column, where, header));
  }
  if (!time) return Fail(MissingColumn(names, "the time", "timestamp", where));
  if (values.empty())
    return Fail(
        MissingColumn(names, "the value", options.column.value_or("carbon_intensity"), where));
  EBB_ASSIGN_OR_RETURN(header.value, ChooseValue(names, values, options.boundary, where));
  header.time = *time;
  header.time_says_utc = names[*time].ends_with("_utc");
  header.value_name = fields[header.value];
  const std::string& value_name = names[header.value];
  EBB_RETURN_IF_ERROR(CheckUnit(value_name, header.value_name, where));
  header.boundary = BoundaryInName(value_name);
  return header;
}

}  // namespace ebb::signals
