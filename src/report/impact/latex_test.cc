#include "report/impact/latex.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "platform/file.h"
#include "report/impact/example_for_test.h"
#include "report/impact/impact.h"
#include "testing/scratch_directory.h"

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

PeriodReport ReportWithHardNames() {
  std::vector<PeriodRun> runs = ExampleRuns();
  runs[0].owner.project = "100%_done & {more} #1 \\end{table} $x$ [y] \"q\"";
  runs[1].owner.project = "[first";
  runs[0].run.spec.machine.cpu_model = "CPU_1 \\ & 50% {";
  runs[0].run.spec.location.region = "}\\input{x}~^";
  PeriodRequest request = ExampleRequest();
  request.supplier = {{{40}, ""}};
  return ReportOf(request, runs);
}

PeriodReport ReportWithLongNames() {
  std::vector<PeriodRun> runs = ExampleRuns();
  runs[0].owner.project = "llama_finetuning_on_our_corpus_with_rank_64_and_seeds_0_to_31_and_more";
  runs[1].owner.project = "the same once more, but with a name that somebody wrote as a sentence";
  runs[0].run.spec.machine.cpu_model = "AMD EPYC 9654 96-Core Processor with 384 MB of cache";
  runs[1].run.spec.machine.cpu_model = "Intel(R) Xeon(R) Platinum 8480+ CPU @ 2.00GHz";
  runs[1].run.spec.location.region = "europe-west4 (Eemshaven, Netherlands)";
  return ReportOf(ExampleRequest(), runs);
}

std::string LatexFor(const PeriodReport& report, const std::string& version = "0.1.0") {
  return ImpactText(report, {ImpactKind::kPaperLatex, FunctionalUnit::kRun, version});
}

TEST(Latex, TheReportIsWellFormedWhateverNamesAre) {
  const std::string text = LatexFor(ReportWithHardNames(), "0_1");
  EXPECT_EQ(WhatIsWrong(text), "") << text;
  EXPECT_THAT(text, HasSubstr("\\textbackslash{}end\\{table\\}"));
  EXPECT_THAT(text, Not(HasSubstr("\\input{x}")));
}

TEST(Latex, TheExampleIsWellFormed) {
  const std::string text = LatexFor(ExampleReport());
  EXPECT_EQ(WhatIsWrong(text), "") << text;
  EXPECT_THAT(text, HasSubstr("127 g $\\pm$ 44 \\% of CO$_2$eq"));
}

TEST(Latex, OnlyATableThatIsTooWideBreaksItsLines) {
  EXPECT_THAT(LatexFor(ExampleReport()), HasSubstr("\\begin{tabular}{lrrr}"));
  const std::string text = LatexFor(ReportWithLongNames());
  EXPECT_EQ(WhatIsWrong(text), "") << text;
  EXPECT_THAT(text, HasSubstr("\\begin{tabular}{p{0.45\\linewidth}p{0.45\\linewidth}}"));
  EXPECT_THAT(text, HasSubstr("\\raggedright llama\\_\\allowbreak{}finetuning"));
}

// Every character from the first printable one to the end of the Latin letters, and some beyond.
std::string EveryCharacter() {
  std::string text;
  for (char c = ' '; c < '\x7f'; ++c) (text += c) += ' ';
  for (int lead = 0xC2; lead <= 0xC9; ++lead)
    for (int second = 0x80; second < 0xC0; ++second)
      ((text += static_cast<char>(lead)) += static_cast<char>(second)) += ' ';
  return text +
         "\u2013 \u2014 \u2018 \u2019 \u201c \u201d \u2026 \u2082 \u2122 \u2264 \u2265 \u20ac "
         "\u03bc";
}

// Compiles a section in an article and returns what pdfTeX says; nothing if it is not installed.
std::optional<std::string> SaidByPdftex(const std::string& section) {
  if (std::system("command -v pdflatex > /dev/null 2>&1") != 0) return std::nullopt;
  const std::filesystem::path folder = ScratchDirectory("latex");
  EXPECT_TRUE(platform::WriteFileAtomically(
      folder / "paper.tex",
      "\\documentclass{article}\n\\begin{document}\n" + section + "\n\\end{document}\n"));
  const std::string command = "cd '" + folder.string() +
                              "' && pdflatex -interaction=nonstopmode -halt-on-error paper.tex > "
                              "said.txt 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << section;
  EXPECT_TRUE(std::filesystem::exists(folder / "paper.pdf"));
  const auto said = platform::ReadFile(folder / "paper.log", 1 << 20);
  EXPECT_TRUE(said);
  return said ? std::optional(*said) : std::nullopt;
}

// "Overfull": text that runs over the margin.
TEST(Latex, PdftexCompilesItWithinTheMargins) {
  for (const std::string& section :
       {LatexFor(ExampleReport()), LatexFor(ReportWithHardNames()), LatexFor(ReportWithLongNames()),
        EscapeLatex(EveryCharacter())}) {
    const auto said = SaidByPdftex(section);
    if (!said) GTEST_SKIP() << "pdflatex is not installed (Debian: texlive-latex-base)";
    EXPECT_THAT(*said, Not(HasSubstr("Overfull"))) << section;
    EXPECT_THAT(*said, Not(HasSubstr("Missing character"))) << section;
    EXPECT_THAT(*said, Not(HasSubstr("\n! "))) << section;
  }
}

}  // namespace
}  // namespace ebb::report
