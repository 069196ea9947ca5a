#include "report/table_columns.h"

#include <gtest/gtest.h>

namespace ebb::report {
namespace {

struct Job {
  std::string name;
  std::optional<double> grams;
  bool over = true;
};
using JobColumn = Column<Job>;

std::vector<JobColumn> Columns() {
  const auto grams = [](const Job& job) {
    return PlainOf(job.grams, [](double value) { return value; });
  };
  return {JobColumn::Text(
              "name", [](const Job& job) { return job.name; }, "job"),
          {"emissions_g", grams, "emitted",
           [](const Job& job) { return job.grams ? "some g" : "unknown"; }, " ("},
          {"over", [](const Job& job) { return job.over; }},
          {"note", [](const Job& job) { return job.over ? Plain(Omitted{}) : Plain("it runs"); }},
          JobColumn::Shown(
              "on a page", [](const Job&) { return "p"; }, Readers::kPage)};
}

const std::vector<Job> kJobs{{"a, b", 0.5}, {"c", std::nullopt, false}};

TEST(TableColumns, ATerminalAndAPageHaveTheColumnsWithAHeading) {
  const TextTable terminal = TableFor(Readers::kTerminal, Columns(), kJobs);
  EXPECT_EQ(terminal.headers, (std::vector<std::string>{"job", "emitted"}));
  EXPECT_EQ(terminal.rows[1], (std::vector<std::string>{"c", "unknown"}));
  EXPECT_EQ(terminal.texts, std::vector<std::size_t>{0});
  const TextTable page = TableFor(Readers::kPage, Columns(), kJobs);
  EXPECT_EQ(page.headers, (std::vector<std::string>{"job", "emitted", "on a page"}));
  EXPECT_EQ(page.rows[0], (std::vector<std::string>{"a, b", "some g", "p"}));
  EXPECT_EQ(page.page_breaks, (std::vector<std::string>{"", " (", ""}));
}

TEST(TableColumns, CsvHasTheColumnsWithAKeyAndNothingForTheUnknown) {
  EXPECT_EQ(CsvOf(Columns(), kJobs),
            "name,emissions_g,over,note\n"
            "\"a, b\",0.5,true,\n"
            "c,,false,it runs\n");
}

TEST(TableColumns, JsonHasNullForTheUnknownAndNoKeyForTheOmitted) {
  const auto columns = Chosen(Columns(), &JobColumn::key, {"over", "emissions_g", "note"});
  EXPECT_EQ(
      ToJson(JsonRowsOf(columns, kJobs)),
      R"([{"over":true,"emissions_g":0.5},{"over":false,"emissions_g":null,"note":"it runs"}])");
}

TEST(TableColumns, AFigureWithItsIntervalIsAnObject) {
  const Plain figure = Nested{[](DescribedJson& json) {
    json("value", "", 2.5)("low", "", OrNull{std::optional(1.5)});
    json("high", "", OrNull<double>{});
  }};
  const std::vector<JobColumn> columns{{"saving_g", [&](const Job&) { return figure; }}};
  const std::vector<Job> jobs{{"a", 0.5}};
  EXPECT_EQ(ToJson(JsonRowsOf(columns, jobs)),
            R"([{"saving_g":{"value":2.5,"low":1.5,"high":null}}])");
  EXPECT_EQ(PlainText(figure), R"({"value":2.5,"low":1.5,"high":null})");
}

TEST(TableColumns, ColumnsAreChosenByName) {
  const auto chosen = Chosen(Columns(), &JobColumn::heading, {"emitted", "job"});
  EXPECT_EQ(chosen.front().key, "emissions_g");
  EXPECT_EQ(chosen.back().key, "name");
}

}  // namespace
}  // namespace ebb::report
