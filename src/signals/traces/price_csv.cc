#include "signals/traces/price_csv.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "signals/traces/csv_rows.h"
#include "signals/traces/market_times.h"
#include "signals/traces/trace_header.h"

namespace ebb::signals {
namespace {

namespace chr = std::chrono;

// No market's price per kWh exceeds this in any currency; a sentinel or a damaged file does.
constexpr double kHighestPerKwh = 100'000;
// European and American markets cap prices below 20 of their currency per kWh; a file that is above
// throughout is per MWh.
constexpr double kAllAboveIsPerMwh = 20;
constexpr std::array<std::string_view, 4> kStrongCurrencies{"EUR", "USD", "GBP", "CHF"};
constexpr std::array<std::string_view, 26> kCurrencies{
    "aud", "bgn", "brl", "cad", "chf", "cny", "czk", "dkk", "eur", "gbp", "hkd", "huf", "inr",
    "jpy", "krw", "mxn", "nok", "nzd", "pln", "ron", "rsd", "sek", "sgd", "try", "twd", "usd"};
// More names of zone columns in files of prices.
constexpr std::array<std::string_view, 8> kAreaNames{"area",    "price_area",     "bidding_zone",
                                                     "country", "iso3_code",      "areacode",
                                                     "mapcode", "areadisplayname"};

constexpr const char* kNameTheZone =
    "name the zone to use: day_ahead: {file: ..., zone: ...} (docs/prices.md)";

struct Unit {
  std::optional<std::string> currency;
  std::optional<bool> per_mwh;
};

struct Header {
  std::size_t columns = 0;
  std::size_t time = 0, price = 0;
  std::string price_name;
  std::optional<std::size_t> end, unit, currency, sequence, contract, published;
  std::optional<MarketTimes> clock;  ///< clock of the column of intervals
  std::vector<std::size_t> zones;
  Unit named;  ///< from the price column's name
};

// Reads "price_eur_per_mwh" as EUR, per MWh. Tokens are as NormalisedName makes them.
Unit UnitIn(std::string_view name) {
  Unit unit;
  for (const std::string_view token : Split(name, '_')) {
    if (std::find(kCurrencies.begin(), kCurrencies.end(), token) != kCurrencies.end()) {
      std::string upper(token);
      for (char& c : upper) c = static_cast<char>(c - 'a' + 'A');
      unit.currency = upper;
    }
    if (token == "mwh" || token == "mwhe") unit.per_mwh = true;
    if (token == "kwh") unit.per_mwh = false;
  }
  return unit;
}

bool IsPriceName(std::string_view name) {
  return name == "value" || name.starts_with("price") ||
         name.find("day_ahead_price") != std::string_view::npos || name.starts_with("spot_price") ||
         name.starts_with("spotprice");
}

Error HeaderError(const std::string& path, std::string what, std::string next) {
  return {ExitCode::kConfiguration, std::move(what), path + ":1", std::move(next)};
}

void AssignColumn(const std::string& name, std::size_t column, Header& header) {
  if (IsEndName(name)) header.end = column;
  if (name == "unit") header.unit = column;
  if (name == "currency") header.currency = column;
  if (name == "sequence") header.sequence = column;
  if (name == "contracttype") header.contract = column;
  if (name == "published") header.published = column;
  if (IsZoneName(name) || std::find(kAreaNames.begin(), kAreaNames.end(), name) != kAreaNames.end())
    header.zones.push_back(column);
}

Result<Header> ParseHeader(const std::vector<std::string_view>& fields, const std::string& path) {
  Header header;
  header.columns = fields.size();
  bool has_time = false, has_price = false;
  for (std::size_t column = 0; column < fields.size(); ++column) {
    const std::string name = NormalisedName(fields[column]);
    EBB_ASSIGN_OR_RETURN(auto clock, MarketTimes::Named(name, path));
    if (!has_time && (IsTimeName(name) || clock)) {
      has_time = true;
      header.clock = std::move(clock);
      header.time = column;
    } else if (!has_price && IsPriceName(name)) {
      has_price = true;
      header.price = column;
      header.price_name = name;
      header.named = UnitIn(name);
    } else {
      AssignColumn(name, column, header);
    }
  }
  const std::string next = "the first line must name the columns: timestamp,price_eur_per_mwh";
  if (!has_time) return Fail(HeaderError(path, "has no column for the time (\"timestamp\")", next));
  if (!has_price) return Fail(HeaderError(path, "has no column for the price (\"price\")", next));
  return header;
}

struct PriceRow : TimedRow {
  Time known_from = Time::min();
};

class Reader {
 public:
  Reader(const CsvReader& csv, const Header& header, const std::string& path,
         const PriceCsvOptions& options)
      : csv_(csv),
        header_(header),
        path_(path),
        options_(options),
        zone_(options.zone, kNameTheZone),
        clock_(header.clock) {}

