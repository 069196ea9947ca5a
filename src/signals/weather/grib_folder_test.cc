#include "signals/weather/grib_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "platform/file.h"
#include "signals/weather/grib_for_test.h"
#include "testing/scratch_directory.h"

namespace ebb::signals {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::HasSubstr;

const std::vector<WeatherPoint> kPlaces{{54.4, 9.2}, {48.0, 10.0}};

// A folder with runs in NOAA's layout, with wind of `wind` m/s from the west.
struct Folder {
  std::filesystem::path path = ScratchDirectory();

  void AddRun(const char* issued, double wind, int last_h = 12) const {
    const Time start = *ParseTime(issued);
    for (long hour = 0; hour <= last_h; hour += 3) {
      std::vector<TestGrib> fields{WindEast(hour, Everywhere(wind)), WindNorth(hour, Everywhere(0)),
                                   Temperature(hour, Everywhere(280))};
      if (hour > 0) fields.push_back(Shortwave((hour - 1) / 6 * 6, hour, Everywhere(100)));
      std::string bytes;
      for (TestGrib& field : fields) {
        field.issued = start;
        bytes += field.Message();
      }
      const std::string name = "gfs." + FormatTime(start).substr(0, 10) + "/" +
                               FormatTime(start).substr(11, 2) + "/gfs.pgrb2.f" +
                               std::to_string(hour);
      Add(name, bytes);
    }
  }
  void Add(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories((path / name).parent_path());
    ASSERT_TRUE(platform::WriteFileAtomically(path / name, bytes));
    std::filesystem::last_write_time(path / name,
                                     std::filesystem::last_write_time(path / name) - minutes{11});
  }
};

class GribFolder : public testing::Test {
 protected:
  void SetUp() override { EBB_SKIP_WITHOUT_ECCODES(); }
  const Folder folder_;
  // Files get the present as their time, so runs are recent as well.
  const Time now_ = std::chrono::floor<Duration>(std::chrono::system_clock::now());
  const Time today_ = std::chrono::floor<std::chrono::days>(now_);
  std::string Text(Time time) const { return FormatTime(time); }
};

TEST_F(GribFolder, RunsInAnyFoldersAreAnArchive) {
  folder_.AddRun("2026-05-06T06:00Z", 8);
  folder_.AddRun("2026-05-06T00:00Z", 5);
  folder_.Add("gfs.2026-05-06/00/gfs.pgrb2.f3.idx", "1:0:d=2026050600:PRMSL:...");
  folder_.Add(".part", "x");
  const auto archive = ReadGribFolder(folder_.path.string(), kPlaces, hours{5});
  ASSERT_TRUE(archive) << archive.error().Message();
  ASSERT_EQ(archive->runs().size(), 2u);
  EXPECT_EQ(archive->runs()[0].published, *ParseTime("2026-05-06T05:00Z"));
  ASSERT_EQ(archive->runs()[1].hours.size(), 12u);
  EXPECT_NEAR(archive->runs()[1].hours[0]->wind_mps, 8, 1e-4);
  EXPECT_NEAR(archive->runs()[1].hours[4]->shortwave_w_m2, 100, 1e-2);
}

TEST_F(GribFolder, NamesTheFileThatIsWrong) {
  const auto what = [&] {
    const auto archive = ReadGribFolder(folder_.path.string(), kPlaces, hours{5});
    return archive ? "no error" : archive.error().Message();
  };
  EXPECT_THAT(what(), HasSubstr("the folder holds no weather"));
  folder_.AddRun("2026-05-06T00:00Z", 5);
  folder_.Add("notes.txt", "read me");
  EXPECT_THAT(what(), HasSubstr("notes.txt: there is no GRIB message"));
  std::filesystem::remove(folder_.path / "notes.txt");
  folder_.Add("hot", Temperature(0, Everywhere(20)).Message());
  EXPECT_THAT(what(), HasSubstr("twice, with different values"));
  EXPECT_THAT(ReadGribFolder("/nowhere", kPlaces, hours{5}).error().Message(),
              HasSubstr("/nowhere: the folder cannot be read"));
}

TEST_F(GribFolder, AWrongUnitIsRefused) {
  folder_.AddRun("2026-05-06T00:00Z", 90);  // a storm in knots, or a damaged file
  const auto archive = ReadGribFolder(folder_.path.string(), kPlaces, hours{5});
  ASSERT_FALSE(archive);
  EXPECT_THAT(archive.error().Message(), HasSubstr("wind of 90.0 m/s cannot be"));
}

TEST_F(GribFolder, TheNewestWholeRunIsAheadAndTheOthersAreThePast) {
  folder_.AddRun(Text(today_ - hours{24}).c_str(), 5);
  folder_.AddRun(Text(today_ - hours{18}).c_str(), 6);
  folder_.AddRun(Text(today_ - hours{12}).c_str(), 7);
  // A file of the run is still being written.
  const std::string day = Text(today_ - hours{12}).substr(0, 10);
  std::filesystem::last_write_time(folder_.path / ("gfs." + day) / "12/gfs.pgrb2.f6",
                                   std::filesystem::file_time_type::clock::now());
  const auto source = MakeGribFolder(folder_.path.string(), hours{6});
  const std::vector<ZoneToAsk> zones{{"DE", kPlaces}, {"here", {{50, 10}}}};
  auto ahead = source->Ahead(zones, now_, {});
  ASSERT_TRUE(ahead) << ahead.error().Message();
  ASSERT_EQ(ahead->size(), 2u);
  EXPECT_EQ((*ahead)[0].front().issued, today_ - hours{18});
  EXPECT_EQ((*ahead)[0].front().published, now_) << "nobody saw it before";
  EXPECT_NEAR((*ahead)[1].front().hours[0]->wind_mps, 6, 1e-4);
  EXPECT_TRUE(source->Ahead(zones, now_, today_ - hours{18})->empty()) << "there is no newer one";
  const auto past = source->Past(zones[0], now_, {});
  ASSERT_TRUE(past) << past.error().Message();
  ASSERT_EQ(past->size(), 2u);
  EXPECT_EQ((*past)[1].published, today_ - hours{12});
}

TEST_F(GribFolder, AnEmptyFolderIsSaidOnce) {
  const auto source = MakeGribFolder(folder_.path.string(), hours{6});
  const auto ahead = source->Ahead({{"DE", kPlaces}}, now_, {});
  ASSERT_FALSE(ahead);
  EXPECT_THAT(ahead.error().Message(), HasSubstr("has no run that is complete"));
}

}  // namespace
}  // namespace ebb::signals
