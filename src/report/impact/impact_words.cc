#include "report/impact/impact_words.h"

#include <vector>

#include "base/text.h"
#include "base/units_text.h"
#include "core/signal/countries.h"
#include "report/period/period_words.h"
#include "report/run/figures.h"

namespace ebb::report {
namespace {

constexpr std::size_t kMostNamed = 6;

// "a; b; and 3 more".
std::string Named(const std::set<std::string>& texts) {
  std::vector<std::string> named;
  for (const std::string& text : texts) {
    if (named.size() == kMostNamed) {
      named.push_back("and " + std::to_string(texts.size() - kMostNamed) + " more");
      break;
    }
    named.push_back(Printable(text));
  }
  return Join(named, "; ");
}

std::set<std::string> ZonesWithCountries(const std::set<std::string>& zones) {
  std::set<std::string> named;
  for (const std::string& zone : zones) {
    const core::Country* country = core::CountryOfZone(zone);
    named.insert(zone + (country ? " (" + std::string(country->name) + ")" : ""));
  }
  return named;
}

// "on 1 May 2023", "between 1 May 2023 and 3 May 2023": the days on which energy was used.
std::string DaysText(const PeriodReport& report) {
  std::string first, last;
  for (const auto& [date, figures] : report.days) {
    if (figures.energy == Energy{}) continue;
    if (first.empty()) first = date;
    last = date;
  }
  if (first.empty()) return "in the period";
  return first == last ? "on " + DateText(first)
                       : "between " + DateText(first) + " and " + DateText(last);
}

std::string EmittedClause(const PeriodReport& report) {
  const PeriodFigures& total = report.total.figures;
  if (!total.known_emissions_ug())
    return "the emissions are unknown, because the carbon intensity of the electricity is";
  std::string text = "emitted " +
                     GramsWithShare(total.known_emissions_ug(), report.total.emissions_half_g) +
                     " of CO2eq";
  if (const auto mean = MeanIntensity(total)) text += ", at a mean of " + IntensityText(*mean);
  if (total.without_intensity > Energy{})
    text += " for the part whose carbon intensity is known (" +
            PercentText(total.energy - total.without_intensity, total.energy) + " of the energy)";
  return text + " (location-based, boundary " + std::string(core::Name(report.request.boundary)) +
         ")";
}

std::string WaysText(const PeriodFacts& facts) {
  std::vector<std::string> texts;
  for (const auto& [component, source, shared] : facts.ways)
    texts.push_back(EnergyWayText({component, source, shared}));
  return Join(texts, "; ");
}

}  // namespace

std::string RunsText(std::int64_t runs) {
  return std::to_string(runs) + (runs == 1 ? " run" : " runs");
}

std::optional<Intensity> MeanIntensity(const PeriodFigures& figures) {
  const double kwh = figures.facility_energy.kwh();
  if (kwh <= 0 || figures.without_intensity > Energy{}) return std::nullopt;
  return Intensity{Grams(figures.emissions_ug) / kwh};
}

std::string LocationBasedText(const PeriodRow& row) {
  const auto known = row.figures.known_emissions_ug();
  return GramsWithShare(known, row.emissions_half_g) +
         (known && row.figures.without_intensity > Energy{} ? " of what is known" : "");
}

std::string MarketBasedText(const PeriodRequest& request, const PeriodRow& row) {
  if (!request.IsMarketBased()) return "not reported";
  const auto known = row.figures.known_market_ug();
  return GramsWithShare(known, row.market_half_g) +
         (known && row.figures.market_unknown > Energy{} ? " of what is known" : "");
}

std::string EmbodiedText(const PeriodFigures& figures) {
  const auto known = figures.known_embodied_ug();
  return known ? EmissionsText({Grams(*known)}) : "";
}

std::string PlaceText(const PeriodFacts& facts) {
  std::vector<std::string> parts;
  for (const std::string& part :
       {Named(ZonesWithCountries(facts.zones)), Named(facts.regions), Named(facts.clouds)})
    if (!part.empty()) parts.push_back(part);
  return parts.empty() ? "unknown" : Join(parts, "; ");
}

std::string HardwareText(const PeriodFacts& facts) {
  return facts.hardware.empty() ? "unknown" : Named(facts.hardware);
}

std::string PueText(const PeriodFacts& facts) {
  if (!facts.lowest_pue) return "unknown";
  const std::string low = FormatSignificant(*facts.lowest_pue, 3);
  const std::string high = FormatSignificant(*facts.highest_pue, 3);
  return low == high ? low : low + " to " + high;
}

std::string FacilityText(const PeriodReport& report) {
  return EnergyText(report.total.figures.facility_energy) + " with a PUE of " +
         PueText(report.facts);
}

std::string ImpactSentence(const PeriodReport& report, const std::string& version) {
  const PeriodFigures& total = report.total.figures;
  if (total.energy == Energy{}) return "No run used energy in the period.";
  std::string text = total.runs == 1 ? "This run" : "These " + RunsText(total.runs);
  text += " used " + EnergyWithShare(total.energy, report.total.energy_half_j) +
          " of electricity (" + FacilityText(report) + ") and " + EmittedClause(report) + ", " +
          DaysText(report);
  if (const std::string place = PlaceText(report.facts); place != "unknown") text += " in " + place;
  if (!report.facts.hardware.empty()) text += ", on " + HardwareText(report.facts);
  return text + ", according to Ebb " + version + " (± half of the 95 % interval).";
}

Block MethodBlock(const PeriodReport& report) {
  const PeriodFacts& facts = report.facts;
  std::string text = "Ebb read the energy of each device in short intervals";
  if (!facts.ways.empty()) text += " (" + WaysText(facts) + ")";
  text += ", multiplied it by the PUE that users state (" + PueText(facts) +
          ") and by the average carbon intensity of the grid zone in that interval (boundary: " +
          std::string(core::Name(report.request.boundary));
  if (!facts.signals.empty()) text += "; source: " + Named(facts.signals);
  text += ").";
  if (!EmbodiedText(report.total.figures).empty())
    text +=
        " Embodied emissions are those of making the hardware, as users state them, times running "
        "time / lifetime times the share that is reserved. Except in the SCI, they are in no other "
        "figure.";
  return {"Method", text};
}

Block UncertaintyBlock() {
  return {"Uncertainty",
          "± is half of the 95 % interval, as a share of the figure. All errors of one kind of "
          "meter count as one error, and so do all errors of one kind of intensity. PUE, stated "
          "factors and embodied emissions count as exact."};
}

Block CoverageBlock(const PeriodReport& report) {
  const PeriodFigures& total = report.total.figures;
  std::string text =
      "Energy: " + EnergyCoverage(total) +
      " (measured: by a sensor for a whole device). Carbon intensity: " + IntensityCoverage(total) +
      " of the energy.";
  if (total.unmetered > Duration{})
    text += " Nothing was read for " + FormatDuration(total.unmetered) + " of " +
            FormatDuration(total.running) + ".";
  return {"Coverage", text + " Not counted: disks, network, fans and power supplies."};
}

void AddBasis(const PeriodReport& report, Document& document) {
  document.blocks.push_back(MethodBlock(report));
  document.blocks.push_back(UncertaintyBlock());
  document.blocks.push_back(CoverageBlock(report));
  Block notes{"Notes"};
  for (const std::string& note : PeriodNotes(report)) notes.list.emplace_back("", note);
  if (!notes.list.empty()) document.blocks.push_back(std::move(notes));
}

}  // namespace ebb::report
