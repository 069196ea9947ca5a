// ebb prices FILE: the price of electricity now, its next change, and the rates of today and
// tomorrow.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "app/options/flag_values.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "cli/local_times.h"
#include "config/prices/price_file.h"
#include "report/json_parts.h"

namespace ebb::cli {
namespace {

constexpr const char* kExamples = R"(
Examples:
  ebb prices configs/prices/california-pge.yaml
  ebb prices day-ahead.csv --at 2026-05-01T17:00Z
  ebb prices tariff.yaml --format json

docs/prices.md describes the files. The same file goes to ebb run, plan, simulate and sweep run
with --prices.)";

struct PricesOptions {
  std::string file, at;
  bool json = false;
};

struct PricesView {
  prices::PriceSource source;
  Time now{};
  std::string time_zone;       ///< zone of the days that are shown
  std::vector<Interval> days;  ///< today and tomorrow there
  core::PriceSeries known;     ///< prices over those days, as far as published by now
};

// The days are those of the tariff's first schedule. A series has no place, so its days are in UTC.
Result<PricesView> Look(const PricesOptions& options) {
  EBB_ASSIGN_OR_RETURN(prices::PriceSource source, config::LoadPrices(options.file));
  PricesView view{std::move(source), {}, "UTC", {}, {}};
  view.now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (!options.at.empty()) {
    EBB_ASSIGN_OR_RETURN(view.now, app::TimeOf("--at", options.at));
  }
  const prices::Tariff* tariff = view.source.tariff();
  if (tariff && !tariff->windows.empty()) view.time_zone = tariff->windows.front().clock.name();
  EBB_ASSIGN_OR_RETURN(const prices::ZoneClock clock, prices::ZoneClock::Find(view.time_zone));
  const auto today = std::chrono::floor<std::chrono::days>(clock.LocalOf(view.now));
  for (int i = 0; i < 2; ++i)
    view.days.push_back(
        {clock.UtcOf(today + std::chrono::days{i}), clock.UtcOf(today + std::chrono::days{i + 1})});
  const Interval both{view.days.front().begin, view.days.back().end};
  view.known = view.source.Over(both).KnownAt(view.now, both);
  return view;
}

std::string Unit(const PricesView& view) {
  const std::string& currency = view.source.identity().currency;
  return currency.empty() ? "(a ratio, no money)" : currency + "/kWh";
}

std::string WindowName(const PricesView& view, Time time) {
  const prices::Tariff* tariff = view.source.tariff();
  if (!tariff) return "";
  const auto rate = prices::RateAt(*tariff, time);
  return rate && rate->window ? rate->window->name : "off-peak";
}

std::string Line(const PricesView& view, const core::PriceSample& sample, const LocalTimes& times) {
  std::string text = FormatClock(times.Shown(sample.interval.begin)) + " to " +
                     FormatClock(times.Shown(sample.interval.end)) + "  " +
                     core::DescribePrice(sample.per_kwh, {});
  const std::string name = WindowName(view, sample.interval.begin);
  if (!name.empty()) text += "  " + name;
  if (sample.interval.contains(view.now)) text += "  <- now";
  return text + "\n";
}

Result<std::string> Text(const PricesView& view) {
  EBB_ASSIGN_OR_RETURN(const prices::ZoneClock clock, prices::ZoneClock::Find(view.time_zone));
  const core::PriceSample* now = view.known.At(view.now);
  std::string text = view.source.identity().source + ", " + Unit(view) + "\n";
  const LocalTimes times(clock, view.now);
  text += times.Minute(view.now) + "  now " +
          (now ? core::DescribePrice(now->per_kwh, {}) : std::string("unknown"));
  if (const core::PriceSample* next = view.known.NextAfter(view.now))
    text += ", " + core::DescribePrice(next->per_kwh, {}) + " from " +
            times.Moment(next->interval.begin);
  text += "\n";
  for (std::size_t day = 0; day < view.days.size(); ++day) {
    text += "\n" + std::string(day == 0 ? "today" : "tomorrow") + ", " + view.time_zone + "\n";
    const core::PriceSeries part = view.known.Slice(view.days[day]);
    for (const core::PriceSample& sample : part.samples()) text += "  " + Line(view, sample, times);
    const auto mean = part.Mean(view.days[day]);
    if (!mean) text += "  not known\n";
    if (mean && mean->coverage < 1)
      text += "  known for " + FormatFixed(100 * mean->coverage, 0) + " % of the day\n";
  }
  return text;
}

std::string Json(const PricesView& view) {
  const auto sample_json = [&](const core::PriceSample& sample) {
    nlohmann::ordered_json json{{"begin", FormatTime(sample.interval.begin)},
                                {"end", FormatTime(sample.interval.end)},
                                {"price_per_kwh", sample.per_kwh}};
    if (const std::string name = WindowName(view, sample.interval.begin); !name.empty())
      json["window"] = name;
    return json;
  };
  nlohmann::ordered_json json;
  json["schema"] = "ebb.prices/1";
  json["source"] = view.source.identity().source;
  const std::string& currency = view.source.identity().currency;
  json["currency"] = currency.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(currency);
  json["now"] = FormatTime(view.now);
  const core::PriceSample* now = view.known.At(view.now);
  const core::PriceSample* next = view.known.NextAfter(view.now);
  json["current"] = now ? sample_json(*now) : nlohmann::ordered_json();
  json["next"] = next ? sample_json(*next) : nlohmann::ordered_json();
  json["time_zone"] = view.time_zone;
  const char* const names[] = {"today", "tomorrow"};
  for (std::size_t day = 0; day < view.days.size(); ++day) {
    json[names[day]] = nlohmann::ordered_json::array();
    const core::PriceSeries part = view.known.Slice(view.days[day]);
    for (const core::PriceSample& sample : part.samples())
      json[names[day]].push_back(sample_json(sample));
  }
  return report::Document(json);
}

}  // namespace

void AddPricesCommand(Parser& parser) {
  Command& command =
      parser.Add("prices", "what electricity costs now, today and tomorrow", kExamples);
  auto options = std::make_shared<PricesOptions>();
  command.Positional("FILE", "a tariff (YAML) or day-ahead prices (CSV)", &options->file);
  command.Flag({"at", "TIME", "the moment (default: now)"},
               [options](const std::string& text) { options->at = text; });
  command.Flag({"format", "text|json", "output format"},
               [options](const std::string& text) { options->json = text == "json"; });
  command.Action([options]() -> Result<int> {
    EBB_ASSIGN_OR_RETURN(const PricesView view, Look(*options));
    EBB_ASSIGN_OR_RETURN(const std::string text, Text(view));
    std::fputs((options->json ? Json(view) : text).c_str(), stdout);
    return 0;
  });
}

}  // namespace ebb::cli
