#include "report/run/codecarbon_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <map>

#include "base/csv.h"
#include "base/text.h"
#include "report/golden_for_test.h"
#include "report/run/run_builder_for_test.h"

namespace ebb::report {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class CodeCarbonCsv : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TZ", "UTC", 1);
    tzset();
    run_ = RunBuilder{}.Build();
  }
  std::map<std::string, std::string> Fields() {
    const std::string text = EmissionsCsv(run_, Summarise(run_));
    const auto records = ParseCsv(text, "");
    EXPECT_THAT(*records, SizeIs(2));
    const auto& names = (*records)[0].fields;
    const auto& values = (*records)[1].fields;
    EXPECT_EQ(names.size(), values.size());
    std::map<std::string, std::string> fields;
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i)
      fields[names[i]] = values[i];
    return fields;
  }
  core::RunRecord run_;
};

TEST_F(CodeCarbonCsv, Has38ColumnsAndDropsNoEmptyOne) {
  EXPECT_THAT(EmissionsColumns(), SizeIs(38));
  EXPECT_THAT(Fields(), SizeIs(38));
  EXPECT_EQ(Fields()["python_version"], "");
}

TEST_F(CodeCarbonCsv, UsesItsUnits) {
  run_.spec.pue.ratio = 1.5;
  for (core::LedgerRow& row : run_.ledger) row.pue.ratio = 1.5;
  auto fields = Fields();
  const auto number = [&](const char* name) { return *ParseNumber(fields[name]); };
  EXPECT_EQ(number("duration"), 600);
  EXPECT_EQ(number("cpu_power"), 1000);  // W, without PUE
  EXPECT_EQ(number("ram_power"), 200);
  EXPECT_NEAR(number("energy_consumed"), 0.3, 1e-9);  // kWh, with PUE
  EXPECT_NEAR(number("cpu_energy"), 0.25, 1e-9);
  EXPECT_NEAR(number("cpu_energy") + number("gpu_energy") + number("ram_energy"),
              number("energy_consumed"), 1e-9);
  EXPECT_NEAR(number("emissions"), 0.3 * 0.4, 1e-9);  // kg
  EXPECT_NEAR(number("emissions_rate"), 0.3 * 0.4 / 600, 1e-12);
  EXPECT_EQ(fields["timestamp"], "2023-05-01T18:10:00");
  EXPECT_EQ(fields["country_iso_code"], "USA");
  EXPECT_EQ(fields["tracking_mode"], "process");
  EXPECT_EQ(fields["on_cloud"], "N");
}

TEST_F(CodeCarbonCsv, QuotesAsRfc4180) {
  run_.spec.machine.cpu_model = "Xeon \"Gold\", 2.0 GHz\nstepping 7";
  run_.spec.machine.gpu_models = {"NVIDIA A100", "Tesla T4", "NVIDIA A100"};
  const std::string row = EmissionsCsv(run_, Summarise(run_));
  EXPECT_THAT(row, HasSubstr("\"Xeon \"\"Gold\"\", 2.0 GHz stepping 7\""));
  EXPECT_THAT(row, HasSubstr(",3,\"2 x NVIDIA A100, 1 x Tesla T4\","));
}

TEST_F(CodeCarbonCsv, IsAsItWas) {
  ExpectGolden("emissions.csv", EmissionsCsv(run_, Summarise(run_)));
}

}  // namespace
}  // namespace ebb::report
