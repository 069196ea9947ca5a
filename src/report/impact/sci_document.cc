// The Software Carbon Intensity with its terms, as a document.
#include "base/text.h"
#include "base/units_text.h"
#include "report/impact/documents.h"
#include "report/impact/impact_words.h"
#include "report/period/period_words.h"
#include "report/run/figures.h"

namespace ebb::report {
namespace {

std::string MicrogramsText(std::optional<std::int64_t> micrograms) {
  return micrograms ? EmissionsText({Grams(*micrograms)}) : "unknown";
}

std::string PerUnitText(std::optional<double> grams, FunctionalUnit unit) {
  return grams ? EmissionsText({*grams}) + " per " + std::string(Name(unit)) : "unknown";
}

std::string UnitsText(const Sci& sci) {
  if (!sci.units) return "unknown";
  return CountText(*sci.units) + " " + std::string(Name(sci.unit)) + (*sci.units == 1 ? "" : "s");
}

// The interval of the emissions as a share of a sum that contains them; M and R count as exact.
std::string ShareOf(const PeriodReport& report, std::optional<std::int64_t> micrograms) {
  if (!micrograms || *micrograms == 0) return "";
  return ShareText(report.total.emissions_half_g / Grams(*micrograms));
}

std::string SciSentence(const Sci& sci, const PeriodReport& report, const std::string& version) {
  const auto score = sci.grams_per_unit();
  const std::string unit(Name(sci.unit));
  if (!score) {
    const auto operational = sci.operational_per_unit();
    return "The software carbon intensity (SCI, ISO/IEC 21031:2024) per " + unit +
           " is unknown, because a term of it is." +
           (operational ? " Its operational part, E x I per R, is " +
                              PerUnitText(operational, sci.unit) + "."
                        : "");
  }
  const std::string share = ShareOf(report, sci.total_ug());
  return "The software carbon intensity (SCI, ISO/IEC 21031:2024) is " + EmissionsText({*score}) +
         " of CO2eq per " + unit + (share.empty() ? "" : " " + share) +
         ", with E = " + EnergyText(sci.energy) +
         ", I = " + (sci.intensity ? IntensityText(*sci.intensity) : "unknown") +
         ", M = " + MicrogramsText(sci.embodied_ug) + " and R = " + UnitsText(sci) +
         ", according to Ebb " + version + ".";
}

Block TermsBlock(const Sci& sci, const PeriodReport& report) {
  TextTable table{{"term", "value", "95 %", "what it is"}, {}, true};
  const auto add = [&](const char* term, const std::string& value, const std::string& interval,
                       const std::string& what) {
    table.rows.push_back({term, value, interval, what});
  };
  const PeriodRow& total = report.total;
  const double joules = total.figures.energy.joules();
  add("E", EnergyText(sci.energy), joules > 0 ? ShareText(total.energy_half_j / joules) : "",
      "electricity of the runs, with a PUE of " + PueText(report.facts));
  add("I", sci.intensity ? IntensityText(*sci.intensity) : "unknown", "",
      "its mean carbon intensity, location-based");
  add("O = E x I", MicrogramsText(sci.operational_ug), ShareOf(report, sci.operational_ug),
      "operational emissions");
  add("M", MicrogramsText(sci.embodied_ug), "",
      "embodied emissions, TE x TiR / EL x RR / ToR, as users state them");
  add("C = O + M", MicrogramsText(sci.total_ug()), ShareOf(report, sci.total_ug()),
      "all carbon of the runs");
  add("R", UnitsText(sci), "",
      sci.unit == FunctionalUnit::kRun ? "runs that used energy" : "work that the programs report");
  add("O per R", PerUnitText(sci.operational_per_unit(), sci.unit),
      ShareOf(report, sci.operational_ug), "the operational part alone");
  add("SCI = C per R", PerUnitText(sci.grams_per_unit(), sci.unit), ShareOf(report, sci.total_ug()),
      "");
  return {"", "", {}, table};
}

}  // namespace

Document SciDocument(const PeriodReport& report, FunctionalUnit unit, const std::string& version) {
  const Sci sci = SciOf(report, unit);
  Document document{"Software Carbon Intensity", {}};
  document.blocks.push_back({"", SciSentence(sci, report, version)});
  document.blocks.push_back({"", "SCI = ((E x I) + M) per R; " + PeriodTitle(report.request)});
  document.blocks.push_back(TermsBlock(sci, report));
  Block unknown{"Not known"};
  for (const std::string& sentence : sci.unknown) unknown.list.emplace_back("", sentence);
  if (!unknown.list.empty()) document.blocks.push_back(std::move(unknown));
  document.blocks.push_back(
      {"Software boundary",
       "The processes or machines that Ebb measured while the runs ran. The work between runs, "
       "storage, network and the use of a trained model are not in it. The SCI asks for the energy "
       "of all reserved hardware: if runs have a machine alone, measure it whole (--scope "
       "machine)."});
  AddBasis(report, document);
  return document;
}

}  // namespace ebb::report