  Status Read() {
    // Exports have a heading for a last column, the area, that their rows may lack.
    const std::size_t columns = csv_.fields().size();
    if (columns != header_.columns && !(header_.clock && columns + 1 == header_.columns))
      EBB_RETURN_IF_ERROR(CheckColumns(csv_, header_.columns, path_));
    const std::size_t number = csv_.line();
    EBB_ASSIGN_OR_RETURN(const bool wanted, IsWanted());
    if (!wanted) return {};
    PriceRow row;
    row.line = number;
    EBB_ASSIGN_OR_RETURN(const bool is_there, ReadTimes(row));
    if (!is_there) return {};
    if (!rows_.empty()) EBB_RETURN_IF_ERROR(CheckRowOrder(rows_.back(), row, path_));
    EBB_RETURN_IF_ERROR(ReadUnit(number));
    EBB_RETURN_IF_ERROR(ReadPrice(row));
    if (header_.published) {
      EBB_ASSIGN_OR_RETURN(row.known_from, ReadTimeField(Field(*header_.published), path_, number));
    }
    rows_.push_back(row);
    return {};
  }

  const std::vector<PriceRow>& rows() const { return rows_; }
  const Unit& unit() const { return unit_; }
  const std::string& zone() const { return zone_.found(); }

 private:
  // Whether the row is for the wanted zone, and from the hourly auction if several are listed.
  Result<bool> IsWanted() {
    if (header_.sequence) {
      const std::string sequence = Lowercase(Field(*header_.sequence));
      if (!sequence.empty() && sequence != "without sequence" && sequence != "sequence 1" &&
          sequence != "1")
        return false;
    }
    if (header_.contract && Lowercase(Field(*header_.contract)) != "day-ahead") return false;
    return zone_.Takes(csv_, header_.zones, path_);
  }

  // Returns false for an hour that the clock skips.
  Result<bool> ReadTimes(PriceRow& row) {
    const std::string_view text = Field(header_.time);
    if (clock_ && clock_->Reads(text)) {
      EBB_ASSIGN_OR_RETURN(const auto interval, clock_->Read(text, path_, row.line));
      if (!interval) return false;
      row.begin = interval->begin;
      row.end = interval->end;
      return true;
    }
    EBB_ASSIGN_OR_RETURN(row.begin, ReadTimeField(text, path_, row.line));
    if (header_.end) {
      EBB_ASSIGN_OR_RETURN(row.end, ReadTimeField(Field(*header_.end), path_, row.line));
    }
    EBB_RETURN_IF_ERROR(CheckEnd(row, path_));
    return true;
  }

  // Every row must state the same unit; if no row states one, the header's or the caller's holds.
  Status ReadUnit(std::size_t number) {
    Unit unit = header_.named;
    const auto add = [&](std::optional<std::size_t> column) {
      if (!column) return;
      const Unit said = UnitIn(NormalisedName(Field(*column)));
      if (said.currency) unit.currency = said.currency;
      if (said.per_mwh) unit.per_mwh = said.per_mwh;
    };
    add(header_.unit);
    add(header_.currency);
    if (!unit.currency) unit.currency = options_.currency;
    if (!unit.per_mwh) unit.per_mwh = options_.per_mwh;
    if (!unit.currency || !unit.per_mwh)
      return Fail(AtLine(
          path_, number,
          std::string(unit.per_mwh ? "the currency" : "the unit") + " of the prices is not said",
          "call the column price_eur_per_kwh or price_eur_per_mwh, with its own "
          "currency, or add a column unit with EUR/MWh"));
    if (rows_.empty()) unit_ = unit;
    if (unit.currency == unit_.currency && unit.per_mwh == unit_.per_mwh) return {};
    return Fail(AtLine(path_, number, "the unit changes within the file", ""));
  }

