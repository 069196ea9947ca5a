#include "report/codecarbon_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <map>

#include "base/text.h"
#include "platform/file.h"
#include "report/golden_for_test.h"
#include "report/run_builder_for_test.h"

namespace ebb::report {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class CodeCarbonCsv : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TZ", "UTC", 1);
    tzset();
    run_ = RunBuilder{}.Build();
  }
  std::map<std::string, std::string> Fields() {
    const std::string header = EmissionsCsvHeader();
    const std::string row = EmissionsCsvRow(run_, Summarise(run_));
    const auto names = Split(header, ',');
    const auto values = Split(row, ',');
    EXPECT_EQ(names.size(), values.size());
    std::map<std::string, std::string> fields;
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i)
      fields[std::string(names[i])] = std::string(values[i]);
    return fields;
  }
  core::RunRecord run_;
};

TEST_F(CodeCarbonCsv, Has38ColumnsAndDropsNoEmptyOne) {
  EXPECT_THAT(Split(EmissionsCsvHeader(), ','), SizeIs(38));
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
  const std::string row = EmissionsCsvRow(run_, Summarise(run_));
  EXPECT_THAT(row, HasSubstr("\"Xeon \"\"Gold\"\", 2.0 GHz stepping 7\""));
  EXPECT_THAT(row, HasSubstr(",3,\"2 x NVIDIA A100, 1 x Tesla T4\","));
}

TEST_F(CodeCarbonCsv, AppendsUnderOneHeader) {
  const auto file = ScratchDirectory() / "emissions.csv";
  const Summary summary = Summarise(run_);
  ASSERT_TRUE(AppendEmissionsCsv(file, run_, summary));
  ASSERT_TRUE(AppendEmissionsCsv(file, run_, summary));
  ExpectGolden("emissions.csv", *platform::ReadFile(file));
}

TEST_F(CodeCarbonCsv, KeepsAFileWithOtherColumnsAsBackup) {
  const auto file = ScratchDirectory() / "emissions.csv";
  ASSERT_TRUE(platform::WriteFileAtomically(file, "timestamp,old\n1,2\n"));
  ASSERT_TRUE(platform::WriteFileAtomically(file.string() + ".bak", "older"));
  ASSERT_TRUE(AppendEmissionsCsv(file, run_, Summarise(run_)));
  EXPECT_THAT(*platform::ReadFile(file), StartsWith(EmissionsCsvHeader() + "\n"));
  EXPECT_EQ(*platform::ReadFile(file.string() + ".bak"), "older");
  EXPECT_EQ(*platform::ReadFile(file.string() + ".bak2"), "timestamp,old\n1,2\n");
}

TEST_F(CodeCarbonCsv, FollowsTheSameColumnsInAnotherOrder) {
  const auto file = ScratchDirectory() / "emissions.csv";
  const std::string header = EmissionsCsvHeader();
  const std::string moved = "wue," + header.substr(0, header.size() - std::string(",wue").size());
  ASSERT_TRUE(platform::WriteFileAtomically(file, moved + "\r\n"));
  ASSERT_TRUE(AppendEmissionsCsv(file, run_, Summarise(run_)));
  EXPECT_THAT(*platform::ReadFile(file),
              StartsWith(moved + "\r\n0.0,2023-05-01T18:10:00,baseline"));
}

TEST_F(CodeCarbonCsv, AnEmptyFileIsANewOne) {
  const auto file = ScratchDirectory() / "emissions.csv";
  ASSERT_TRUE(platform::WriteFileAtomically(file, ""));
  ASSERT_TRUE(AppendEmissionsCsv(file, run_, Summarise(run_)));
  EXPECT_THAT(*platform::ReadFile(file), StartsWith("timestamp,"));
}

}  // namespace
}  // namespace ebb::report
