#include "local/process/training_contract.h"

#include <gtest/gtest.h>

#include <map>

namespace ebb::local {
namespace {

std::map<std::string, std::string> Map(const ContractValues& values) {
  const auto environment = ContractEnvironment(values);
  return {environment.begin(), environment.end()};
}

TEST(TrainingContract, TellsTheProgramWhereAndWhen) {
  ContractValues values;
  values.job_id = "run-1";
  values.run_directory = "/runs/./x";
  values.checkpoint_directory = "/runs/x/checkpoints";
  values.submitted = *ParseTime("2023-05-01T17:00Z");
  values.scheduled = *ParseTime("2023-05-02T11:00Z");
  values.intensity_at_submission = Intensity{310};
  values.intensity_at_start = Intensity{142.5};
  const auto map = Map(values);
  EXPECT_EQ(map.at("EBB_RUN_DIR"), "/runs/x");
  EXPECT_EQ(map.at("EBB_RESUME"), "0");
  EXPECT_EQ(map.at("CG_SCHEDULED_AT"), "2023-05-02T11:00:00Z");
  EXPECT_EQ(map.at("CG_CARBON_INTENSITY"), "142.5");
  EXPECT_EQ(map.at("CG_CARBON_SAVED"), "167.5");
}

TEST(TrainingContract, AnUnknownIntensityIsLeftOutAndNotZero) {
  const auto map = Map({});
  EXPECT_FALSE(map.contains("CG_CARBON_INTENSITY"));
  EXPECT_FALSE(map.contains("CG_CARBON_SAVED"));
}

}  // namespace
}  // namespace ebb::local
