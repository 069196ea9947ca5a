// Feeds any bytes to the readers of weather: as an answer of Open-Meteo about one place and about
// two, as a file of archived runs, as GRIB2 and as an index of it. Each reader refuses them with an
// Error or returns possible weather, and runs that are written out read back as the same. Run:
// build/fuzz/bin/weather_fuzz -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "signals/weather/gfs_index.h"
#include "signals/weather/gfs_runs.h"
#include "signals/weather/grib_field.h"
#include "signals/weather/open_meteo.h"
#include "signals/weather/weather_csv.h"

namespace {

using namespace ebb::signals;

const ebb::Time kNow = *ebb::ParseTime("2026-05-06T10:00Z");

// Passes the bytes through the source, like an answer of the server.
class Answered {
 public:
  explicit Answered(std::string_view body)
      : source_(MakeOpenMeteo({}, [body](const ebb::platform::HttpRequest&) {
          ebb::platform::HttpResponse answer;
          answer.status = 200;
          answer.body = body;
          return answer;
        })) {}
  void Ask(std::size_t places) {
    const ZoneToAsk zone{"DE", std::vector<WeatherPoint>(places, {54.4, 9.2})};
    if (const auto ahead = source_->Ahead({zone}, kNow, {})) {
      EBB_CHECK(ahead->size() == 1);
      Check(ahead->front());
    }
    if (const auto past = source_->Past(zone, kNow, {})) Check(*past);
  }

 private:
  static void Check(std::vector<ebb::forecast::WeatherRun> runs) {
    std::erase_if(runs, [](const auto& run) { return run.hours.empty(); });
    (void)ebb::forecast::WeatherArchive::Create("fuzz", std::move(runs));
  }
  std::unique_ptr<WeatherSource> source_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  Answered answered(bytes);
  answered.Ask(1);
  answered.Ask(2);
  (void)WantedRanges(bytes, false, "fuzz.idx");
  if (const auto fields = ReadGrib(bytes, "fuzz.grib2", {{54.4, 9.2}, {-33, 151}}))
    (void)RunsOfGfs(*fields, {0, 2}, 10, {});
  const auto archive = ParseWeather(bytes, "fuzz.csv");
  if (!archive || archive->empty()) return 0;
  const auto again = ParseWeather(WeatherText(*archive), "again.csv");
  EBB_CHECK(again && again->runs().size() == archive->runs().size());
  for (std::size_t i = 0; i < again->runs().size(); ++i)
    EBB_CHECK(again->runs()[i].issued == archive->runs()[i].issued);
  return 0;
}
