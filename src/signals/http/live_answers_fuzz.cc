// Feeds any bytes to the readers of live providers' answers. Each reader refuses them with an Error
// that says where, or returns samples that make a series. The first byte chooses the provider. Run:
// build/fuzz/bin/live_answers_fuzz -max_total_time=60
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "signals/markets/energy_charts.h"
#include "signals/providers/caiso.h"
#include "signals/providers/carbon_aware_sdk.h"
#include "signals/providers/command_source.h"
#include "signals/providers/eia930.h"
#include "signals/providers/electricity_maps.h"
#include "signals/providers/energy_charts_intensity.h"
#include "signals/providers/entsoe_generation.h"
#include "signals/providers/ercot.h"
#include "signals/providers/ieso.h"
#include "signals/providers/json_address.h"
#include "signals/providers/miso.h"
#include "signals/providers/nyiso.h"
#include "signals/providers/open_electricity.h"
#include "signals/providers/spp.h"
#include "signals/providers/uk_carbon_intensity.h"
#include "signals/providers/watttime.h"

namespace {

using namespace ebb;
using namespace ebb::signals;

const Time kNow = *ParseTime("2026-05-06T12:00Z");

// Converts an operator's rows to g/kWh.
Result<Payload> GramsOf(const Result<std::vector<GenerationRow>>& rows) {
  if (!rows) return Fail(rows.error());
  const Duration step{300'000};
  EBB_ASSIGN_OR_RETURN(auto points, IntensityOf(*rows, step, core::Boundary::kLifecycle, "fuzz"));
  Payload payload;
  EBB_ASSIGN_OR_RETURN(payload.samples, SamplesFrom(std::move(points), step, "fuzz"));
  return payload;
}

Result<Payload> Parse(int provider, const std::string& body) {
  switch (provider) {
    case 0:
      return ParseElectricityMaps(body, "fuzz");
    case 1:
      return ParseUkCarbonIntensity(body, 0, "fuzz");
    case 2:
      return ParseUkCarbonIntensity(body, 13, "fuzz");
    case 3:
      return ParseWattTime(body, "fuzz");
    case 4:
      return ParseCarbonAwareSdkEmissions(body, "fuzz");
    case 5:
      return ParseCarbonAwareSdkForecast(body, "fuzz");
    case 6:
      return ParseJsonAddress(body, {}, {kNow, Duration{60'000}}, "fuzz");
    case 7:
      return ParseEnergyChartsIntensity(body, "fuzz");
    case 8:
      return GramsOf(ParseCaiso(body, "20261101", "fuzz"));
    case 9:
      return GramsOf(ParseNyiso(body, "fuzz"));
    case 10:
      return GramsOf(ParseErcot(body, "fuzz"));
    case 11:
      return GramsOf(ParseEia930(body, "fuzz"));
    case 12:
      return GramsOf(ParseMiso(body, "fuzz"));
    case 13:
      return GramsOf(ParseSpp(body, "fuzz"));
    case 14:
      return GramsOf(ParseIeso(body, "fuzz"));
    case 15:
      return GramsOf(ParseOpenElectricity(body, "fuzz"));
    case 16:
      return ParseCommandRows(body, core::Boundary::kUnknown, "fuzz");
    default:
      return ParseJsonAddress(body, {"/v", "/t", "/rows", "lb/MWh"}, {kNow, Duration{60'000}},
                              "fuzz");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string body(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::ignore = ParseWattTimeLogin(body, "fuzz");
  std::ignore = GramsOf(ParseEntsoeGeneration(body, "fuzz"));  // a reader whose errors name lines
  if (const auto prices = ParseEnergyCharts(body, "fuzz"); !prices)
    EBB_CHECK(!prices.error().what.empty());
  const auto payload = Parse(data[0] % 18, body);
  if (!payload) {
    EBB_CHECK(!payload.error().what.empty() && payload.error().where.starts_with("fuzz"));
    return 0;
  }
  EBB_CHECK(core::IntensitySeries::Create({}, payload->samples).has_value());
  Reading reading;
  if (AddPayload(*payload, kNow, "fuzz", reading))
    for (const core::Sample& sample : reading.known) EBB_CHECK(sample.interval.begin <= kNow);
  return 0;
}
