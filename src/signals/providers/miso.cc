#include "signals/providers/miso.h"

#include <array>

#include "base/text.h"

namespace ebb::signals {
namespace {

constexpr Duration kEasternStandard{-std::chrono::hours{5}};
constexpr auto kFuels = std::to_array<NamedFuel>({{"Coal", Fuel::kCoal},
                                                  {"Natural Gas", Fuel::kGas},
                                                  {"Nuclear", Fuel::kNuclear},
                                                  {"Wind", Fuel::kWind},
                                                  {"Solar", Fuel::kSolar},
                                                  {"Hydro", Fuel::kHydro},
                                                  {"Battery Storage", Fuel::kStorage},
                                                  {"Imports", Fuel::kImports},
                                                  {"Other", Fuel::kOther}});

// Reads "2026-06-22 2:05:00 PM", the begin of five minutes.
std::optional<Time> ReadTime(std::string_view text) {
  const auto parts = Split(text, ' ');
  if (parts.size() != 3 || (parts[2] != "AM" && parts[2] != "PM")) return std::nullopt;
  const auto clock = Split(parts[1], ':');
  if (clock.size() != 3) return std::nullopt;
  const auto hour = ParseInteger(clock[0]), minute = ParseInteger(clock[1]);
  if (!hour || !minute || *hour < 1 || *hour > 12 || *minute < 0 || *minute > 59)
    return std::nullopt;
  const auto day = ParseTime(parts[0]);
  if (!day || parts[0].size() != 10) return std::nullopt;
  const long long hours = *hour % 12 + (parts[2] == "PM" ? 12 : 0);
  return *day + std::chrono::hours{hours} + std::chrono::minutes{*minute} - kEasternStandard;
}

Result<GenerationRow> ReadRow(const JsonNode& row, std::string_view body,
                              const std::string& where) {
  const auto begin = ReadTime(row.TextOf("INTERVALEST"));
  const std::string category = row.TextOf("CATEGORY");
  const JsonNode* actual = row.Find("ACT");
  if (!begin || category.empty() || !actual)
    return Fail(BadAnswer("a row has no time, category and megawatts", body, where));
  GenerationRow made{*begin, category, FuelOf(kFuels, category), actual->AsNumber()};
  if (const auto text = actual->AsText()) {
    EBB_ASSIGN_OR_RETURN(made.megawatts, MegawattsFrom(*text, where));
  }
  return made;
}

auto LocalDay(Time time) { return std::chrono::floor<std::chrono::days>(time + kEasternStandard); }

}  // namespace

Result<std::vector<GenerationRow>> ParseMiso(std::string_view body, const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(body, where));
  const JsonNode* types = root.At("/Fuel/Type");
  if (!types || !types->is_list()) return Fail(BadAnswer("the answer holds no fuels", body, where));
  std::vector<GenerationRow> rows;
  for (const JsonNode& type : types->items) {
    EBB_ASSIGN_OR_RETURN(GenerationRow row, ReadRow(type, body, where));
    rows.push_back(std::move(row));
  }
  return rows;
}

Result<OperatorMix> MisoMix(std::string base_url, core::Boundary boundary) {
  OperatorMix mix;
  mix.name = "miso";
  mix.zone = kMisoZone;
  mix.credit = "MISO, fuel mix";
  mix.base_url = std::move(base_url);
  mix.boundary = boundary;
  mix.questions = [base = mix.base_url](Time begin, Time now) {
    std::vector<MixQuestion> questions;
    const auto ask = [&](const char* day) {
      MixQuestion question;
      question.request.url = base + "/api/FuelMix/" + day;
      question.request.headers = {"Accept: application/json"};
      question.read = ParseMiso;
      questions.push_back(std::move(question));
    };
    if (LocalDay(begin) < LocalDay(now)) ask("Yesterday");
    ask("Today");
    return questions;
  };
  return mix;
}

}  // namespace ebb::signals
