#include "signals/providers/ieso.h"

#include <array>

#include "base/text.h"
#include "signals/traces/xml_tree.h"

namespace ebb::signals {
namespace {

constexpr const char* kClock = "Etc/GMT+5";  // five hours behind UTC, all year
constexpr Duration kHour{std::chrono::hours{1}};
// How long after midnight the file of a day may be missing: it begins with a whole hour.
constexpr Duration kFirstFile{std::chrono::hours{2}};
constexpr auto kFuels = std::to_array<NamedFuel>({{"NUCLEAR", Fuel::kNuclear},
                                                  {"GAS", Fuel::kGas},
                                                  {"HYDRO", Fuel::kHydro},
                                                  {"WIND", Fuel::kWind},
                                                  {"SOLAR", Fuel::kSolar},
                                                  {"BIOFUEL", Fuel::kBiomass},
                                                  {"OTHER", Fuel::kOther}});

Error Bad(std::string what, std::size_t line, const std::string& where) {
  return {ExitCode::kUnavailable, "line " + std::to_string(line) + ": " + std::move(what), where,
          "compare the answer with the operator's page"};
}

Fuel FuelOfPlant(std::string_view name, std::string_view type) {
  const Fuel fuel = FuelOf(kFuels, type);
  if (fuel != Fuel::kOther) return fuel;
  const std::string lower = Lowercase(name);
  for (const char* battery : {"bess", "battery", "storage"})
    if (lower.find(battery) != std::string::npos) return Fuel::kStorage;
  return Fuel::kOther;
}

Status ReadPlant(const XmlElement& plant, Time midnight, const std::string& where,
                 std::vector<GenerationRow>& rows) {
  const std::string name(plant.TextOf("GeneratorName"));
  const XmlElement* outputs = plant.Find("Outputs");
  if (name.empty()) return Fail(Bad("a Generator has no GeneratorName", plant.line, where));
  if (!outputs) return {};
  const Fuel fuel = FuelOfPlant(name, plant.TextOf("FuelType"));
  for (const XmlElement& output : outputs->children) {
    if (output.name != "Output") continue;
    const auto hour = ParseInteger(output.TextOf("Hour"));
    if (!hour || *hour < 1 || *hour > 24)
      return Fail(
          Bad(Quoted(output.TextOf("Hour")) + " is not an hour of 1 to 24", output.line, where));
    EBB_ASSIGN_OR_RETURN(const auto megawatts, MegawattsFrom(output.TextOf("EnergyMW"), where));
    rows.push_back({midnight + (*hour - 1) * kHour, name, fuel, megawatts});
  }
  return {};
}

}  // namespace

Result<std::vector<GenerationRow>> ParseIeso(std::string_view body, const std::string& where) {
  auto root = ParseXml(body, where);
  if (!root) {
    root.error().code = ExitCode::kUnavailable;
    return Fail(root.error());
  }
  const XmlElement* document = root->Find("IMODocBody");
  const XmlElement* plants = document ? document->Find("Generators") : nullptr;
  if (!plants) return Fail(Bad("the document holds no Generators", root->line, where));
  const auto midnight = ParseTime(std::string(document->TextOf("Date")) + "T00:00-05:00");
  if (!midnight)
    return Fail(Bad(Quoted(document->TextOf("Date")) + " is not a day", document->line, where));
  std::vector<GenerationRow> rows;
  for (const XmlElement& plant : plants->children)
    if (plant.name == "Generator") EBB_RETURN_IF_ERROR(ReadPlant(plant, *midnight, where, rows));
  return rows;
}

Result<OperatorMix> IesoMix(std::string base_url, core::Boundary boundary) {
  EBB_ASSIGN_OR_RETURN(const prices::ZoneClock clock, prices::ZoneClock::Find(kClock));
  OperatorMix mix;
  mix.name = "ieso";
  mix.zone = kIesoZone;
  mix.credit = "IESO (Ontario), output of generators";
  mix.base_url = std::move(base_url);
  mix.boundary = boundary;
  mix.step = kHour;
  mix.asks_again = 3 * kHour;
  mix.questions = [clock, base = mix.base_url](Time begin, Time now) {
    std::vector<MixQuestion> questions;
    const std::vector<std::string> days = LocalDays(clock, begin, now);
    const bool has_begun = LocalDays(clock, now - kFirstFile, now).size() > 1;
    for (const std::string& day : days) {
      MixQuestion question;
      question.request.url = base + "/GenOutputCapability/PUB_GenOutputCapability_" + day + ".xml";
      question.read = ParseIeso;
      question.may_be_missing = has_begun && day == days.back();
      questions.push_back(std::move(question));
    }
    return questions;
  };
  return mix;
}

}  // namespace ebb::signals
