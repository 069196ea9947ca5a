#include "report/run/signal_file.h"

#include "base/csv.h"
#include "base/text.h"
#include "base/time.h"

namespace ebb::report {
namespace {

constexpr std::string_view kHeader = "timestamp,end,carbon_intensity,status";
constexpr std::string_view kPricesHeader = "timestamp,end,price,unit";
// Header of a signal from a fallback chain: the additional column names the source of each value.
// These names are not read back.
constexpr std::string_view kChainHeader = "timestamp,end,carbon_intensity,status,source";

Error BadLine(const std::string& file, std::size_t number, std::string why) {
  return {ExitCode::kConfiguration, std::move(why), file + ":" + std::to_string(number), ""};
}

Result<core::Sample> ParseSample(const CsvReader& csv, const std::string& file) {
  const auto& fields = csv.fields();
  const std::size_t number = csv.line();
  if (fields.size() != 4 && fields.size() != 5)
    return Fail(BadLine(file, number, "has not 4 or 5 columns"));
  const auto begin = ParseTime(fields[0]);
  const auto end = ParseTime(fields[1]);
  const auto intensity = ParseNumber(fields[2]);
  const auto status = core::SampleStatusFromName(fields[3]);
  if (!begin || !end) return Fail(BadLine(file, number, "has no begin and end time"));
  if (!intensity || !status) return Fail(BadLine(file, number, "has no intensity with a status"));
  return core::Sample{{*begin, *end}, Intensity{*intensity}, *status};
}

Result<core::PriceSample> ParsePrice(const CsvReader& csv, const std::string& file) {
  const auto& fields = csv.fields();
  const std::size_t number = csv.line();
  if (fields.size() != 4) return Fail(BadLine(file, number, "has not 4 columns"));
  const auto begin = ParseTime(fields[0]);
  const auto end = ParseTime(fields[1]);
  const auto price = ParseNumber(fields[2]);
  if (!begin || !end) return Fail(BadLine(file, number, "has no begin and end time"));
  if (!price) return Fail(BadLine(file, number, "has no price"));
  return core::PriceSample{{*begin, *end}, *price};
}

// Calls read(csv) at each row below the header.
template <typename Read>
Status ForEachRow(std::string_view text, std::string_view header, const std::string& file,
                  Read read) {
  CsvReader csv(text, file, CsvBlanks::kTrimmed);
  EBB_ASSIGN_OR_RETURN(const bool any, csv.Next());
  if (!any || Trim(csv.text()) != header)
    return Fail(BadLine(file, csv.line(), "has not the columns " + std::string(header)));
  return csv.ForEach([&]() -> Status { return read(csv); });
}

}  // namespace

std::string FormatSignal(const core::IntensitySeries& signal) {
  const core::SignalIdentity& identity = signal.identity();
  const bool chain = !identity.links.empty();
  std::string text = std::string(chain ? kChainHeader : kHeader) + "\n";
  for (const core::Sample& sample : signal.samples()) {
    text += FormatTime(sample.interval.begin) + "," + FormatTime(sample.interval.end) + "," +
            FormatExact(sample.intensity.g_per_kwh) + "," + std::string(core::Name(sample.status));
    if (chain) text += "," + CsvField(std::string(core::LinkOf(identity, sample)));
    text += "\n";
  }
  return text;
}

Result<core::IntensitySeries> ParseSignal(std::string_view text, core::SignalIdentity identity,
                                          const std::string& file) {
  std::vector<core::Sample> samples;
  const bool chain = text.starts_with(kChainHeader);
  const std::string_view header = chain ? kChainHeader : kHeader;
  EBB_RETURN_IF_ERROR(ForEachRow(text, header, file, [&](const CsvReader& csv) {
    return ParseSample(csv, file).map(
        [&](const core::Sample& sample) { samples.push_back(sample); });
  }));
  return core::IntensitySeries::Create(std::move(identity), std::move(samples));
}

std::string FormatPrices(const core::PriceSeries& prices) {
  std::string text = std::string(kPricesHeader) + "\n";
  for (const core::PriceSample& sample : prices.samples()) {
    text += FormatTime(sample.interval.begin) + "," + FormatTime(sample.interval.end) + "," +
            FormatExact(sample.per_kwh) + "," + prices.identity().currency + "/kWh\n";
  }
  return text;
}

Result<core::PriceSeries> ParsePrices(std::string_view text, core::PriceIdentity identity,
                                      const std::string& file) {
  std::vector<core::PriceSample> samples;
  EBB_RETURN_IF_ERROR(ForEachRow(text, kPricesHeader, file, [&](const CsvReader& csv) {
    return ParsePrice(csv, file).map(
        [&](const core::PriceSample& sample) { samples.push_back(sample); });
  }));
  return core::PriceSeries::Create(std::move(identity), std::move(samples));
}

}  // namespace ebb::report
