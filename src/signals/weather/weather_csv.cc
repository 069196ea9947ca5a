#include "signals/weather/weather_csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "platform/file.h"
#include "signals/traces/csv_rows.h"
#include "signals/weather/weather_steps.h"

namespace ebb::signals {
namespace {

constexpr double kMostLeadHours = 16.0 * 24;
constexpr double kFreezingK = 273.15;

enum class Column { kIssued, kPublished, kLead, kWind, kTemperature, kShortwave, kRain };
constexpr std::size_t kColumns = 7;

struct ColumnName {
  std::string_view name;
  Column column;
  double offset;  ///< added to convert to the unit of WeatherHour
};
constexpr std::array<ColumnName, 11> kNames{{{"issued", Column::kIssued, 0},
                                             {"published", Column::kPublished, 0},
                                             {"lead_h", Column::kLead, 0},
                                             {"wind_mean_mps", Column::kWind, 0},
                                             {"temperature_mean_k", Column::kTemperature, 0},
                                             {"wind_100m_mps", Column::kWind, 0},
                                             {"wind_10m_mps", Column::kWind, 0},
                                             {"temperature_2m_k", Column::kTemperature, 0},
                                             {"temperature_2m_c", Column::kTemperature, kFreezingK},
                                             {"shortwave_w_m2", Column::kShortwave, 0},
                                             {"precipitation_mm_h", Column::kRain, 0}}};

// Beginnings of columns of known quantities: with another ending, the unit is not understood.
constexpr std::array<std::string_view, 4> kQuantities{"wind_", "temperature_", "shortwave",
                                                      "precipitation"};

struct Header {
  std::size_t columns = 0;
  std::array<std::optional<std::size_t>, kColumns> at{};
  double temperature_offset = 0;
  bool has_hours = false;  ///< all values are means over the hour that begins at lead_h
  std::optional<std::size_t> Of(Column column) const {
    return at[static_cast<std::size_t>(column)];
  }
};

Status CheckUnit(std::string_view name, const std::string& path) {
  for (const std::string_view quantity : kQuantities)
    if (name.starts_with(quantity))
      return Fail(AtLine(path, 1, "the unit of column \"" + std::string(name) + "\" is not known",
                         "give wind_10m_mps or wind_100m_mps (m/s), temperature_2m_k or "
                         "temperature_2m_c, shortwave_w_m2, precipitation_mm_h"));
  return {};
}

Result<Header> ReadHeader(const std::vector<std::string_view>& fields, const std::string& path) {
  Header header;
  header.columns = fields.size();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ColumnName* known = nullptr;
    for (const ColumnName& name : kNames)
      if (name.name == fields[i]) known = &name;
    if (!known) {
      EBB_RETURN_IF_ERROR(CheckUnit(fields[i], path));
      continue;
    }
    auto& at = header.at[static_cast<std::size_t>(known->column)];
    // Turbines see the wind at 100 m, so that column wins over wind at 10 m.
    const bool better = known->name != "wind_10m_mps";
    if (at && known->column != Column::kWind)
      return Fail(AtLine(path, 1, "there are two columns for " + std::string(known->name)));
    if (at && !better) continue;
    at = i;
    if (known->column == Column::kTemperature) header.temperature_offset = known->offset;
    if (known->column == Column::kWind) header.has_hours = known->name == "wind_mean_mps";
  }
  for (const auto& [column, name] : {std::pair{Column::kIssued, "issued"},
                                     {Column::kLead, "lead_h"},
                                     {Column::kWind, "wind_10m_mps"},
                                     {Column::kTemperature, "temperature_2m_k"},
                                     {Column::kShortwave, "shortwave_w_m2"}})
    if (!header.Of(column))
      return Fail(AtLine(path, 1, std::string("there is no column ") + name,
                         "the first line must name the columns: "
                         "issued,lead_h,wind_10m_mps,temperature_2m_k,shortwave_w_m2"));
  return header;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& path, Duration lag)
      : path_(path), lag_(lag), csv_(text, path, CsvBlanks::kTrimmed) {}

  Result<std::vector<forecast::WeatherRun>> Read() {
    EBB_ASSIGN_OR_RETURN(const bool has_header, csv_.Next());
    if (!has_header) return Fail(AtLine(path_, 1, "the file is empty"));
    EBB_ASSIGN_OR_RETURN(header_, ReadHeader(csv_.fields(), path_));
    EBB_RETURN_IF_ERROR(csv_.ForEach([&] { return ReadRow(); }));
    EndRun();
    if (runs_.empty()) return Fail(AtLine(path_, csv_.line(), "the file holds no weather"));
    return std::move(runs_);
  }

