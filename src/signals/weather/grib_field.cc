#include "signals/weather/grib_field.h"

#include <cmath>
#include <exception>
#include <fstream>
#include <optional>

#include "base/text.h"
#include "signals/weather/eccodes.h"
#include "signals/weather/grib_layout.h"
#include "signals/weather/grib_packing.h"

namespace ebb::signals {
namespace {

constexpr Duration kHour{std::chrono::hours{1}};
constexpr double kSecondsPerHour = 3600;
constexpr long kGround = 1, kAboveGround = 103;  // code table 4.5

// A field that is read, by its parameter in code table 4.2; short wave at the surface has NCEP's
// own number 192 in GFS.
struct Wanted {
  GribParameter parameter;
  GribQuantity quantity;
  long surface;
  std::string_view step_type;
};
constexpr Wanted kWanted[] = {
    {{0, 2, 2}, GribQuantity::kWindEast, kAboveGround, "instant"},
    {{0, 2, 3}, GribQuantity::kWindNorth, kAboveGround, "instant"},
    {{0, 0, 0}, GribQuantity::kTemperature, kAboveGround, "instant"},
    {{0, 4, 7}, GribQuantity::kShortwave, kGround, "avg"},
    {{0, 4, 192}, GribQuantity::kShortwave, kGround, "avg"},
    {{0, 1, 7}, GribQuantity::kRain, kGround, "avg"},
    {{0, 1, 8}, GribQuantity::kRainSum, kGround, "accum"},
};

const Wanted* WantedOf(const GribParameter& parameter) {
  for (const Wanted& wanted : kWanted)
    if (wanted.parameter == parameter) return &wanted;
  return nullptr;
}

bool IsWantedHeight(GribQuantity quantity, long height_m) {
  if (quantity == GribQuantity::kTemperature) return height_m == 2;
  const bool wind = quantity == GribQuantity::kWindEast || quantity == GribQuantity::kWindNorth;
  return !wind || height_m == 10 || height_m == 100;
}

// A regular grid in the file's scanning order, and the position of places in it.
struct Grid {
  long columns = 0, rows = 0;
  double first_latitude = 0, last_latitude = 0, first_longitude = 0, last_longitude = 0;

