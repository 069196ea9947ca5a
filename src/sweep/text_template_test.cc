#include "sweep/text_template.h"

#include <gtest/gtest.h>

namespace ebb::sweep {
namespace {

std::vector<Setting> Settings() {
  return {{"r", Value::From("16")},
          {"lr", Value::From("1e-04")},
          {"dropout", Value::From("0.15")},
          {"note", Value::From("$(rm -rf ~); 'x' {r}")}};
}

std::string Render(const std::string& text) {
  const auto parsed = TextTemplate::Parse(text);
  if (!parsed) return "error: " + parsed.error().what;
  const auto rendered = parsed->Render(Settings());
  return rendered ? *rendered : "error: " + rendered.error().what;
}

TEST(TextTemplate, FormatsNumbers) {
  EXPECT_EQ(Render("r{r}-lr{lr:.0e}-d{dropout:percent}"), "r16-lr1e-04-d15");
  EXPECT_EQ(Render("{lr:.2e} {lr:.4f} {r:d} {r:.1f}"), "1.00e-04 0.0001 16 16.0");
  EXPECT_EQ(Render("{{r}} is {r}"), "{r} is 16");
}

TEST(TextTemplate, KeepsTheUsersTextAndReadsItOnce) {
  EXPECT_EQ(Render("{lr}"), "1e-04");
  EXPECT_EQ(Render("{note}"), "$(rm -rf ~); 'x' {r}");
}

TEST(TextTemplate, SaysWhatIsWrong) {
  for (const char* text : {"{", "}", "{r", "a}b", "{}", "{:d}", "{r:x}", "{r:.e}", "{a{b}}"})
    EXPECT_FALSE(TextTemplate::Parse(text)) << text;
  EXPECT_EQ(Render("{alpha}"), "error: there is no parameter alpha");
  EXPECT_EQ(Render("{lr:d}"), "error: {lr:d} wants whole numbers, and 1e-04 is not one");
  EXPECT_TRUE(Render("{note:.2f}").starts_with("error: {note} is formatted as a number"));
}

}  // namespace
}  // namespace ebb::sweep
