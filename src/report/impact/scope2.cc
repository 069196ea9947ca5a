// Scope 2 of the GHG Protocol by both methods.
#include "base/text.h"
#include "base/units_text.h"
#include "report/impact/documents.h"
#include "report/impact/impact_words.h"
#include "report/period/period_words.h"

namespace ebb::report {
namespace {

constexpr const char* kNoFactor =
    "no factor was given (--supplier-factor, --residual-mix), and Ebb assumes none";

std::string Scope2Sentence(const PeriodReport& report, const std::string& version) {
  const PeriodFigures& total = report.total.figures;
  std::string text = "From " + PeriodTitle(report.request) + ", the measured runs used " +
                     EnergyText(total.facility_energy) +
                     " of purchased electricity. Its Scope 2 emissions (CO2eq) are: "
                     "location-based " +
                     LocationBasedText(report.total);
  text += report.request.IsMarketBased()
              ? ", market-based " + MarketBasedText(report.request, report.total)
              : "; market-based not reported, because " + std::string(kNoFactor);
  return text + " (GHG Protocol Scope 2 Guidance, 2015; according to Ebb " + version + ").";
}

Block MethodsBlock(const PeriodReport& report) {
  const PeriodFigures& total = report.total.figures;
  const auto mean = MeanIntensity(total);
  TextTable table{{"method", "emissions (CO2eq)", "electricity", "emission factor"}, {}, true};
  table.rows.push_back({"location-based", LocationBasedText(report.total),
                        EnergyText(total.facility_energy),
                        "average of the grid zone in each interval" +
                            (mean ? "; mean " + IntensityText(*mean) : "")});
  table.rows.push_back({"market-based", MarketBasedText(report.request, report.total),
                        EnergyText(total.facility_energy),
                        report.request.IsMarketBased() ? "as stated, see below" : kNoFactor});
  return {"", "", {}, table};
}

// The shares of the energy by the hierarchy of the Guidance: contract, residual mix, grid average.
Block FactorsBlock(const PeriodReport& report) {
  const PeriodFigures& total = report.total.figures;
  const Energy residual = total.energy - total.by_contract - total.without_contract;
  const auto share = [&](Energy part) { return PercentText(part, total.energy); };
  return {"Market-based factors",
          share(total.by_contract) + " of the energy at the factor of a contract, " +
              share(residual) + " at the residual mix, " + share(total.without_contract) +
              " at the average intensity of its place, because nothing is stated for it. Ebb does "
              "not check whether contracts meet the Scope 2 Quality Criteria."};
}

Block RowsBlock(const PeriodReport& report) {
  TextTable table{
      {std::string(Name(report.request.by)), "electricity", "location-based"}, {}, false};
  if (report.request.IsMarketBased()) table.headers.push_back("market-based");
  for (const PeriodRow& row : report.rows) {
    table.rows.push_back(
        {Printable(RowName(row)), EnergyText(row.figures.facility_energy), LocationBasedText(row)});
    if (report.request.IsMarketBased())
      table.rows.back().push_back(MarketBasedText(report.request, row));
  }
  return {"By " + std::string(Name(report.request.by)), "", {}, table};
}

Block ScopeBlock(core::Boundary boundary) {
  Block block{"Scope"};
  block.list.emplace_back("",
                          "This is Scope 2 of the company that buys the electricity. For a "
                          "customer of a cloud it is part of "
                          "Scope 3, category 1.");
  block.list.emplace_back("",
                          "It is the electricity of the measured runs with PUE, and not that of a "
                          "whole site: idle machines, and runs without Ebb, are not in it.");
  if (boundary == core::Boundary::kLifecycle)
    block.list.emplace_back(
        "",
        "The location-based intensity is a life-cycle one. It includes emissions before the "
        "generation, which the GHG Protocol counts in Scope 3, category 3. Account on direct "
        "emissions for Scope 2 alone.");
  if (boundary == core::Boundary::kUnknown)
    block.list.emplace_back("",
                            "It is not known whether the intensity includes emissions before the "
                            "generation, which belong to Scope 3, category 3.");
  return block;
}

}  // namespace

Document Scope2Document(const PeriodReport& report, const std::string& version) {
  Document document{"Scope 2 emissions of electricity", {}};
  document.blocks.push_back({"", Scope2Sentence(report, version)});
  document.blocks.push_back(MethodsBlock(report));
  if (report.request.IsMarketBased() && report.total.figures.energy > Energy{})
    document.blocks.push_back(FactorsBlock(report));
  if (report.rows.size() > 1) document.blocks.push_back(RowsBlock(report));
  document.blocks.push_back(ScopeBlock(report.request.boundary));
  AddBasis(report, document);
  return document;
}

}  // namespace ebb::report
