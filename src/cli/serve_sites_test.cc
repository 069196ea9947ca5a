#include "cli/serve_sites.h"

#include <gtest/gtest.h>

#include <fstream>

#include "platform/temporary_directory.h"

namespace ebb::cli {
namespace {

const Time kStart = *ParseTime("2023-05-01T00:00:00Z");

// Dirty for three weeks, clean from now on: only perfect foresight knows.
void WriteTrace(const std::filesystem::path& path) {
  std::ofstream file(path);
  file << "timestamp,carbon_intensity\n";
  for (int hour = -21 * 24; hour < 48; ++hour)
    file << FormatTime(kStart + std::chrono::hours{hour}) << "," << (hour < 1 ? 900 : 20) << "\n";
}

double ExpectedLater(const app::FlagValues& given) {
  const auto directory = platform::TemporaryDirectory::Make("ebb-serve-sites-");
  WriteTrace(directory->path() / "norway.csv");
  const auto file = directory->path() / "sites.yaml";
  std::ofstream(file) << "sites:\n  - {name: norway, host: gpu.example.no, zone: NO-NO1, trace: "
                         "norway.csv}\n";
  app::RunOptions home;
  EXPECT_TRUE(app::ApplyFlags(given, home));
  auto used = OpenSites(file.string(), given, home);
  EXPECT_TRUE(used) << used.error().Message();
  const auto view = used->feeds.front()->Observe(kStart, std::chrono::hours{24});
  EXPECT_TRUE(view) << view.error().Message();
  const core::Sample* sample = view->At(kStart + std::chrono::hours{10});
  return sample ? sample->intensity.g_per_kwh : -1;
}

TEST(ServeSites, ASiteIsForecastAsTheHomeIs) {
  const app::FlagValues home{{"constant", "400"}, {"grid-start", "2023-05-01T00:00:00Z"}};
  app::FlagValues perfect = home;
  perfect["forecast"] = "perfect";
  EXPECT_DOUBLE_EQ(ExpectedLater(perfect), 20);
  EXPECT_GT(ExpectedLater(home), 500) << "by its own past";
}

}  // namespace
}  // namespace ebb::cli
