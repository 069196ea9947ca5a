#include "signals/providers/ercot.h"

#include <array>

namespace ebb::signals {
namespace {

using FiveMinutes = std::chrono::duration<std::int64_t, std::ratio<300>>;

constexpr auto kFuels = std::to_array<NamedFuel>({{"Coal and Lignite", Fuel::kCoal},
                                                  {"Natural Gas", Fuel::kGas},
                                                  {"Nuclear", Fuel::kNuclear},
                                                  {"Hydro", Fuel::kHydro},
                                                  {"Solar", Fuel::kSolar},
                                                  {"Wind", Fuel::kWind},
                                                  {"Power Storage", Fuel::kStorage},
                                                  {"Other", Fuel::kOther}});

// Reads {"Natural Gas": {"gen": 20123.4}, ...}.
Status ReadMix(const JsonNode& mix, Time begin, std::string_view body, const std::string& where,
               std::vector<GenerationRow>& rows) {
  for (const JsonMember& member : mix.members) {
    const JsonNode* generated = member.value.Find("gen");
    if (!generated || (!generated->is_null() && !generated->AsNumber()))
      return Fail(BadAnswer("a fuel of the answer has no megawatts", body, where));
    rows.push_back({begin, member.name, FuelOf(kFuels, member.name), generated->AsNumber()});
  }
  return {};
}

}  // namespace

Result<std::vector<GenerationRow>> ParseErcot(std::string_view body, const std::string& where) {
  EBB_ASSIGN_OR_RETURN(const JsonNode root, ParseJson(body, where));
  const JsonNode* days = root.Find("data");
  if (!days || !days->is_object()) return Fail(BadAnswer("the answer holds no days", body, where));
  std::vector<GenerationRow> rows;
  for (const JsonMember& day : days->members)
    for (const JsonMember& moment : day.value.members) {
      const auto time = ParseTime(moment.name);
      if (!time) return Fail(BadAnswer("a time of the answer is not one", body, where));
      EBB_RETURN_IF_ERROR(
          ReadMix(moment.value, std::chrono::floor<FiveMinutes>(*time), body, where, rows));
    }
  return rows;
}

Result<OperatorMix> ErcotMix(std::string base_url, core::Boundary boundary) {
  OperatorMix mix;
  mix.name = "ercot";
  mix.zone = kErcotZone;
  mix.credit = "ERCOT, fuel mix";
  mix.base_url = std::move(base_url);
  mix.boundary = boundary;
  mix.questions = [base = mix.base_url](Time, Time) {
    MixQuestion question;
    question.request.url = base + "/api/1/services/read/dashboards/fuel-mix.json";
    question.request.headers = {"Accept: application/json"};
    question.read = ParseErcot;
    return std::vector{std::move(question)};
  };
  return mix;
}

}  // namespace ebb::signals
