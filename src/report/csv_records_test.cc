#include "report/csv_records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ebb::report {
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
  EXPECT_EQ((*records)[1].line, 3);
  EXPECT_THAT((*records)[2].fields, ElementsAre("2", "two\nlines", "z"));
}

TEST(CsvRecords, AQuoteThatNeverEndsIsNamedWithItsLine) {
  const auto records = ParseCsv("a,b\n1,\"x\n2,3\n", "x.csv");
  ASSERT_FALSE(records);
  EXPECT_THAT(records.error().Message(), HasSubstr("x.csv:2"));
}

TEST(CsvRecords, WhatIsWrittenReadsBackAsOneLine) {
  const std::vector<std::string> fields{"", "plain", "a,b", "say \"no\"", "two\r\nlines", " x "};
  const std::string line = CsvLine(fields);
  EXPECT_EQ(line, ",plain,\"a,b\",\"say \"\"no\"\"\",two  lines, x ");
  EXPECT_THAT((*ParseCsv(line, ""))[0].fields,
              ElementsAre("", "plain", "a,b", "say \"no\"", "two  lines", " x "));
}

}  // namespace
}  // namespace ebb::report
