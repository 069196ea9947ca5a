#include "web/answers/machine_energy.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ebb::web {
namespace {

using std::chrono::hours;

const Time kBegin = *ParseTime("2026-05-06T23:00Z");

store::MachineHour Hour(int index, const std::string& device, double jobs_kwh, double idle_kwh) {
  store::MachineHour hour;
  hour.shares.device = device;
  hour.shares.wall = {kBegin + hours{index}, kBegin + hours{index + 1}};
  hour.shares.jobs = Energy::Joules(jobs_kwh * 3.6e6);
  hour.shares.idle = Energy::Joules(idle_kwh * 3.6e6);
  hour.shares.unattributed = Energy::Joules(0.25 * 3.6e6);
  hour.read_for = std::chrono::minutes{30};
  return hour;
}

TEST(MachineEnergy, IsSummedByDeviceAndByDay) {
  const std::vector<store::MachineHour> read{Hour(0, "cpu", 1, 0.5), Hour(0, "ram", 2, 0),
                                             Hour(1, "cpu", 4, 0.25)};
  const auto json = nlohmann::json::parse(MachineEnergyToJson(read, {kBegin, kBegin + hours{2}}));
  EXPECT_EQ(json["since"], "2026-05-06T23:00:00Z");
  EXPECT_EQ(json["jobs_kwh"], 7);
  EXPECT_EQ(json["idle_kwh"], 0.75);
  EXPECT_EQ(json["unattributed_kwh"], 0.75);
  EXPECT_EQ(json["machine_kwh"], 8.5);
  ASSERT_EQ(json["devices"].size(), 2u);
  EXPECT_EQ(json["devices"][0]["device"], "cpu");
  EXPECT_EQ(json["devices"][0]["jobs_kwh"], 5);
  EXPECT_EQ(json["devices"][0]["read_for_s"], 3600);
  ASSERT_EQ(json["days"].size(), 2u);
  EXPECT_EQ(json["days"][0]["day"], "2026-05-06");
  EXPECT_EQ(json["days"][0]["jobs_kwh"], 3);
  EXPECT_EQ(json["days"][1]["machine_kwh"], 4.5);
  const auto none = nlohmann::json::parse(MachineEnergyToJson({}, {kBegin, kBegin + hours{2}}));
  EXPECT_EQ(none["machine_kwh"], 0);
  EXPECT_TRUE(none["devices"].empty());
}

}  // namespace
}  // namespace ebb::web
