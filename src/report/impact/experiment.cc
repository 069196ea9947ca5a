// The section of a paper on the energy and the emissions of its experiments.
#include "base/text.h"
#include "base/units_text.h"
#include "report/impact/documents.h"
#include "report/impact/impact_words.h"
#include "report/period/period_words.h"

namespace ebb::report {
namespace {

Block TotalsBlock(const PeriodReport& report) {
  const PeriodFigures& total = report.total.figures;
  const PeriodFacts& facts = report.facts;
  TextTable table{{"quantity", "value"}, {}, true};
  const auto add = [&](const std::string& name, const std::string& value) {
    table.rows.push_back({name, value});
  };
  add("runs", std::to_string(total.runs));
  add("running time", FormatDuration(total.running));
  if (facts.gpu_time > Duration{}) add("GPU time", FormatDuration(facts.gpu_time));
  add("hardware", HardwareText(facts));
  add("place", PlaceText(facts));
  add("electricity", EnergyWithShare(total.energy, report.total.energy_half_j));
  add("electricity with PUE", FacilityText(report));
  if (const auto mean = MeanIntensity(total)) add("mean carbon intensity", IntensityText(*mean));
  add("emissions, location-based", LocationBasedText(report.total));
  if (report.request.IsMarketBased())
    add("emissions, market-based", MarketBasedText(report.request, report.total));
  if (total.compared > 0) add("saved against a start at submission", SavedText(report.total));
  const std::string embodied = EmbodiedText(total);
  add("embodied emissions", embodied.empty() ? "not stated" : embodied + ", in no other line");
  return {"Energy and emissions", "", {}, table};
}

Block RowsBlock(const PeriodReport& report) {
  const std::string by(Name(report.request.by));
  TextTable table{{by, "runs", "electricity", "emissions"}, {}, false};
  for (const PeriodRow& row : report.rows)
    table.rows.push_back({Printable(RowName(row)), std::to_string(row.figures.runs),
                          EnergyWithShare(row.figures.energy, row.energy_half_j),
                          LocationBasedText(row)});
  return {"Energy and emissions by " + by, "", {}, table};
}

}  // namespace

Document ExperimentDocument(const PeriodReport& report, const std::string& version) {
  Document document{"Energy and emissions of the experiments", {}};
  document.blocks.push_back({"", ImpactSentence(report, version)});
  document.blocks.push_back(TotalsBlock(report));
  if (report.rows.size() > 1) document.blocks.push_back(RowsBlock(report));
  AddBasis(report, document);
  return document;
}

}  // namespace ebb::report
