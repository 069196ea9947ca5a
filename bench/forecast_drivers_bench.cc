// Measures what further drivers add to the forecast of a zone: the mean absolute error by lead day
// without drivers, with each driver alone, and with all.
//
//   forecast_drivers_bench TRACE.csv FROM TO [--weather RUNS.csv] [NAME FILE.csv]...
//
// A driver's file has the columns timestamp (of a whole hour), known (the time from which the value
// is known) and value. A forecast is made every 7 hours from FROM to TO, and each hour is known an
// hour after its end. Prints a row for each forecast and set of drivers; bench/forecast-drivers
// makes figures of them.
#include <cstdio>

#include "base/csv.h"
#include "base/text.h"
#include "forecast/ridge_forecaster.h"
#include "forecast/weather_forecaster.h"
#include "platform/file.h"
#include "signals/traces/trace_csv.h"
#include "signals/weather/weather_csv.h"

namespace ebb {
namespace {

using std::chrono::hours;

constexpr int kDays = 4;

struct Question {
  std::string trace;
  Interval issues;
  std::shared_ptr<const forecast::WeatherArchive> weather;
  std::vector<forecast::Driver> drivers;
};

Result<forecast::Driver> ReadDriver(const std::string& name, const std::string& path) {
  EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(path));
  forecast::Driver driver{name, {}, {}};
  CsvReader csv(text, path);
  EBB_ASSIGN_OR_RETURN(const bool has_header, csv.Next());
  if (!has_header) return driver;
  EBB_RETURN_IF_ERROR(csv.ForEach([&]() -> Status {
    const auto& fields = csv.fields();
    const auto value = fields.size() == 3 ? ParseNumber(fields[2]) : std::nullopt;
    if (!value)
      return Fail({ExitCode::kConfiguration, "not timestamp,known,value",
                   path + ":" + std::to_string(csv.line()), ""});
    EBB_ASSIGN_OR_RETURN(const Time hour, ParseTime(fields[0]));
    EBB_ASSIGN_OR_RETURN(const Time known, ParseTime(fields[1]));
    if (driver.hours.empty()) driver.begin = hour;
    driver.hours.resize(static_cast<std::size_t>((hour - driver.begin) / Duration{hours{1}}));
    driver.hours.push_back(forecast::DriverHour{*value, known});
    return {};
  }));
  return driver;
}

Result<Question> Read(const std::vector<std::string>& words) {
  Question question;
  if (words.size() < 3 || words.size() % 2 == 0)
    return Fail({ExitCode::kUsage, "TRACE FROM TO, then pairs of a flag and a file", "", ""});
  question.trace = words[0];
  EBB_ASSIGN_OR_RETURN(question.issues.begin, ParseTime(words[1]));
  EBB_ASSIGN_OR_RETURN(question.issues.end, ParseTime(words[2]));
  for (std::size_t i = 3; i < words.size(); i += 2) {
    if (words[i] == "--weather") {
      EBB_ASSIGN_OR_RETURN(auto weather, signals::LoadWeather(words[i + 1]));
      question.weather = std::make_shared<const forecast::WeatherArchive>(std::move(weather));
    } else {
      EBB_ASSIGN_OR_RETURN(forecast::Driver driver, ReadDriver(words[i], words[i + 1]));
      question.drivers.push_back(std::move(driver));
    }
  }
  return question;
}

Status Measure(const Question& question, const std::string& set,
               const std::vector<forecast::Driver>& drivers) {
  const core::Publication publication = core::kMeasuredPublication;
  EBB_ASSIGN_OR_RETURN(const signals::Trace trace, signals::LoadTrace(question.trace));
  auto inputs = drivers.empty()
                    ? nullptr
                    : std::make_shared<const forecast::DriverInputs>(drivers, publication);
  std::unique_ptr<forecast::Forecaster> forecaster;
  if (question.weather)
    forecaster = std::make_unique<forecast::WeatherForecaster>(question.weather, publication,
                                                               std::move(inputs));
  else
    forecaster = forecast::AsPublished(
        inputs ? std::make_unique<forecast::RidgeForecaster>(std::move(inputs))
               : std::make_unique<forecast::RidgeForecaster>(),
        publication);
  for (Time now = question.issues.begin; now < question.issues.end; now += hours{7}) {
    EBB_ASSIGN_OR_RETURN(const auto ahead, forecaster->At(trace.series, now, hours{24 * kDays}));
    std::string row = FormatTime(now) + "," + set;
    for (int day = 0; day < kDays; ++day) {
      double sum = 0;
      int count = 0;
      for (Time hour = now + hours{24 * day}; hour < now + hours{24 * day + 24}; hour += hours{1}) {
        const auto expected = ahead.series.Mean({hour, hour + hours{1}});
        const auto came = trace.series.Mean({hour, hour + hours{1}});
        if (!expected || !came) continue;
        sum += std::abs(expected->intensity.g_per_kwh - came->intensity.g_per_kwh);
        ++count;
      }
      row += "," + (count > 0 ? std::to_string(sum / count) : std::string());
    }
    std::puts(row.c_str());
  }
  return {};
}

Status MeasureAll(const std::vector<std::string>& words) {
  EBB_ASSIGN_OR_RETURN(const Question question, Read(words));
  std::puts("now,drivers,day_1,day_2,day_3,day_4");
  EBB_RETURN_IF_ERROR(Measure(question, "none", {}));
  for (const forecast::Driver& driver : question.drivers)
    EBB_RETURN_IF_ERROR(Measure(question, driver.name, {driver}));
  if (question.drivers.size() > 1) EBB_RETURN_IF_ERROR(Measure(question, "all", question.drivers));
  return {};
}

}  // namespace
}  // namespace ebb

int main(int count, char** words) {
  const auto status = ebb::MeasureAll({words + 1, words + count});
  if (status) return 0;
  std::fprintf(stderr, "%s\n", status.error().Message().c_str());
  return 1;
}
