#include "report/json_parts.h"

#include <gtest/gtest.h>

#include <limits>

namespace ebb::report {
namespace {

TEST(JsonParts, ADocumentIsAlwaysJson) {
  const Json json{{"path", "a\xff.db"}, {"mean", std::numeric_limits<double>::quiet_NaN()}};
  EXPECT_EQ(Document(json), "{\n  \"path\": \"a\xef\xbf\xbd.db\",\n  \"mean\": null\n}\n");
}

TEST(JsonParts, UnknownIsNullAndQuantitiesHaveTheUnitOfTheirKeys) {
  EXPECT_TRUE(Maybe(std::optional<Emissions>()).is_null());
  EXPECT_EQ(Maybe(std::optional(Emissions{2.5})), 2.5);
  EXPECT_EQ(Maybe(std::optional(Intensity{310})), 310.0);
  EXPECT_EQ(Maybe(std::optional(Time{})), "1970-01-01T00:00:00Z");
  EXPECT_EQ(Maybe(std::optional(Emissions{2500}), [](Emissions e) { return e.grams / 1000; }), 2.5);
}

TEST(JsonParts, ARowHasItsColumnsInTheirOrder) {
  const std::vector<Column<int>> columns{{"number", [](int row) { return row; }},
                                         {"known", [](int) { return Plain(); }},
                                         {"left_out", [](int) { return Omitted{}; }}};
  EXPECT_EQ(RowJson(columns, 7).dump(), R"({"number":7,"known":null})");
}

}  // namespace
}  // namespace ebb::report
