#include "report/impact/latex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>

#include "report/impact/example_for_test.h"
#include "report/impact/impact.h"

namespace ebb::report {
namespace {

using testing::HasSubstr;
using testing::Not;

// Reads LaTeX as TeX's first pass does, without Ebb's writer: groups, mathematics and environments
// must close, and the special characters must stand where they are allowed. Returns what is wrong;
// empty: nothing.
class LatexReader {
 public:
  std::string WhatIsWrong(const std::string& text) {
    for (at_ = 0; at_ < text.size() && wrong_.empty(); ++at_) Take(text);
    if (wrong_.empty() && depth_ != 0) wrong_ = "a group is open";
    if (wrong_.empty() && in_math_) wrong_ = "mathematics are open";
    if (wrong_.empty() && !environments_.empty()) wrong_ = environments_.back() + " is open";
    return wrong_;
  }

 private:
  void Take(const std::string& text) {
    const char c = text[at_];
    if (c == '\\') return TakeCommand(text);
    if (c == '{') ++depth_;
    if (c == '}' && --depth_ < 0) wrong_ = "a brace closes nothing";
    if (c == '$') in_math_ = !in_math_;
    if (c == '#' || c == '~' || c == '%' || c == '"') wrong_ = std::string("bare ") + c;
    if ((c == '_' || c == '^') && !in_math_) wrong_ = std::string("bare ") + c;
    if ((c == '<' || c == '>' || c == '|') && !in_math_) wrong_ = std::string("bare ") + c;
    const bool in_table = !environments_.empty() && environments_.back() == "tabular";
    if (c == '&' && !in_table) wrong_ = "& outside of a table";
  }

  void TakeCommand(const std::string& text) {
    std::size_t end = at_ + 1;
    while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end]))) ++end;
    const std::string name = text.substr(at_ + 1, end - at_ - 1);
    if (name.empty()) {  // a special character or a line break
      ++at_;
      const std::size_t next = text.find_first_not_of(" \n", at_ + 1);
      if (text[at_] == '\\' && next != std::string::npos && text[next] == '[')
        wrong_ = "a bracket is taken for the argument of a line break";
      return;
    }
    at_ = end - 1;
    if (name != "begin" && name != "end") return;
    const std::size_t close = text.find('}', end);
    const std::string environment = text.substr(end + 1, close - end - 1);
    at_ = close;
    if (name == "begin") return environments_.push_back(environment);
    if (environments_.empty() || environments_.back() != environment)
      wrong_ = environment + " ends and has not begun";
    else
      environments_.pop_back();
  }

  std::size_t at_ = 0;
  int depth_ = 0;
  bool in_math_ = false;
  std::vector<std::string> environments_;
  std::string wrong_;
};

std::string WhatIsWrong(const std::string& text) { return LatexReader().WhatIsWrong(text); }

TEST(Latex, TheReaderOfThisTestFindsMistakes) {
  EXPECT_EQ(WhatIsWrong("50\\,\\% of $x_1$ \\textbf{is} \\begin{a}b\\end{a}"), "");
  for (const char* wrong : {"{", "}", "$x", "a_b", "a & b", "100 %", "#", "\\begin{a}", "\\end{a}",
                            "\\begin{a}\\end{b}", "\\\\\n [x]"})
    EXPECT_NE(WhatIsWrong(wrong), "") << wrong;
}

TEST(Latex, SpecialCharactersAreEscaped) {
  EXPECT_EQ(EscapeLatex("50 % of a_b & {c} #1 $2 ~x^2 \\d"),
            "50 \\% of a\\_b \\& \\{c\\} \\#1 \\$2 \\textasciitilde{}x\\textasciicircum{}2 "
            "\\textbackslash{}d");
  EXPECT_EQ(EscapeLatex("[x] <y> |z| \"q\" `r`"), "{[}x] $<$y$>$ $|$z$|$ ''q'' 'r'");
  EXPECT_EQ(EscapeLatex("--output"), "-{}-output");
  EXPECT_EQ(EscapeLatex("12 \u00b5g of CO2eq \u00b1 3 %"), "12 $\\mu$g of CO$_2$eq $\\pm$ 3 \\%");
  EXPECT_EQ(EscapeLatex("a\nb\tc"), "a b?c");
}

// pdfTeX ends with an error at a character that its fonts lack.
TEST(Latex, LettersThatPdftexLacksAreReplaced) {
  EXPECT_EQ(EscapeLatex("M\u00fcnchen, \u0160koda, \u010cech"),
            "M\u00fcnchen, \u0160koda, \u010cech");
  EXPECT_EQ(EscapeLatex("\u0141\u00f3d\u017a, g\u0119\u015b"), "\u0141\u00f3d\u017a, g?\u015b");
  EXPECT_EQ(EscapeLatex("\u6771\u4eac \U0001F600"), "?? ?");
  EXPECT_EQ(EscapeLatex("a\xc3"), "a?");
}

TEST(Latex, TheReportIsWellFormedWhateverNamesAre) {
  std::vector<PeriodRun> runs = ExampleRuns();
  runs[0].owner.project = "100%_done & {more} #1 \\end{table} $x$ [y] \"q\"";
  runs[1].owner.project = "[first";
  runs[0].run.spec.machine.cpu_model = "CPU_1 \\ & 50% {";
  runs[0].run.spec.location.region = "}\\input{x}~^";
  PeriodRequest request = ExampleRequest();
  request.supplier = {{{40}, ""}};
  const std::string text =
      ImpactText(ReportOf(request, runs), {ImpactKind::kPaperLatex, FunctionalUnit::kRun, "0_1"});
  EXPECT_EQ(WhatIsWrong(text), "") << text;
  EXPECT_THAT(text, HasSubstr("\\textbackslash{}end\\{table\\}"));
  EXPECT_THAT(text, Not(HasSubstr("\\input{x}")));
}

TEST(Latex, TheExampleIsWellFormed) {
  const std::string text =
      ImpactText(ExampleReport(), {ImpactKind::kPaperLatex, FunctionalUnit::kRun, "0.1.0"});
  EXPECT_EQ(WhatIsWrong(text), "") << text;
  EXPECT_THAT(text, HasSubstr("127 g $\\pm$ 44 \\% of CO$_2$eq"));
}

}  // namespace
}  // namespace ebb::report
