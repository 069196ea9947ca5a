#pragma once
// GRIB2 messages for tests, made by ecCodes on small grids over Germany. Their values lie on a
// plane, so that bilinear interpolation gives them back.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "signals/weather/eccodes.h"

namespace ebb::signals {

struct TestGrib {
  Time issued = *ParseTime("2026-05-06T00:00Z");
  long category = 2, number = 2;      ///< numbers of code table 4.2; UGRD
  long surface = 103, height_m = 10;  ///< above ground
  long from_h = 0, to_h = 0;          ///< from the run's start; both the same for a moment
  bool is_sum = false;                ///< a span's sum; else its mean
  double north = 60, south = 44, west = 0, east = 20;  ///< degrees
  long rows = 9, columns = 11;
  std::function<double(double, double)> value = [](double, double) { return 3.0; };
  long bits = 24;

  std::string Message() const {
    const EcCodes& codes = **LibEcCodes();
    const auto lock = EcCodesLock();
    CodesHandle* const handle = codes.handle_new_from_samples(codes.context_get_default(), "GRIB2");
    EBB_CHECK(handle);
    const auto set = [&](const char* key, long number_to_set) {
      EBB_CHECK(codes.set_long(handle, key, number_to_set) == 0);
    };
    const auto days = std::chrono::floor<std::chrono::days>(issued);
    const std::chrono::year_month_day date(days);
    set("dataDate", static_cast<int>(date.year()) * 10000L +
                        static_cast<long>(static_cast<unsigned>(date.month())) * 100 +
                        static_cast<long>(static_cast<unsigned>(date.day())));
    set("dataTime", static_cast<long>((issued - days) / std::chrono::hours{1}) * 100);
    set("Ni", columns);
    set("Nj", rows);
    const auto degrees = [&](const char* key, double value_to_set) {
      EBB_CHECK(codes.set_double(handle, key, value_to_set) == 0);
    };
    degrees("latitudeOfFirstGridPointInDegrees", north);
    degrees("latitudeOfLastGridPointInDegrees", south);
    degrees("longitudeOfFirstGridPointInDegrees", west);
    degrees("longitudeOfLastGridPointInDegrees", east);
    degrees("iDirectionIncrementInDegrees", (east - west) / static_cast<double>(columns - 1));
    degrees("jDirectionIncrementInDegrees",
            std::fabs(north - south) / static_cast<double>(rows - 1));
    if (from_h != to_h) set("productDefinitionTemplateNumber", 8);
    set("parameterCategory", category);
    set("parameterNumber", number);
    set("typeOfFirstFixedSurface", surface);
    set("scaleFactorOfFirstFixedSurface", 0);
    set("scaledValueOfFirstFixedSurface", height_m);
    if (from_h != to_h) set("typeOfStatisticalProcessing", is_sum ? 1 : 0);
    const std::string step =
        from_h == to_h ? std::to_string(to_h) : std::to_string(from_h) + "-" + std::to_string(to_h);
    std::size_t length = step.size();
    EBB_CHECK(codes.set_string(handle, "stepRange", step.c_str(), &length) == 0);
    set("bitsPerValue", bits);
    degrees("missingValue", 9999);
    set("bitmapPresent", 1);
    std::vector<double> values;
    for (long row = 0; row < rows; ++row)
      for (long column = 0; column < columns; ++column) {
        const double here = value(
            north + (south - north) * static_cast<double>(row) / static_cast<double>(rows - 1),
            west + (east - west) * static_cast<double>(column) / static_cast<double>(columns - 1));
        values.push_back(std::isfinite(here) ? here : 9999);
      }
    EBB_CHECK(codes.set_double_array(handle, "values", values.data(), values.size()) == 0);
    const void* bytes = nullptr;
    std::size_t size = 0;
    EBB_CHECK(codes.get_message(handle, &bytes, &size) == 0);
    std::string message(static_cast<const char*>(bytes), size);
    codes.handle_delete(handle);
    return message;
  }
};

using ValueAtPlace = std::function<double(double, double)>;
inline ValueAtPlace Everywhere(double value) {
  return [value](double, double) { return value; };
}

/// Fields by NOAA's names: UGRD, VGRD, TMP, DSWRF (NCEP's own number), PRATE, APCP.
inline TestGrib WindEast(long hour, ValueAtPlace value, long height_m = 10) {
  TestGrib grib;
  grib.height_m = height_m;
  grib.from_h = grib.to_h = hour;
  grib.value = std::move(value);
  return grib;
}
inline TestGrib WindNorth(long hour, ValueAtPlace value, long height_m = 10) {
  TestGrib grib = WindEast(hour, std::move(value), height_m);
  grib.number = 3;
  return grib;
}
inline TestGrib Temperature(long hour, ValueAtPlace value) {
  TestGrib grib = WindEast(hour, std::move(value), 2);
  grib.category = grib.number = 0;
  return grib;
}
inline TestGrib OverSpan(long category, long number, long from_h, long to_h, ValueAtPlace value) {
  TestGrib grib;
  grib.category = category;
  grib.number = number;
  grib.surface = 1;
  grib.height_m = 0;
  grib.from_h = from_h;
  grib.to_h = to_h;
  grib.value = std::move(value);
  return grib;
}
inline TestGrib Shortwave(long from_h, long to_h, ValueAtPlace value) {
  return OverSpan(4, 192, from_h, to_h, std::move(value));
}
inline TestGrib RainRate(long from_h, long to_h, ValueAtPlace value) {
  return OverSpan(1, 7, from_h, to_h, std::move(value));
}
inline TestGrib RainSum(long from_h, long to_h, ValueAtPlace value) {
  TestGrib grib = OverSpan(1, 8, from_h, to_h, std::move(value));
  grib.is_sum = true;
  return grib;
}

}  // namespace ebb::signals

/// Skips a test on machines without ecCodes.
#define EBB_SKIP_WITHOUT_ECCODES()                             \
  if (const auto codes = ::ebb::signals::LibEcCodes(); !codes) \
  GTEST_SKIP() << codes.error().Message()