  double ColumnStep() const {
    if (columns < 2) return 360;
    double across = std::fmod(last_longitude - first_longitude, 360);
    if (across <= 0) across += 360;
    return across / static_cast<double>(columns - 1);
  }
  bool GoesAround() const {
    return std::fabs(static_cast<double>(columns) * ColumnStep() - 360) < ColumnStep() / 2;
  }
};

// A position between rows or columns: the one before it, and the fraction of the way to the next.
struct Between {
  long before = 0, after = 0;
  double share = 0;
};

std::optional<Between> BetweenOf(double position, long count) {
  constexpr double kRounding = 1e-6;
  if (!(position > -kRounding) || position > static_cast<double>(count - 1) + kRounding)
    return std::nullopt;
  const long before = std::min(std::max(static_cast<long>(std::floor(position)), 0L), count - 1);
  const long after = std::min(before + 1, count - 1);
  return Between{before, after, std::max(position - static_cast<double>(before), 0.0)};
}

std::optional<Between> RowsAt(const Grid& grid, double latitude) {
  if (grid.rows < 2)
    return latitude == grid.first_latitude ? std::optional(Between{}) : std::nullopt;
  const double step =
      (grid.last_latitude - grid.first_latitude) / static_cast<double>(grid.rows - 1);
  return BetweenOf((latitude - grid.first_latitude) / step, grid.rows);
}

std::optional<Between> ColumnsAt(const Grid& grid, double longitude) {
  constexpr double kRounding = 1e-6;
  double east = std::fmod(longitude - grid.first_longitude, 360);
  if (east < 0) east += 360;
  if (east > 360 - kRounding) east = 0;
  const double position = east / grid.ColumnStep();
  const bool past_last = position > static_cast<double>(grid.columns - 1);
  if (!past_last || !grid.GoesAround()) return BetweenOf(position, grid.columns);
  return Between{grid.columns - 1, 0, position - static_cast<double>(grid.columns - 1)};
}

// Bilinear interpolation from the corners that have a value.
double ValueAt(const Grid& grid, const std::vector<double>& values, const Between& row,
               const Between& column) {
  double sum = 0, weights = 0;
  const auto add = [&](long r, long c, double weight) {
    const double value = values[static_cast<std::size_t>(r * grid.columns + c)];
    if (weight <= 0 || !std::isfinite(value)) return;
    sum += weight * value;
    weights += weight;
  };
  add(row.before, column.before, (1 - row.share) * (1 - column.share));
  add(row.before, column.after, (1 - row.share) * column.share);
  add(row.after, column.before, row.share * (1 - column.share));
  add(row.after, column.after, row.share * column.share);
  return weights > 0 ? sum / weights : NAN;
}

// Reads one field with ecCodes.
class Decoder {
 public:
  Decoder(const EcCodes& codes, const std::string& message, const std::string& where)
      : codes_(codes),
        where_(where),
        handle_(codes.handle_new_from_message(codes.context_get_default(), message.data(),
                                              message.size())) {}
  // After an assertion the state of the handle is unknown, so it is not touched again.
  ~Decoder() {
    if (handle_ && std::uncaught_exceptions() == 0) codes_.handle_delete(handle_);
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  // nullopt if the field is for another height, or not over a span when a span is wanted.
  Result<std::optional<GribField>> Read(const Wanted& wanted, const GribPart& part,
                                        const std::vector<WeatherPoint>& points) {
    if (!handle_) return Fail(Bad("cannot be decoded by ecCodes"));
    EBB_ASSIGN_OR_RETURN(const long surface, Long("typeOfFirstFixedSurface"));
    EBB_ASSIGN_OR_RETURN(const std::string step_type, Text("stepType"));
    if (surface != wanted.surface || step_type != wanted.step_type) return std::nullopt;
    GribField field;
    field.quantity = wanted.quantity;
    field.issued = part.issued;
    if (surface == kAboveGround) {
      EBB_ASSIGN_OR_RETURN(const long height, Long("level"));
      if (!IsWantedHeight(wanted.quantity, height)) return std::nullopt;
      field.height_m = static_cast<int>(height);
    }
    if (!IsPackedWhole(part)) return Fail(Bad("is damaged: its values do not fit in it"));
    EBB_RETURN_IF_ERROR(ReadSpan(field));
    EBB_RETURN_IF_ERROR(ReadValues(points, field));
    return field;
  }

 private:
  Status ReadSpan(GribField& field) {
    constexpr long kMostHours = 16 * 24;
    EBB_ASSIGN_OR_RETURN(const long from, Long("startStep"));
    EBB_ASSIGN_OR_RETURN(const long to, Long("endStep"));
    const bool span = field.quantity == GribQuantity::kShortwave ||
                      field.quantity == GribQuantity::kRain ||
                      field.quantity == GribQuantity::kRainSum;
    if (from < 0 || to > kMostHours || to < from || (span && from == to))
      return Fail(Bad("is of the hours " + std::to_string(from) + " to " + std::to_string(to) +
                      " of its run"));
    field.from = from * kHour;
    field.to = to * kHour;
    return {};
  }

  Status ReadValues(const std::vector<WeatherPoint>& points, GribField& field) {
    EBB_ASSIGN_OR_RETURN(const Grid grid, ReadGrid());
    std::size_t count = 0;
    const auto expected = static_cast<std::size_t>(grid.columns * grid.rows);
    EBB_RETURN_IF_ERROR(Check(codes_.get_size(handle_, "values", &count), "values"));
    if (count != expected) return Fail(Bad("has " + std::to_string(count) + " values"));
    std::vector<double> values(count);
    EBB_RETURN_IF_ERROR(
        Check(codes_.get_double_array(handle_, "values", values.data(), &count), "values"));
    double missing = 0;
    EBB_RETURN_IF_ERROR(
        Check(codes_.get_double(handle_, "missingValue", &missing), "missingValue"));
    for (double& value : values)
      if (value == missing) value = NAN;
    for (const WeatherPoint& point : points) {
      const auto row = RowsAt(grid, point.latitude_deg);
      const auto column = ColumnsAt(grid, point.longitude_deg);
      if (!row || !column) return Fail(Outside(point, grid));
      field.at_points.push_back(Converted(field.quantity, ValueAt(grid, values, *row, *column)));
    }
    return {};
  }

  static double Converted(GribQuantity quantity, double value) {
    return quantity == GribQuantity::kRain ? kSecondsPerHour * value : value;
  }

  Result<Grid> ReadGrid() {
    for (const char* const key :
         {"iScansNegatively", "jPointsAreConsecutive", "alternativeRowScanning"}) {
      EBB_ASSIGN_OR_RETURN(const long unusual, Long(key));
      if (unusual) return Fail(Bad("has a grid that is not stored row by row from west to east"));
    }
    Grid grid;
    EBB_ASSIGN_OR_RETURN(grid.columns, Long("Ni"));
    EBB_ASSIGN_OR_RETURN(grid.rows, Long("Nj"));
    EBB_ASSIGN_OR_RETURN(grid.first_latitude, Double("latitudeOfFirstGridPointInDegrees"));
    EBB_ASSIGN_OR_RETURN(grid.last_latitude, Double("latitudeOfLastGridPointInDegrees"));
    EBB_ASSIGN_OR_RETURN(grid.first_longitude, Double("longitudeOfFirstGridPointInDegrees"));
    EBB_ASSIGN_OR_RETURN(grid.last_longitude, Double("longitudeOfLastGridPointInDegrees"));
    const bool flat = grid.rows > 1 && grid.first_latitude == grid.last_latitude;
    if (grid.columns < 1 || grid.rows < 1 || flat) return Fail(Bad("has a grid without an extent"));
    return grid;
  }

  Error Outside(const WeatherPoint& point, const Grid& grid) const {
    Error error = Bad("has a grid from " + ToText({{grid.first_latitude, grid.first_longitude}}) +
                      " to " + ToText({{grid.last_latitude, grid.last_longitude}}) +
                      ", and the place " + ToText({point}) + " lies outside");
    error.next = "take a larger part of the globe, or other places: --weather-points";
    return error;
  }

  Result<long> Long(const char* key) {
    long value = 0;
    EBB_RETURN_IF_ERROR(Check(codes_.get_long(handle_, key, &value), key));
    return value;
  }
  Result<double> Double(const char* key) {
    double value = 0;
    EBB_RETURN_IF_ERROR(Check(codes_.get_double(handle_, key, &value), key));
    if (!std::isfinite(value)) return Fail(Bad(std::string("has no ") + key + " that can be"));
    return value;
  }
  Result<std::string> Text(const char* key) {
    char text[64] = {};
    std::size_t length = sizeof(text) - 1;
    EBB_RETURN_IF_ERROR(Check(codes_.get_string(handle_, key, text, &length), key));
    return std::string(text);
  }
  Status Check(int code, const char* key) const {
    if (code == 0) return {};
    return Fail(
        Bad(std::string("cannot be decoded: ") + key + ": " + codes_.get_error_message(code)));
  }
  Error Bad(std::string what) const {
    return {ExitCode::kConfiguration, "a message " + std::move(what), where_,
            "get the file again, as NOAA publishes it"};
  }

  const EcCodes& codes_;
  const std::string& where_;
  CodesHandle* const handle_;
};

Status AddFieldsOf(std::string_view message, const std::string& where,
                   const std::vector<WeatherPoint>& points, std::vector<GribField>& fields) {
  EBB_ASSIGN_OR_RETURN(const auto parts, PartsOfGrib(message, where));
  for (const GribPart& part : parts) {
    const Wanted* const wanted = WantedOf(part.parameter);
    if (!wanted) continue;
    EBB_ASSIGN_OR_RETURN(const EcCodes* const codes, LibEcCodes());
    const auto lock = EcCodesLock();
    const std::string alone = MessageOf(part);
    try {
      EBB_ASSIGN_OR_RETURN(auto field, Decoder(*codes, alone, where).Read(*wanted, part, points));
      if (field) fields.push_back(*std::move(field));
    } catch (const EcCodesAssertion&) {
      return Fail({ExitCode::kConfiguration, "a message is damaged: ecCodes gave it up", where,
                   "get the file again"});
    }
  }
  return {};
}

Error CannotRead(const std::string& path) {
  return {ExitCode::kUnavailable, "cannot be read", path, "check the file and its rights"};
}

}  // namespace

Result<std::vector<GribField>> ReadGrib(std::string_view messages, const std::string& where,
                                        const std::vector<WeatherPoint>& points) {
  std::vector<GribField> fields;
  while (!messages.empty()) {
    EBB_ASSIGN_OR_RETURN(const std::size_t length, LengthOfGrib(messages, where));
    EBB_RETURN_IF_ERROR(AddFieldsOf(messages.substr(0, length), where, points, fields));
    messages.remove_prefix(std::min(length, messages.size()));
  }
  return fields;
}

Result<std::vector<GribField>> ReadGribFile(const std::string& path,
                                            const std::vector<WeatherPoint>& points) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(CannotRead(path));
  std::vector<GribField> fields;
  std::string message;
  while (file.peek() != std::ifstream::traits_type::eof()) {
    message.resize(kGribIndicatorBytes);
    file.read(message.data(), static_cast<std::streamsize>(message.size()));
    message.resize(static_cast<std::size_t>(file.gcount()));
    EBB_ASSIGN_OR_RETURN(const std::size_t length, LengthOfGrib(message, path));
    message.resize(length);
    file.read(message.data() + kGribIndicatorBytes,
              static_cast<std::streamsize>(length - kGribIndicatorBytes));
    message.resize(kGribIndicatorBytes + static_cast<std::size_t>(file.gcount()));
    EBB_RETURN_IF_ERROR(AddFieldsOf(message, path, points, fields));
  }
  return fields;
}

Result<Time> RunOfGribFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(CannotRead(path));
  std::string head(kGribIndicatorBytes + kGribIdentificationBytes, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  return RunOfGrib(head, path);
}

}  // namespace ebb::signals
