#include "signals/providers/caiso.h"

#include <array>

#include "base/csv.h"
#include "base/text.h"

namespace ebb::signals {
namespace {

constexpr const char* kClock = "America/Los_Angeles";
constexpr auto kFuels = std::to_array<NamedFuel>({{"Solar", Fuel::kSolar},
                                                  {"Wind", Fuel::kWind},
                                                  {"Geothermal", Fuel::kGeothermal},
                                                  {"Biomass", Fuel::kBiomass},
                                                  {"Biogas", Fuel::kBiomass},
                                                  {"Small hydro", Fuel::kHydro},
                                                  {"Coal", Fuel::kCoal},
                                                  {"Nuclear", Fuel::kNuclear},
                                                  {"Natural Gas", Fuel::kGas},
                                                  {"Large Hydro", Fuel::kHydro},
                                                  {"Batteries", Fuel::kStorage},
                                                  {"Imports", Fuel::kImports},
                                                  {"Other", Fuel::kOther}});

Error Bad(std::string what, const std::string& where) {
  return {ExitCode::kUnavailable, std::move(what), where,
          "compare the answer with the operator's page"};
}

// Reads "13:05", the time since midnight.
std::optional<Duration> TimeOfDay(std::string_view text) {
  const auto parts = Split(text, ':');
  if (parts.size() != 2) return std::nullopt;
  const auto hour = ParseInteger(parts[0]), minute = ParseInteger(parts[1]);
  if (!hour || !minute || *hour < 0 || *hour > 23 || *minute < 0 || *minute > 59)
    return std::nullopt;
  return std::chrono::hours{*hour} + std::chrono::minutes{*minute};
}

struct LocalRow {
  prices::LocalTime begin{};
  bool repeated = false;  ///< the second time that the clock shows this hour
  std::vector<std::string> fields;
};

// Reads the rows of a day in their order. Once a year their times go back by an hour.
Result<std::vector<LocalRow>> ReadRows(CsvReader& csv, std::size_t columns, prices::LocalTime day,
                                       const std::string& where) {
  std::vector<LocalRow> rows;
  EBB_RETURN_IF_ERROR(csv.ForEach([&]() -> Status {
    const auto& fields = csv.fields();
    const auto time = fields.size() == columns ? TimeOfDay(Trim(fields[0])) : std::nullopt;
    if (!time) return Fail(Bad("line " + std::to_string(csv.line()) + " is not a row", where));
    LocalRow row{day + *time, !rows.empty() && rows.back().repeated, {}};
    if (!rows.empty() && row.begin <= rows.back().begin) {
      if (row.repeated) return Fail(Bad("its times are not in order", where));
      row.repeated = true;
    }
    row.fields.assign(fields.begin(), fields.end());
    rows.push_back(std::move(row));
    return {};
  }));
  return rows;
}

// nullopt if the clock skips the time, or shows it twice and the file has it once.
std::optional<Time> MomentOf(const LocalRow& row, bool has_repeated,
                             const prices::ZoneClock& clock) {
  const Time first = clock.UtcOf(row.begin);
  if (clock.LocalOf(first) != row.begin) return std::nullopt;
  const Time second = first + std::chrono::hours{1};
  if (clock.LocalOf(second) != row.begin) return first;
  if (!has_repeated) return std::nullopt;
  return row.repeated ? second : first;
}

// Refuses the answer if it has rows of the future: just after midnight the file of today may still
// be that of the day before.
Result<std::vector<GenerationRow>> NotAfter(Time now, Result<std::vector<GenerationRow>> rows,
                                            const std::string& where) {
  if (!rows) return rows;
  for (const GenerationRow& row : *rows)
    if (row.begin > now + kForgivenSkew)
      return Fail({ExitCode::kUnavailable,
                   "the file of today has values of " + FormatTime(row.begin) + ": it is " +
                       "that of the day before, or this machine's clock is wrong",
                   where, "it is asked again; check this machine's clock"});
  return rows;
}

}  // namespace

Result<std::vector<GenerationRow>> ParseCaiso(std::string_view body, std::string_view day,
                                              const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const prices::ZoneClock clock, prices::ZoneClock::Find(kClock));
  EBB_ASSIGN_OR_RETURN(const Time midnight,
                       ParseTime(std::string(day.substr(0, 4)) + "-" +
                                 std::string(day.substr(4, 2)) + "-" + std::string(day.substr(6))));
  CsvReader csv(body, where, CsvBlanks::kTrimmed);
  EBB_ASSIGN_OR_RETURN(const bool has_header, csv.Next());
  if (!has_header || csv.fields().size() < 3 || Lowercase(csv.fields()[0]) != "time")
    return Fail(BadAnswer("the answer is not a table of fuels by time", body, where));
  const std::vector<std::string> header(csv.fields().begin(), csv.fields().end());
  EBB_ASSIGN_OR_RETURN(
      const std::vector<LocalRow> read,
      ReadRows(csv, header.size(), prices::LocalTime{midnight.time_since_epoch()}, where));
  const bool has_repeated = !read.empty() && read.back().repeated;
  std::vector<GenerationRow> rows;
  for (const LocalRow& row : read) {
    const auto begin = MomentOf(row, has_repeated, clock);
    if (!begin) continue;
    for (std::size_t i = 1; i < header.size(); ++i) {
      EBB_ASSIGN_OR_RETURN(const auto megawatts, MegawattsFrom(row.fields[i], where));
      if (megawatts) rows.push_back({*begin, header[i], FuelOf(kFuels, header[i]), megawatts});
    }
  }
  return rows;
}

Result<OperatorMix> CaisoMix(std::string base_url, core::Boundary boundary) {
  EBB_ASSIGN_OR_RETURN(const prices::ZoneClock clock, prices::ZoneClock::Find(kClock));
  OperatorMix mix;
  mix.name = "caiso";
  mix.zone = kCaisoZone;
  mix.credit = "California ISO, Today's Outlook";
  mix.base_url = std::move(base_url);
  mix.boundary = boundary;
  mix.questions = [clock, base = mix.base_url](Time begin, Time now) {
    std::vector<MixQuestion> questions;
    const std::vector<std::string> days = LocalDays(clock, begin, now);
    for (const std::string& day : days) {
      MixQuestion question;
      question.request.url =
          base + (day == days.back() ? "/current" : "/history/" + day) + "/fuelsource.csv";
      question.read = [day, now](std::string_view body, const std::string& where) {
        return NotAfter(now, ParseCaiso(body, day, where), where);
      };
      questions.push_back(std::move(question));
    }
    return questions;
  };
  return mix;
}

}  // namespace ebb::signals