 private:
  Status ReadRow() {
    if (csv_.fields().size() != header_.columns)
      return Fail(AtLine(path_, csv_.line(),
                         "the row has " + std::to_string(csv_.fields().size()) + " fields, not " +
                             std::to_string(header_.columns) + " as the first line"));
    EBB_ASSIGN_OR_RETURN(const Time issued, TimeIn(Column::kIssued));
    EBB_ASSIGN_OR_RETURN(const auto lead, NumberIn(Column::kLead));
    if (!lead || *lead < 0 || *lead > kMostLeadHours)
      return Fail(Bad("lead_h must be from 0 to " + FormatFixed(kMostLeadHours, 0)));
    if (steps_.empty() || issued != issued_) EBB_RETURN_IF_ERROR(BeginRun(issued));
    WeatherStep step;
    step.at = issued + DurationFromSeconds(*lead * 3600);
    if (!steps_.empty() && step.at <= steps_.back().at)
      return Fail(Bad("the rows of a run must be in order of lead_h, none twice"));
    EBB_ASSIGN_OR_RETURN(const auto wind, NumberIn(Column::kWind));
    EBB_ASSIGN_OR_RETURN(const auto temperature, NumberIn(Column::kTemperature));
    EBB_ASSIGN_OR_RETURN(const auto sun, NumberIn(Column::kShortwave));
    EBB_ASSIGN_OR_RETURN(const auto rain, NumberIn(Column::kRain));
    const bool has_rain = header_.Of(Column::kRain).has_value();
    step.wind_mps = wind.value_or(NAN);
    step.temperature_k = temperature ? *temperature + header_.temperature_offset : NAN;
    step.shortwave_w_m2 = sun.value_or(NAN);
    step.precipitation_mm_h = rain.value_or(has_rain ? NAN : 0);
    EBB_RETURN_IF_ERROR(CheckGiven(step));
    // A row with a missing value stays, because without it values would be interpolated over the
    // hole. In a file of hours it is left out: nothing is interpolated there.
    if (!header_.has_hours || (wind && temperature && sun && (rain || !has_rain)))
      steps_.push_back(step);
    return {};
  }

  Status CheckGiven(const WeatherStep& step) const {
    constexpr double kUsualTemperature = 283;
    const auto or_usual = [](double value, double usual) {
      return std::isnan(value) ? usual : value;
    };
    auto fine = forecast::CheckWeather(
        {or_usual(step.wind_mps, 0), or_usual(step.temperature_k, kUsualTemperature),
         or_usual(step.shortwave_w_m2, 0), or_usual(step.precipitation_mm_h, 0)});
    if (fine) return {};
    Error error = std::move(fine).error();
    error.where = path_ + ":" + std::to_string(csv_.line());
    return Fail(std::move(error));
  }

  Status BeginRun(Time issued) {
    EndRun();
    if (!runs_.empty() && issued <= runs_.back().issued)
      return Fail(Bad("the runs must be in order, each of them in one piece"));
    issued_ = issued;
    published_ = issued + lag_;
    if (header_.Of(Column::kPublished)) {
      EBB_ASSIGN_OR_RETURN(published_, TimeIn(Column::kPublished));
    }
    return {};
  }

  void EndRun() {
    if (steps_.empty()) return;
    forecast::WeatherRun run =
        header_.has_hours ? RunOfHours() : HourlyRun(issued_, published_, steps_);
    if (std::ranges::any_of(run.hours, [](const auto& hour) { return hour.has_value(); }))
      runs_.push_back(std::move(run));
    steps_.clear();
  }

  forecast::WeatherRun RunOfHours() const {
    forecast::WeatherRun run{issued_, published_, steps_.front().at, {}};
    for (const WeatherStep& step : steps_) {
      run.hours.resize(static_cast<std::size_t>((step.at - run.begin) / std::chrono::hours{1}) + 1);
      run.hours.back() = {step.wind_mps, step.temperature_k, step.shortwave_w_m2,
                          step.precipitation_mm_h};
    }
    return run;
  }

  std::string_view Field(Column column) const { return csv_.fields()[*header_.Of(column)]; }
  Result<Time> TimeIn(Column column) const {
    const auto time = ParseTime(Field(column));
    if (time) return *time;
    return Fail(Bad("\"" + std::string(Field(column)) + "\" is not a time"));
  }
  // nullopt if the field is empty or the file has no such column.
  Result<std::optional<double>> NumberIn(Column column) const {
    if (!header_.Of(column) || Field(column).empty()) return std::optional<double>();
    const auto number = ParseNumber(Field(column));
    if (number) return std::optional(*number);
    return Fail(Bad("\"" + std::string(Field(column)) + "\" is not a number"));
  }
  Error Bad(std::string what) const { return AtLine(path_, csv_.line(), std::move(what)); }

  const std::string& path_;
  const Duration lag_;
  CsvReader csv_;
  Header header_;
  Time issued_{}, published_{};
  std::vector<WeatherStep> steps_;
  std::vector<forecast::WeatherRun> runs_;
};

}  // namespace

Result<forecast::WeatherArchive> ParseWeather(std::string_view text, const std::string& path,
                                              Duration publication_lag) {
  EBB_ASSIGN_OR_RETURN(auto runs, Reader(text, path, publication_lag).Read());
  return forecast::WeatherArchive::Create(std::filesystem::path(path).filename().string(),
                                          std::move(runs));
}

std::string WeatherText(const forecast::WeatherArchive& archive) {
  std::string text =
      "issued,published,lead_h,wind_mean_mps,temperature_mean_k,shortwave_w_m2,"
      "precipitation_mm_h\n";
  for (const forecast::WeatherRun& run : archive.runs()) {
    const std::string times = FormatTime(run.issued) + "," + FormatTime(run.published) + ",";
    for (std::size_t i = 0; i < run.hours.size(); ++i) {
      if (!run.hours[i]) continue;
      const Time begin = run.begin + static_cast<Duration::rep>(i) * std::chrono::hours{1};
      const forecast::WeatherHour& hour = *run.hours[i];
      text += times + FormatExact(Hours(begin - run.issued)) + "," + FormatExact(hour.wind_mps) +
              "," + FormatExact(hour.temperature_k) + "," + FormatExact(hour.shortwave_w_m2) + "," +
              FormatExact(hour.precipitation_mm_h) + "\n";
    }
  }
  return text;
}

Result<forecast::WeatherArchive> LoadWeather(const std::string& path, Duration publication_lag) {
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFileMaybeGzip(path));
  return ParseWeather(text, path, publication_lag);
}

}  // namespace ebb::signals
