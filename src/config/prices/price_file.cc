#include "config/prices/price_file.h"

#include <optional>

#include "base/check.h"
#include "config/prices/tariff_section.h"
#include "config/yaml/file_names.h"
#include "config/yaml/key_reader.h"
#include "config/yaml/list_reader.h"
#include "config/yaml/yaml_tree.h"
#include "platform/file.h"
#include "platform/shipped_files.h"
#include "signals/traces/entsoe_document.h"
#include "signals/traces/oasis_csv.h"
#include "signals/traces/operator_text.h"
#include "signals/traces/price_csv.h"
#include "signals/traces/xml_tree.h"

namespace ebb::config {
namespace {

// The default for markets that do not say when they publish. The European day-ahead auction
// publishes at about 13:00 Central European time, which is 12:00 UTC, or an hour earlier in summer.
constexpr const char* kDefaultMarketZone = "UTC";
constexpr Duration kDefaultPublication = std::chrono::hours{12};

struct DayAheadKeys {
  Given<std::string> file, zone, currency, unit, timezone;
  Given<Duration> published_at;
};

prices::ZoneClock MarketClock() {
  auto clock = prices::ZoneClock::Find(kDefaultMarketZone);
  EBB_CHECK(clock.has_value());
  return *std::move(clock);
}

// A series in any format, with the publication time to assume if nothing states one.
struct Series {
  core::PriceSeries prices;
  prices::Publication usual;
};

Result<Series> ParseSeries(const std::string& text, const std::string& path,
                           const signals::PriceCsvOptions& options) {
  Series series{{}, {MarketClock(), kDefaultPublication}};
  if (signals::LooksLikeXml(text)) {
    EBB_ASSIGN_OR_RETURN(const auto document, signals::ParseEntsoeDocument(text, path));
    EBB_ASSIGN_OR_RETURN(series.prices, signals::EntsoePrices(document, path));
  } else if (signals::IsOasisCsv(text)) {
    EBB_ASSIGN_OR_RETURN(series.usual, signals::OasisPublication());
    EBB_ASSIGN_OR_RETURN(series.prices,
                         signals::ReadOasisPrices(text, path, options.zone.value_or("")));
  } else {
    EBB_ASSIGN_OR_RETURN(series.prices, signals::ParsePriceCsv(text, path, options));
  }
  return series;
}

Result<prices::PriceSource> ReadSeries(const std::string& path, const std::string& text,
                                       const signals::PriceCsvOptions& options,
                                       const std::optional<prices::Publication>& publication) {
  EBB_ASSIGN_OR_RETURN(const auto files, signals::FilesIn(text, path));
  if (files.size() != 1)
    return Fail({ExitCode::kConfiguration,
                 "holds " + std::to_string(files.size()) + " files, not one of prices", path,
                 "unpack it and name the file"});
  EBB_ASSIGN_OR_RETURN(const Series series,
                       ParseSeries(files.front().data, files.front().name, options));
  return prices::PriceSource(
      prices::AsPublished(series.prices, publication.value_or(series.usual)));
}

Result<prices::PriceSource> ReadDayAhead(const YamlNode& node, const std::string& name,
                                         const FileReader& read_file, Problems& problems) {
  DayAheadKeys keys;
  const std::vector<KeyRule> rules{
      ReadText("file", keys.file),         ReadText("zone", keys.zone),
      ReadText("currency", keys.currency), ReadChoice("unit", keys.unit, {"per_kwh", "per_mwh"}),
      ReadText("timezone", keys.timezone), ReadClockTime("published_at", keys.published_at)};
  ReadSection(node, "day_ahead", rules, {}, problems);
  if (!keys.file) problems.Add(node.line, "day_ahead needs the key file: a CSV file of prices");
  if (keys.published_at && !keys.timezone)
    problems.Add(keys.published_at.line, "published_at needs a timezone beside it");
  std::optional<prices::Publication> publication;
  if (keys.timezone) {
    if (auto clock = prices::ZoneClock::Find(*keys.timezone))
      publication = {*std::move(clock), keys.published_at.value_or(std::chrono::hours{13})};
    else
      problems.Add(keys.timezone.line, clock.error().what + " (" + clock.error().next + ")");
  }
  if (!problems.empty()) return Fail(problems.ToError());
  signals::PriceCsvOptions options;
  options.currency = keys.currency.value;
  options.zone = keys.zone.value;
  if (keys.unit) options.per_mwh = *keys.unit == "per_mwh";
  const std::string path = Beside(FolderOf(name), *keys.file);
  EBB_ASSIGN_OR_RETURN(const std::string text, read_file(path));
  return ReadSeries(path, text, options, publication);
}

bool IsSeries(const std::string& path, const std::string& text) {
  return path.ends_with(".csv") || path.ends_with(".csv.gz") || signals::LooksLikeXml(text) ||
         platform::IsZip(text);
}

}  // namespace

Result<prices::PriceSource> ParsePrices(const std::string& text, const std::string& name,
                                        const FileReader& read_file) {
  if (IsSeries(name, text)) return ReadSeries(name, text, {}, {});
  EBB_ASSIGN_OR_RETURN(const YamlNode root, ParseYaml(text, name));
  if (root.kind == YamlNode::Kind::kNull)
    return Fail({ExitCode::kConfiguration, "the file is empty", name,
                 "configs/prices shows what belongs in it"});
  Problems problems(name);
  TariffKeys keys;
  Given<YamlNode> day_ahead;
  std::vector<KeyRule> rules = TariffRules(keys);
  rules.push_back(ReadNode("day_ahead", day_ahead));
  ReadSection(root, "", rules, {}, problems);
  if (day_ahead) {
    if (keys.schedules || keys.flat_rate)
      problems.Add(day_ahead.line, "day_ahead stands beside schedules or flatRate: leave one out");
    return ReadDayAhead(*day_ahead, name, read_file, problems);
  }
  prices::Tariff tariff = ResolveTariff(keys, FileStem(name, "tariff"), problems);
  if (!problems.empty()) return Fail(problems.ToError());
  return prices::PriceSource(std::move(tariff));
}

Result<prices::PriceSource> LoadPrices(const std::string& name) {
  const std::string path = platform::Shipped(name);
  const FileReader read = [](const std::string& file) { return platform::ReadFileMaybeGzip(file); };
  EBB_ASSIGN_OR_RETURN(const std::string text, read(path));
  return ParsePrices(text, path, read);
}

}  // namespace ebb::config
