#include "report/impact/impact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/csv.h"
#include "base/text.h"
#include "report/impact/example_for_test.h"
#include "testing/golden.h"

namespace ebb::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string Text(const PeriodReport& report, ImpactKind kind,
                 FunctionalUnit unit = FunctionalUnit::kRun) {
  return ImpactText(report, {kind, unit, "0.1.0"});
}

std::string ExampleText(std::string_view name) {
  if (name == "ghg-without-contract") return Text(ExampleReport(), ImpactKind::kGhg);
  const ImpactKind kind = ImpactKindFromName(name)->kind;
  const bool with_contract = kind == ImpactKind::kGhg || kind == ImpactKind::kCsrd;
  return Text(with_contract ? ExampleWithContract() : ExampleReport(), kind,
              FunctionalUnit::kSample);
}

std::string Page() {
  std::ifstream stream(SourceTree() + "/docs/report-impact.md", std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The page with each example written anew: the block of code after "<!-- example: NAME -->".
std::string WithExamples(const std::string& page, std::size_t& examples) {
  constexpr std::string_view kMark = "<!-- example: ";
  std::string text;
  std::size_t at = 0;
  for (std::size_t mark; (mark = page.find(kMark, at)) != std::string::npos; ++examples) {
    const std::size_t name = mark + kMark.size();
    const std::size_t begin = page.find('\n', page.find("\n```", name) + 1) + 1;
    text +=
        page.substr(at, begin - at) + ExampleText(page.substr(name, page.find(' ', name) - name));
    at = page.find("\n```\n", begin) + 1;
  }
  return text + page.substr(at);
}

TEST(Impact, TheExamplesOfThePageAreWhatIsWritten) {
  std::size_t examples = 0;
  const std::string page = WithExamples(Page(), examples);
  EXPECT_EQ(examples, kImpactKinds.size() + 1) << "each kind has its example";
  ExpectGoldenFile("../docs/report-impact.md", page);
}

// The record of a run and the report for others state the same grams.
TEST(Impact, GramsAreThoseOfTheSummaries) {
  double grams = 0;
  for (const PeriodRun& run : ExampleRuns()) grams += Summarise(run.run).totals.emissions.grams;
  EXPECT_NEAR(grams, 127.2, 1e-9);
  EXPECT_THAT(Text(ExampleReport(), ImpactKind::kModelCard),
              HasSubstr("\n  emissions: 127.200000\n"));
}

using Lines = std::vector<std::map<std::string, std::string>>;

Lines Csv(const PeriodReport& report) {
  const std::string text = Text(report, ImpactKind::kCsrd);
  const auto records = ParseCsv(text, "csv");
  Lines lines;
  for (std::size_t i = 1; i < records->size(); ++i) {
    lines.emplace_back();
    for (std::size_t field = 0; field < records->front().fields.size(); ++field)
      lines.back()[records->front().fields[field]] = (*records)[i].fields.at(field);
  }
  return lines;
}

std::map<std::string, std::string> LineOf(const Lines& lines, const std::string& point,
                                          const std::string& name = "") {
  for (const auto& line : lines)
    if (line.at("data_point") == point && line.at("name") == name) return line;
  ADD_FAILURE() << "no line for " << point << " " << name;
  return {};
}

// The energy of each row is odd, so that its MWh have endless decimals.
TEST(Impact, LinesOfTheCsvAddUpToTheirTotals) {
  std::vector<PeriodRun> runs = ExampleRuns();
  std::int64_t odd = 1;
  for (PeriodRun& run : runs)
    for (core::LedgerRow& row : run.run.ledger) row.energy += Energy::Microjoules(odd += 17);
  PeriodRequest request = ExampleRequest();
  request.supplier = {{{33.3}, ""}};
  const PeriodReport report = ReportOf(request, runs);
  std::map<std::string, std::int64_t> sums, totals;
  std::map<std::string, double> values;
  for (const auto& line : Csv(report)) {
    if (line.at("exact").empty()) continue;
    const bool is_total = line.at("part") == "total";
    const auto exact = *ParseInteger(line.at("exact"));
    (is_total ? totals : sums)[line.at("data_point")] += exact;
    values[line.at("data_point")] += (is_total ? -1 : 1) * *ParseNumber(line.at("value"));
    const double unit = line.at("unit") == "MWh" ? 3.6e15 : 1e12;
    EXPECT_NEAR(*ParseNumber(line.at("value")), static_cast<double>(exact) / unit, 1e-12);
  }
  EXPECT_EQ(sums, totals);
  EXPECT_EQ(totals.size(), 4U) << "E1-5_01, E1-6_09, _10 and _11";
  for (const auto& [point, difference] : values) EXPECT_NEAR(difference, 0, 3e-12) << point;
  const PeriodFigures& total = report.total.figures;
  EXPECT_EQ(totals["E1-5_01"], total.facility_energy.microjoules());
  EXPECT_EQ(totals["E1-6_09"], total.emissions_ug);
  EXPECT_EQ(totals["E1-6_10"], total.market_ug);
  EXPECT_EQ(totals["E1-6_11"], total.embodied_ug);
}

TEST(Impact, ValuesOfTheCsvAreThoseComputedByHand) {
  const Lines lines = Csv(ExampleWithContract());
  EXPECT_EQ(LineOf(lines, "E1-5_01").at("value"), "0.000480000000") << "480 Wh";
  EXPECT_EQ(LineOf(lines, "E1-6_09").at("value"), "0.000127200000") << "127.2 g";
  EXPECT_EQ(LineOf(lines, "E1-6_10").at("value"), "0.000019200000") << "0.48 kWh x 40 g/kWh";
  EXPECT_EQ(LineOf(lines, "E1-6_11").at("value"), "0.000005000000");
  EXPECT_EQ(LineOf(lines, "E1-6_09", "optimized").at("value"), "0.000031200000");
  EXPECT_EQ(LineOf(lines, "E1-6_09", "optimized").at("part"), "project");
}

TEST(Impact, WhatIsNotKnownIsAnEmptyFieldWithItsReason) {
  std::vector<PeriodRun> runs = ExampleRuns();
  for (core::LedgerRow& row : runs[0].run.ledger) row.intensity.reset();
  runs[1].run.spec.embodied.reset();
  const Lines lines = Csv(ReportOf(ExampleRequest(), runs));
  for (const char* point : {"E1-5_02", "E1-5_03", "E1-5_05", "E1-6_10"}) {
    const auto line = LineOf(lines, point);
    EXPECT_EQ(line.at("value"), "") << point;
    EXPECT_EQ(line.at("exact"), "") << point;
    EXPECT_NE(line.at("remark"), "") << point;
  }
  EXPECT_EQ(LineOf(lines, "E1-6_09", "baseline").at("value"), "");
  EXPECT_NE(LineOf(lines, "E1-6_09", "optimized").at("value"), "");
  EXPECT_EQ(LineOf(lines, "E1-6_11").at("value"), "");
  EXPECT_NE(LineOf(lines, "E1-6_11", "baseline").at("value"), "");
}

TEST(Impact, WithoutAStatedFactorTheMarketBasedMethodIsNotReported) {
  const std::string text = Text(ExampleReport(), ImpactKind::kGhg);
  EXPECT_THAT(text, HasSubstr("| market-based | not reported |"));
  EXPECT_THAT(text, HasSubstr("Ebb assumes none"));
  EXPECT_THAT(text, Not(HasSubstr("Market-based factors")));
  const std::string stated = Text(ExampleWithContract(), ImpactKind::kGhg);
  EXPECT_THAT(stated, HasSubstr("| market-based | 19.2 g ± 42 % |"));
  EXPECT_THAT(stated, HasSubstr("100 % of the energy at the factor of a contract, 0 % at the"));
}

// Scope 2 is the generation alone.
TEST(Impact, ALifeCycleIntensityIsSaidToExceedScopeTwo) {
  PeriodRequest request = ExampleRequest();
  EXPECT_THAT(Text(ReportOf(request, ExampleRuns()), ImpactKind::kGhg), HasSubstr("category 3"));
  request.boundary = core::Boundary::kDirect;
  std::vector<PeriodRun> runs = ExampleRuns();
  for (PeriodRun& run : runs) run.run.spec.signal.boundary = core::Boundary::kDirect;
  const PeriodReport direct = ReportOf(request, runs);
  EXPECT_THAT(Text(direct, ImpactKind::kGhg), Not(HasSubstr("category 3")));
  EXPECT_EQ(LineOf(Csv(direct), "E1-6_09").at("remark"), "");
}

TEST(Impact, UnknownEmissionsAreAWordInEachReportAndNoNumber) {
  std::vector<PeriodRun> runs = ExampleRuns();
  for (PeriodRun& run : runs)
    for (core::LedgerRow& row : run.run.ledger) row.intensity.reset();
  const PeriodReport report = ReportOf(ExampleRequest(), runs);
  for (const ImpactKind kind : {ImpactKind::kModelCard, ImpactKind::kPaperMarkdown,
                                ImpactKind::kPaperLatex, ImpactKind::kSci, ImpactKind::kGhg}) {
    const std::string text = Text(report, kind);
    EXPECT_THAT(text, HasSubstr("unknown"));
    EXPECT_THAT(text, Not(HasSubstr(" 0 g"))) << text;
  }
  EXPECT_THAT(Text(report, ImpactKind::kModelCard), Not(HasSubstr("\n  emissions:")));
}

// A reader of YAML must get back what the machine is called.
TEST(Impact, TextsOfTheMetadataAreQuotedWhereYamlNeedsIt) {
  std::vector<PeriodRun> runs = ExampleRuns();
  for (PeriodRun& run : runs) run.run.spec.machine.cpu_model = "yes: \"CPU\" # 1";
  const std::string text = Text(ReportOf(ExampleRequest(), runs), ImpactKind::kModelCard);
  EXPECT_THAT(text, HasSubstr("\n  hardware_used: \"yes: \\\"CPU\\\" # 1\"\n"));
}

TEST(Impact, AReportOfNothingSaysSo) {
  const PeriodReport nothing = ReportOf(ExampleRequest(), {});
  for (const ImpactKindText& kind : kImpactKinds) {
    const std::string text = Text(nothing, kind.kind);
    EXPECT_THAT(text, testing::EndsWith("\n"));
    EXPECT_THAT(text, Not(HasSubstr("nan"))) << text;
    EXPECT_THAT(text, Not(HasSubstr("inf "))) << text;
  }
  EXPECT_THAT(Text(nothing, ImpactKind::kPaperMarkdown), HasSubstr("No run used energy"));
}

TEST(Impact, NamesOfKindsReadBack) {
  for (const ImpactKindText& kind : kImpactKinds)
    EXPECT_EQ(ImpactKindFromName(kind.name)->kind, kind.kind);
  EXPECT_FALSE(ImpactKindFromName("tcfd"));
  EXPECT_EQ(ImpactKindNames(), "model-card|paper-markdown|paper-latex|sci|ghg|csrd");
}

}  // namespace
}  // namespace ebb::report
