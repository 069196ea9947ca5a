#include "signals/traces/entsoe_csv.h"

#include <array>
#include <map>
#include <optional>

#include "base/text.h"
#include "signals/traces/csv_rows.h"
#include "signals/traces/market_times.h"
#include "signals/traces/trace_header.h"

namespace ebb::signals {
namespace {

struct Header {
  std::size_t columns = 0;
  std::optional<std::size_t> time, resolution, area, plants, published;
  std::optional<MarketTimes> clock;  ///< clock of the column of intervals
  /// Columns of values; without a quantity, the row's plants state it.
  std::vector<std::pair<std::size_t, std::optional<Quantity>>> values;
};

bool Has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

std::optional<Quantity> PlantsOf(std::string_view name) {
  const std::string plants = Lowercase(name);
  if (Has(plants, "solar")) return Quantity::kSolar;
  if (Has(plants, "offshore")) return Quantity::kWindOffshore;
  if (Has(plants, "onshore")) return Quantity::kWindOnshore;
  return std::nullopt;
}

// The quantity that a column of values forecasts; nullopt inside: the row states it. nullopt: the
// column has other values.
std::optional<std::optional<Quantity>> ValueOf(const std::string& name) {
  using Value = std::optional<std::optional<Quantity>>;
  const bool in_mw = Has(name, "_mw") || name.starts_with("totalload") ||
                     name.starts_with("aggregatedgenerationforecast");
  if (!in_mw || Has(name, "intraday") || Has(name, "current") || Has(name, "actual"))
    return std::nullopt;
  if (Has(name, "load")) return Value(Quantity::kLoad);
  if (name.starts_with("aggregatedgenerationforecast")) return Value(std::optional<Quantity>());
  if (!Has(name, "day_ahead")) return std::nullopt;
  if (const auto plants = PlantsOf(name)) return Value(plants);
  return name.starts_with("day_ahead") ? Value(std::optional<Quantity>()) : std::nullopt;
}

Result<Header> ParseHeader(const std::vector<std::string_view>& fields, const std::string& path) {
  Header header;
  header.columns = fields.size();
  for (std::size_t column = 0; column < fields.size(); ++column) {
    const std::string name = NormalisedName(fields[column]);
    EBB_ASSIGN_OR_RETURN(auto clock, MarketTimes::Named(name, path));
    if (clock && !header.time) {
      header.time = column;
      header.clock = std::move(clock);
    } else if (!header.time && (name == "datetime" || name == "datetime_utc")) {
      header.time = column;
    } else if (name == "resolutioncode") {
      header.resolution = column;
    } else if (name == "areacode" || name == "area") {
      header.area = column;
    } else if (name == "productiontype" || name == "production_type") {
      header.plants = column;
    } else if (name == "updatetime" || name == "updatetime_utc") {
      header.published = column;
    } else if (const auto value = ValueOf(name)) {
      header.values.emplace_back(column, *value);
    }
  }
  const auto lacks = [&](const char* what) {
    return Fail({ExitCode::kConfiguration, std::string("has no column of ") + what, path + ":1",
                 "export day-ahead forecasts of load, or of wind and solar generation"});
  };
  if (!header.time) return lacks("times");
  if (header.values.empty()) return lacks("day-ahead forecasts");
  return header;
}

Result<Duration> ResolutionOf(std::string_view code, const std::string& path, std::size_t line) {
  if (code == "PT15M") return Duration{std::chrono::minutes{15}};
  if (code == "PT30M") return Duration{std::chrono::minutes{30}};
  if (code == "PT60M") return Duration{std::chrono::hours{1}};
  return Fail(AtLine(path, line, "the resolution " + Quoted(code) + " is not one of hours",
                     "leave the row out"));
}

class Reader {
 public:
  Reader(const CsvReader& csv, Header header, const std::string& path, const std::string& area,
         OperatorParts& parts)
      : csv_(csv), header_(std::move(header)), path_(path), area_(area), parts_(parts) {}

