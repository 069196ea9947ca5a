#include "signals/weather/gfs_server.h"

#include <cstdio>
#include <set>

#include "base/text.h"
#include "signals/http/web_request.h"
#include "signals/weather/gfs_index.h"
#include "signals/weather/gfs_runs.h"
#include "signals/weather/grib_field.h"
#include "signals/weather/weather_options.h"

namespace ebb::signals {
namespace {

constexpr Duration kBetweenRuns{std::chrono::hours{6}};
constexpr Duration kSoonestThere{std::chrono::hours{3}};
constexpr Duration kStillOfUse{std::chrono::hours{30}};
constexpr int kAheadHours = 120, kAheadStep = 3;
constexpr int kPastHours = 96, kPastStep = 6;
constexpr int kPastDays = 92, kDaysAtOnce = 3, kDaysAbsent = 3;
constexpr std::uint64_t kIndexLimitBytes = 1 << 20, kRangeLimitBytes = 64 << 20;
constexpr Duration kTimeout{60'000};
constexpr int kNotFound = 404, kForbidden = 403, kPartial = 206;
constexpr const char* kNoKey = "the server must give its files without a key";

// The part of a run that was fetched, so that after a failure the next question continues there.
struct PartOfRun {
  Time issued{};
  std::vector<WeatherPoint> points;
  int next_hour = 0;
  std::vector<GribField> fields;
};

class GfsServer final : public WeatherSource {
 public:
  GfsServer(std::string server, HttpGetFunction http_get)
      : server_(std::move(server)), http_get_(std::move(http_get)) {}

  const std::string& name() const override { return name_; }
  std::string_view terms() const override {
    return "weather of NOAA's GFS (public domain); a new zone first fetches how its last 92 days "
           "had been forecast, about 0.5 GB in the background (docs/weather.md)";
  }
  const std::string& server() const override { return server_; }

  Result<RunsByZone> Ahead(const std::vector<ZoneToAsk>& zones, Time now,
                           Time newer_than) override {
    const auto since_epoch = (now - kSoonestThere).time_since_epoch();
    for (Time run{since_epoch - since_epoch % kBetweenRuns};
         run > newer_than && run > now - kStillOfUse; run -= kBetweenRuns) {
      EBB_ASSIGN_OR_RETURN(const auto last, IndexOf(run, kAheadHours));
      if (!last) continue;
      const std::vector<WeatherPoint> points = PointsOf(zones);
      if (part_.issued != run || part_.points != points) part_ = {run, points, 0, {}};
      EBB_RETURN_IF_ERROR(FetchRun(part_, kAheadHours, kAheadStep));
      const PartOfRun whole = std::exchange(part_, {});
      return RunsOfZones(whole.fields, zones, kLiveWindHeight_m, now - run);
    }
    if (newer_than == Time{})
      return Fail({ExitCode::kUnavailable, "the server has no run of the last day", server_,
                   "check the address: it is followed by /gfs.YYYYMMDD/HH/atmos/"});
    return RunsByZone{};
  }

  Result<std::vector<forecast::WeatherRun>> Past(const ZoneToAsk& zone, Time now,
                                                 const forecast::WeatherArchive& kept) override {
    std::vector<forecast::WeatherRun> runs;
    int absent = 0;
    for (const Time day : MissingDays(kept, now)) {
      if (runs.size() >= kDaysAtOnce) break;
      EBB_ASSIGN_OR_RETURN(const auto index, IndexOf(day, kPastHours));
      if (!index) {
        absent_.insert(day);
        // Servers keep runs for some days, so several absent days in a row mean that earlier ones
        // are absent, too.
        if (++absent == kDaysAbsent) absent_until_ = day;
        continue;
      }
      absent = 0;
      PartOfRun run{day, zone.points, 0, {}};
      EBB_RETURN_IF_ERROR(FetchRun(run, kPastHours, kPastStep));
      EBB_ASSIGN_OR_RETURN(auto by_zone,
                           RunsOfZones(run.fields, {zone}, kLiveWindHeight_m, kUsualWeatherLag));
      runs.push_back(std::move(by_zone.front().front()));
    }
    return runs;
  }

  bool LacksPast(const forecast::WeatherArchive& kept, Time now) const override {
    return !MissingDays(kept, now).empty();
  }

 private:
  // The days without a run, the latest first.
  std::vector<Time> MissingDays(const forecast::WeatherArchive& kept, Time now) const {
    std::set<Time> known;
    for (const forecast::WeatherRun& run : kept.runs())
      known.insert(std::chrono::floor<std::chrono::days>(run.issued));
    const Time today = std::chrono::floor<std::chrono::days>(now);
    std::vector<Time> missing;
    for (int back = 1; back <= kPastDays; ++back) {
      const Time day = today - back * std::chrono::days{1};
      if (day <= absent_until_) break;
      if (!known.contains(day) && !absent_.contains(day)) missing.push_back(day);
    }
    return missing;
  }

  std::string FileOf(Time run, int hour) const {
    const auto day = std::chrono::floor<std::chrono::days>(run);
    const std::chrono::year_month_day date(day);
    char name[80];
    const int cycle = static_cast<int>((run - day) / std::chrono::hours{1});
    std::snprintf(name, sizeof name, "/gfs.%04d%02u%02u/%02d/atmos/gfs.t%02dz.pgrb2.1p00.f%03d",
                  static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                  static_cast<unsigned>(date.day()), cycle, cycle, hour);
    return server_ + name;
  }

  // nullopt if the server does not have it. Buckets answer 403 if listing them is not allowed.
  Result<std::optional<std::string>> IndexOf(Time run, int hour) const {
    platform::HttpRequest request;
    request.url = FileOf(run, hour) + ".idx";
    request.limit_bytes = kIndexLimitBytes;
    EBB_ASSIGN_OR_RETURN(platform::HttpResponse answer, http_get_(request));
    if (answer.status == kNotFound || answer.status == kForbidden) return std::nullopt;
    if (answer.status != 200) return Fail(RefusedBy(request.url, answer.status, kNoKey));
    return std::optional(std::move(answer.body));
  }

  Status FetchRun(PartOfRun& run, int last_hour, int step) const {
    for (; run.next_hour <= last_hour; run.next_hour += step) {
      const std::string url = FileOf(run.issued, run.next_hour);
      EBB_ASSIGN_OR_RETURN(const auto index, IndexOf(run.issued, run.next_hour));
      if (!index)
        return Fail({ExitCode::kUnavailable, "a step of the run is not there", ShownUrl(url), ""});
      EBB_ASSIGN_OR_RETURN(const auto ranges,
                           WantedRanges(*index, run.next_hour == 0, ShownUrl(url) + ".idx"));
      std::vector<GribField> of_step;
      for (const ByteRange& range : ranges) {
        EBB_ASSIGN_OR_RETURN(const std::string bytes, PartOf(url, range));
        EBB_ASSIGN_OR_RETURN(auto fields, ReadGrib(bytes, ShownUrl(url), run.points));
        std::move(fields.begin(), fields.end(), std::back_inserter(of_step));
      }
      EBB_RETURN_IF_ERROR(CheckRun(of_step, run.issued, url));
      std::move(of_step.begin(), of_step.end(), std::back_inserter(run.fields));
    }
    return {};
  }

  static Status CheckRun(const std::vector<GribField>& fields, Time issued,
                         const std::string& url) {
    for (const GribField& field : fields)
      if (field.issued != issued)
        return Fail({ExitCode::kUnavailable,
                     "the file is of the run of " + FormatTime(field.issued), ShownUrl(url), ""});
    return {};
  }

  Result<std::string> PartOf(const std::string& url, const ByteRange& range) const {
    platform::HttpRequest request;
    request.url = url;
    request.limit_bytes = kRangeLimitBytes;
    request.timeout = kTimeout;
    request.headers = {"Range: bytes=" + std::to_string(range.first) + "-" +
                       (range.last ? std::to_string(*range.last) : "")};
    EBB_ASSIGN_OR_RETURN(platform::HttpResponse answer, http_get_(request));
    if (answer.status == 200)
      return Fail({ExitCode::kConfiguration, "the server gives no parts of files", ShownUrl(url),
                   "name one that answers requests with a Range: --weather-url"});
    if (answer.status != kPartial) return Fail(RefusedBy(url, answer.status, kNoKey));
    if (range.last && answer.body.size() != *range.last - range.first + 1)
      return Fail({ExitCode::kUnavailable, "the server gave another part than asked for",
                   ShownUrl(url), ""});
    return std::move(answer.body);
  }

  const std::string name_ = "gfs";
  const std::string server_;
  const HttpGetFunction http_get_;
  PartOfRun part_;
  std::set<Time> absent_;  ///< days whose run the server does not have
  Time absent_until_{};    ///< the server has no runs before this day
};

}  // namespace

std::unique_ptr<WeatherSource> MakeGfsServer(std::string server, HttpGetFunction http_get) {
  return std::make_unique<GfsServer>(std::move(server), std::move(http_get));
}

}  // namespace ebb::signals
