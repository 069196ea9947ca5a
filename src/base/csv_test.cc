#include "base/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(CsvRecords, ReadsWhatSpreadsheetsWrite) {
  const std::string text =
      "\xEF\xBB\xBF"
      "a,b,c\r\n\r\n1,\"x, \"\"y\"\"\",\r\n2,\"two\nlines\",z";
  const auto records = ParseCsv(text, "x.csv");
  ASSERT_TRUE(records);
  ASSERT_THAT(*records, SizeIs(3));
  EXPECT_THAT((*records)[0].fields, ElementsAre("a", "b", "c"));
  EXPECT_THAT((*records)[1].fields, ElementsAre("1", "x, \"y\"", ""));
  EXPECT_EQ((*records)[1].text, "1,\"x, \"\"y\"\"\",");
  EXPECT_EQ((*records)[1].line, 3u);
  EXPECT_THAT((*records)[2].fields, ElementsAre("2", "two\nlines", "z"));
}

TEST(CsvRecords, AQuoteThatNeverEndsIsNamedWithItsLine) {
  const auto records = ParseCsv("a,b\n1,\"x\n2,3\n", "x.csv");
  ASSERT_FALSE(records);
  EXPECT_THAT(records.error().Message(), HasSubstr("x.csv:2"));
}

TEST(CsvRecords, ARecordIsReadOneAtATimeWithItsLine) {
  CsvReader csv("a,b\n \t\n \"1\" ,\"x\ny\" \r\n\"2\"3,\"say \"\"no\"\"\"", "x.csv",
                CsvBlanks::kTrimmed);
  ASSERT_TRUE(*csv.Next());
  EXPECT_THAT(csv.fields(), ElementsAre("a", "b"));
  std::vector<std::string> seen;
  ASSERT_TRUE(csv.ForEach([&]() -> Status {
    seen.push_back(std::to_string(csv.line()) + ":" + std::string(csv.fields()[0]) + "|" +
                   std::string(csv.fields()[1]));
    return {};
  }));
  EXPECT_THAT(seen, ElementsAre("3:1|x\ny", "5:23|say \"no\""));
  EXPECT_FALSE(*csv.Next());
}

TEST(CsvRecords, BlanksArePartOfAFieldUnlessTheyAreTrimmed) {
  const std::string text = " a ,\" b \", \"c\"";
  EXPECT_THAT((*ParseCsv(text, ""))[0].fields, ElementsAre(" a ", " b ", " \"c\""));
  CsvReader trimmed(text, "", CsvBlanks::kTrimmed);
  ASSERT_TRUE(*trimmed.Next());
  EXPECT_THAT(trimmed.fields(), ElementsAre("a", "b", "c"));
}

TEST(CsvRecords, AnErrorEndsTheReadingOfTheRest) {
  CsvReader csv("1\n2\n3\n", "x.csv");
  int read = 0;
  const Status done = csv.ForEach([&]() -> Status {
    if (++read == 2) return Fail({ExitCode::kConfiguration, "enough", "", ""});
    return {};
  });
  EXPECT_FALSE(done);
  EXPECT_EQ(read, 2);
}

TEST(CsvRecords, WhatIsWrittenReadsBackAsOneLine) {
  const std::vector<std::string> fields{"", "plain", "a,b", "say \"no\"", "two\r\nlines", " x "};
  const std::string line = CsvLine(fields);
  EXPECT_EQ(line, ",plain,\"a,b\",\"say \"\"no\"\"\",two  lines, x ");
  EXPECT_THAT((*ParseCsv(line, ""))[0].fields,
              ElementsAre("", "plain", "a,b", "say \"no\"", "two  lines", " x "));
}

}  // namespace
}  // namespace ebb