  Status Read() {
    const std::size_t columns = csv_.fields().size();
    // Exports have a heading for a last column, the area, that their rows may lack.
    if (columns != header_.columns && !(header_.clock && columns + 1 == header_.columns))
      EBB_RETURN_IF_ERROR(CheckColumns(csv_, header_.columns, path_));
    EBB_ASSIGN_OR_RETURN(const bool is_wanted, IsWanted());
    if (!is_wanted) return {};
    has_row_ = true;
    std::optional<Quantity> plants;
    if (header_.plants) {
      plants = PlantsOf(Field(*header_.plants));
      if (!plants) return {};
    }
    EBB_ASSIGN_OR_RETURN(const auto interval, ReadInterval(plants));
    if (!interval) return {};
    ExpectedPower power{*interval, 0, {}};
    if (header_.published) {
      EBB_ASSIGN_OR_RETURN(power.published,
                           ReadTimeField(Field(*header_.published), path_, csv_.line()));
    }
    for (const auto& [column, named] : header_.values) {
      const auto quantity = named ? named : plants;
      if (!quantity)
        return Fail(AtLine(path_, csv_.line(), "does not say which plants the value is of",
                           "export the column Production Type as well"));
      EBB_ASSIGN_OR_RETURN(const auto mw, ReadPowerField(Field(column), path_, csv_.line()));
      power.mw = mw.value_or(0);
      parts_.Expect(*quantity);
      if (mw) EBB_RETURN_IF_ERROR(AddAtLine(*quantity, power, path_, csv_.line(), parts_));
    }
    return {};
  }

  bool has_row() const { return has_row_; }

 private:
  std::string_view Field(std::size_t column) const {
    return column < csv_.fields().size() ? csv_.fields()[column] : std::string_view();
  }

  Result<bool> IsWanted() {
    if (!header_.area) return true;
    const std::string_view area = Field(*header_.area);
    const bool by_code = area.starts_with("10Y");
    if (by_code && !area_.empty()) return area == area_;
    if (only_area_.empty()) only_area_ = area;
    if (area == only_area_) return true;
    return Fail(AtLine(
        path_, csv_.line(),
        "holds area " + Quoted(area) + " beside " + Quoted(only_area_) + ", and no zone says which",
        "keep the rows of one area"));
  }

  // nullopt: an hour that the clock skips. Each kind of plants has rows of its own, so a clock,
  // too.
  Result<std::optional<Interval>> ReadInterval(const std::optional<Quantity>& plants) {
    const std::string_view text = Field(*header_.time);
    if (header_.clock)
      return clocks_.try_emplace(plants, *header_.clock)
          .first->second.Read(text, path_, csv_.line());
    EBB_ASSIGN_OR_RETURN(const Time begin, ReadTimeField(text, path_, csv_.line()));
    Duration length = std::chrono::hours{1};
    if (header_.resolution) {
      EBB_ASSIGN_OR_RETURN(length, ResolutionOf(Field(*header_.resolution), path_, csv_.line()));
    }
    return std::optional(Interval{begin, begin + length});
  }

  const CsvReader& csv_;
  const Header header_;
  const std::string& path_;
  const std::string& area_;
  OperatorParts& parts_;
  bool has_row_ = false;  ///< a row of the area was read
  std::string only_area_;
  std::map<std::optional<Quantity>, MarketTimes> clocks_;
};

// Files of the library have the same columns, whatever their values are, so the name decides.
Status CheckName(const std::string& path) {
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  for (const std::string_view other :
       {"ActualTotalLoad", "CurrentGeneration", "IntradayGeneration"})
    if (Has(name, other))
      return Fail({ExitCode::kConfiguration, "does not hold forecasts of the day before", path,
                   "take the files DayAheadTotalLoadForecast and DayAheadGenerationForecast..."});
  return {};
}

}  // namespace

bool IsEntsoeCsv(std::string_view text) {
  CsvReader csv(text.substr(0, text.find('\n')), "", CsvBlanks::kTrimmed, CsvSeparatorOf(text));
  const auto any = csv.Next();
  if (!any || !*any) return false;
  for (const std::string_view field : csv.fields()) {
    const std::string name = NormalisedName(field);
    if (name.starts_with("mtu_") || name.starts_with("day_ahead_total_load") ||
        name == "resolutioncode" || Has(name, "mw_day_ahead"))
      return true;
  }
  return false;
}

Status ReadEntsoeCsv(std::string_view text, const std::string& path, const std::string& area,
                     OperatorParts& parts) {
  EBB_RETURN_IF_ERROR(CheckName(path));
  CsvReader csv(text, path, CsvBlanks::kTrimmed, CsvSeparatorOf(text));
  EBB_RETURN_IF_ERROR(ReadHeader(csv, path));
  EBB_ASSIGN_OR_RETURN(Header header, ParseHeader(csv.fields(), path));
  Reader reader(csv, std::move(header), path, area, parts);
  EBB_RETURN_IF_ERROR(csv.ForEach([&] { return reader.Read(); }));
  if (reader.has_row()) return {};
  return Fail({ExitCode::kConfiguration,
               area.empty() ? "has a header but no rows" : "has no row for area " + area, path,
               "is it the right file?"});
}

}  // namespace ebb::signals