  Status ReadPrice(PriceRow& row) {
    const std::string_view text = Field(header_.price);
    const std::string word = Lowercase(text);
    if (word.empty() || word == "-" || word == "n/e" || word == "n/a" || word == "null") return {};
    const auto price = ParseNumber(text);
    if (!price)
      return Fail(AtLine(path_, row.line, Quoted(text) + " is not a number",
                         "leave the price empty where it is not known"));
    const double per_kwh = *unit_.per_mwh ? *price / 1000 : *price;
    if (std::abs(per_kwh) > kHighestPerKwh)
      return Fail(AtLine(path_, row.line, "price " + Quoted(text) + " cannot be a price",
                         "leave the price empty where it is not known"));
    row.value = per_kwh;
    return {};
  }

  std::string_view Field(std::size_t column) const {
    return column < csv_.fields().size() ? csv_.fields()[column] : std::string_view();
  }

  const CsvReader& csv_;
  const Header& header_;
  const std::string& path_;
  const PriceCsvOptions& options_;
  ZoneOfRows zone_;
  std::optional<MarketTimes> clock_;
  std::vector<PriceRow> rows_;
  Unit unit_;
};

Status CheckMagnitude(const std::vector<PriceRow>& rows, const Unit& unit,
                      const std::string& path) {
  const bool any =
      std::any_of(rows.begin(), rows.end(), [](const PriceRow& row) { return row.value; });
  if (!any)
    return Fail({ExitCode::kConfiguration, "has no price at all", path, "is it the right file?"});
  const bool strong = std::find(kStrongCurrencies.begin(), kStrongCurrencies.end(),
                                *unit.currency) != kStrongCurrencies.end();
  const bool all_above = std::all_of(rows.begin(), rows.end(), [](const PriceRow& row) {
    return !row.value || *row.value > kAllAboveIsPerMwh;
  });
  if (strong && all_above)
    return Fail({ExitCode::kConfiguration,
                 "every price is above " + FormatExact(kAllAboveIsPerMwh) + " " + *unit.currency +
                     "/kWh: this looks like prices per MWh",
                 path, "say so in the column's name: price_eur_per_mwh"});
  return {};
}

}  // namespace

Result<core::PriceSeries> ParsePriceCsv(std::string_view text, const std::string& path,
                                        const PriceCsvOptions& options) {
  CsvReader csv(text, path, CsvBlanks::kTrimmed, CsvSeparatorOf(text));
  EBB_RETURN_IF_ERROR(ReadHeader(csv, path));
  EBB_ASSIGN_OR_RETURN(const Header header, ParseHeader(csv.fields(), path));
  Reader reader(csv, header, path, options);
  EBB_RETURN_IF_ERROR(csv.ForEach([&] { return reader.Read(); }));
  const std::vector<PriceRow>& rows = reader.rows();
  if (rows.empty()) return Fail(NoRows(path, options.zone));
  EBB_RETURN_IF_ERROR(CheckMagnitude(rows, reader.unit(), path));
  const Duration longest = InferStep(BeginsOf(rows), chr::hours{1}).length;
  std::vector<core::PriceSample> samples;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].value)
      samples.push_back({IntervalOf(rows, i, longest), *rows[i].value, rows[i].known_from});
  std::string source = "prices of " + std::string(FileName(path));
  if (const std::string zone = options.zone.value_or(reader.zone()); !zone.empty())
    source += ", " + zone;
  return core::PriceSeries::Create({*reader.unit().currency, std::move(source)},
                                   std::move(samples));
}

}  // namespace ebb::signals
