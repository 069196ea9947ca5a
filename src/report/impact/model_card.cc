// The metadata and the section of a model card.
#include "base/text.h"
#include "base/units_text.h"
#include "report/exact_text.h"
#include "report/impact/documents.h"
#include "report/impact/impact_words.h"
#include "report/period/period_words.h"
#include "sweep/yaml_text.h"

namespace ebb::report {
namespace {

std::string HoursText(Duration duration) {
  return FormatSignificant(Seconds(duration) / 3600, 3) + " h";
}

// Grams with all their digits. If they are unknown, the key is left out: a reader takes an empty
// one, and 0, for a figure.
std::string EmissionsLine(const PeriodFigures& total) {
  const auto known = total.known_emissions_ug();
  if (!known) return "  # emissions: unknown, because the carbon intensity is not known\n";
  return "  emissions: " + ExactText(*known, 6) +
         (total.without_intensity > Energy{} ? "  # of what is known, see below\n" : "\n");
}

std::string Metadata(const PeriodReport& report, const std::string& version) {
  const auto line = [](const char* key, const std::string& value) {
    return "  " + std::string(key) + ": " + sweep::YamlScalar(value) + "\n";
  };
  std::string text = "---\nco2_eq_emissions:\n" + EmissionsLine(report.total.figures);
  text += line("source", "Ebb " + version + ": " + LocationBasedText(report.total) +
                             " (95 % interval), location-based, boundary " +
                             std::string(core::Name(report.request.boundary)) +
                             ", electricity with PUE");
  text += "  # training_type: pre-training or fine-tuning (not known to Ebb)\n";
  if (const std::string place = PlaceText(report.facts); place != "unknown")
    text += line("geographical_location", place);
  if (!report.facts.hardware.empty()) text += line("hardware_used", HardwareText(report.facts));
  return text + "---\n\n";
}

Block TemplateLines(const PeriodReport& report) {
  const PeriodFigures& total = report.total.figures;
  const PeriodFacts& facts = report.facts;
  Block block;
  const auto line = [&](const char* label, const std::string& value) {
    block.list.emplace_back(label, value);
  };
  line("Hardware Type", HardwareText(facts));
  line("Hours used",
       HoursText(total.running) +
           (facts.gpu_time > Duration{} ? " (" + HoursText(facts.gpu_time) + " of GPUs)" : ""));
  std::string clouds;
  for (const std::string& cloud : facts.clouds) clouds += (clouds.empty() ? "" : ", ") + cloud;
  line("Cloud Provider", clouds.empty() ? "not stated" : clouds);
  line("Compute Region", PlaceText(facts));
  line("Carbon Emitted", LocationBasedText(report.total) + " (CO2eq)");
  line("Electricity",
       EnergyWithShare(total.energy, report.total.energy_half_j) + ", " + FacilityText(report));
  if (const std::string embodied = EmbodiedText(total); !embodied.empty())
    line("Embodied emissions",
         embodied + " of making the hardware, by time; not in the line above");
  return block;
}

}  // namespace

std::string ModelCardText(const PeriodReport& report, const std::string& version) {
  Document document{"Environmental Impact", {}};
  document.blocks.push_back({"", ImpactSentence(report, version)});
  document.blocks.push_back(TemplateLines(report));
  AddBasis(report, document);
  return Metadata(report, version) + MarkdownOf(document);
}

}  // namespace ebb::report
