#include "platform/shipped_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "testing/scratch_directory.h"

namespace ebb::platform {
namespace {

namespace fs = std::filesystem;

TEST(ShippedFiles, AreFoundByTheirNameInAClone) {
  const fs::path folder = ScratchDirectory("shipped");
  fs::create_directories(folder / "configs");
  std::ofstream(folder / "configs" / "shipped-files-test.yaml") << "a: 1\n";
  EXPECT_EQ(ShippedIn(folder, "configs/shipped-files-test.yaml"),
            (folder / "configs/shipped-files-test.yaml").string());
  for (const std::string path :
       {"configs/nosuch.yaml", "shipped-files-test.yaml", "/configs/shipped-files-test.yaml", ""})
    EXPECT_EQ(ShippedIn(folder, path), path);
  EXPECT_EQ(ShippedIn("", "configs/shipped-files-test.yaml"), "configs/shipped-files-test.yaml");
}

TEST(ShippedFiles, OnesOwnFileGoesFirst) {
  const fs::path folder = ScratchDirectory("own");
  const std::string name = "shipped-files-test-own.yaml";
  for (const fs::path& place : {folder, fs::path(".")}) std::ofstream(place / name) << "a: 1\n";
  EXPECT_EQ(ShippedIn(folder, name), name);
  fs::remove(name);
  EXPECT_EQ(ShippedIn(folder, name), (folder / name).string());
}

TEST(ShippedFiles, AZoneIsTheNameOfItsOnlySeries) {
  const fs::path folder = ScratchDirectory("series");
  fs::create_directories(folder / "data/carbon");
  const auto add = [&](const std::string& name) {
    const fs::path file = folder / "data/carbon" / name;
    std::ofstream(file) << "x\n";
    return file.string();
  };
  const std::string wanted = add("XX-TEST-ONE_carboncast_2020-2021_hourly_lifecycle.csv.gz");
  add("XX-TEST_2020.csv");
  EXPECT_EQ(ShippedSeriesIn(folder, "XX-TEST-ONE"), wanted);
  EXPECT_EQ(ShippedSeriesIn(folder, "data/carbon/" + fs::path(wanted).filename().string()), wanted);
  EXPECT_EQ(ShippedSeriesIn(folder, "XX"), "XX");
  add("XX-TEST-ONE_other_2022_hourly_direct.csv");
  EXPECT_EQ(ShippedSeriesIn(folder, "XX-TEST-ONE"), "XX-TEST-ONE") << "which of the two?";
}

}  // namespace
}  // namespace ebb::platform
