// ebb grid and ebb zones as a user runs them: zones, sources, times, and traces of one's own.

#include "cli_fixture.h"
#include "trace_for_test.h"

namespace ebb {
namespace {

// The zone decides every figure in grams, so Ebb says which zone it uses and why.
TEST_F(Cli, TheZoneIsNeverGuessedSilently) {
  const std::vector<std::string> track{"track", "--interval", "20ms", "true"};
  EXPECT_TRUE(Contains(Ebb({"grid"}).out, "zone of EBB_ZONE"));
  ::unsetenv("EBB_ZONE");
  ::setenv("TZ", "Europe/Berlin", 1);
  const Outcome berlin = Ebb(track);
  EXPECT_EQ(berlin.code, 0) << berlin.err;
  EXPECT_TRUE(Contains(berlin.err, "DE, average")) << berlin.err;
  EXPECT_TRUE(Contains(berlin.err, "a guess")) << berlin.err;
  EXPECT_TRUE(Contains(berlin.err, "run ebb init, or give --zone DE")) << berlin.err;
  ::setenv("TZ", "Europe/Rome", 1);
  const Outcome rome = Ebb(track);
  EXPECT_EQ(rome.code, 0) << rome.err;
  EXPECT_TRUE(Contains(rome.err, "--zone IT")) << rome.err;
  ::setenv("TZ", "UTC", 1);
  const Outcome nowhere = Ebb(track);
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_TRUE(Contains(nowhere.err, "run ebb init")) << nowhere.err;
  EXPECT_EQ(Ebb({"track", "--constant", "100", "true"}).code, 0) << "it needs none";
  EXPECT_EQ(Ebb({"track", "--zone", "FR", "true"}).code, 0);
  ::unsetenv("TZ");
}

// A user who names a zone gets the best known values for it, and Ebb says which values these are.
TEST_F(Cli, AZoneAloneEndsInTheYearlyMeanOfItsCountry) {
  const Outcome grid = Ebb({"grid", "--zone", "KE"});
  EXPECT_EQ(grid.code, 0) << grid.err;
  EXPECT_TRUE(Contains(grid.out, "KE, average, life cycle: yearly average")) << grid.out;
  EXPECT_TRUE(Contains(grid.out, "yearly-average (modelled, one value for all hours)")) << grid.out;
  EXPECT_EQ(Ebb({"grid", "--zone", "KE", "--signal", "profile"}).code, 3)
      << "a source that is named is never another one";
  const Outcome nothing = Ebb({"grid", "--zone", "AR", "--hours", "2"});
  EXPECT_TRUE(Contains(nothing.err, "typical hours are worth nothing here")) << nothing.err;
}

TEST_F(Cli, ZonesAreFoundByTheirPlaces) {
  const Outcome york = Ebb({"zones", "new york"});
  EXPECT_EQ(york.code, 0) << york.err;
  EXPECT_TRUE(Contains(york.out, "US-NY-NYIS")) << york.out;
  EXPECT_FALSE(Contains(york.out, "more: ebb zones --all")) << york.out;
  const auto json = nlohmann::json::parse(Ebb({"zones", "--format", "json"}).out);
  EXPECT_EQ(json.at("schema"), "ebb.zones/1");
  EXPECT_GT(json.at("zones").size(), 300u);
  const auto uruguay = nlohmann::json::parse(Ebb({"zones", "uruguay", "--format", "json"}).out);
  ASSERT_EQ(uruguay.at("zones").size(), 1u);
  EXPECT_EQ(uruguay.at("zones")[0].at("typical_hours").at("worth_nothing"), true);
  const Outcome none = Ebb({"zones", "Atlantis"});
  EXPECT_EQ(none.code, 3);
  EXPECT_TRUE(Contains(none.err, "ebb zones --all lists every zone")) << none.err;
}

TEST_F(Cli, GridShowsNowTheHoursAheadAndTheCleanestWindow) {
  Write("trace.csv", Trace());
  const Outcome text = Ebb({"grid", "--trace", "trace.csv", "--grid-start", "2023-05-03T00:00Z",
                            "--hours", "24", "--run-time", "4h"});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(Contains(text.out, "400 g/kWh")) << text.out;
  EXPECT_TRUE(Contains(text.out, "cleanest 4h 0m: 02:00, in 2h, 100 g/kWh")) << text.out;
  const Outcome json = Ebb({"grid", "--zone", "ZA", "--format", "json"});
  ASSERT_EQ(json.code, 0) << json.err;
  EXPECT_EQ(nlohmann::json::parse(json.out).at("zone"), "ZA");
}

TEST_F(Cli, GridShowsSeveralWindowsAndDrawsThem) {
  const Outcome json = Ebb({"grid", "--zone", "azure/germanywestcentral", "--signal", "profile",
                            "--duration", "2h", "--windows", "3", "--format", "json"});
  ASSERT_EQ(json.code, 0) << json.err;
  const auto grid = nlohmann::json::parse(json.out);
  EXPECT_EQ(grid.at("zone"), "DE");
  EXPECT_EQ(grid.at("zone_of"), "azure/germanywestcentral (Frankfurt)");
  EXPECT_EQ(grid.at("hours_known"), true);
  EXPECT_EQ(grid.at("windows").size(), 3u);
  const Outcome plot = Ebb({"grid", "--signal", "profile", "--zone", "aws/eu-central-1",
                            "--windows", "2", "--plot", "grid.svg"});
  ASSERT_EQ(plot.code, 0) << plot.err;
  const std::string svg = Read(directory_ / "grid.svg");
  EXPECT_TRUE(Contains(svg, "<svg xmlns=")) << svg.substr(0, 200);
  EXPECT_TRUE(Contains(svg, "cleanest window 2")) << svg.substr(0, 200);
  const Outcome unknown = Ebb({"grid", "--zone", "aws/us-wset-2"});
  EXPECT_EQ(unknown.code, 3);
  EXPECT_TRUE(Contains(unknown.err, "did you mean \"us-west-2\"?")) << unknown.err;
  EXPECT_EQ(Ebb({"grid", "--zone", "DE", "--windows", "none"}).code, 2);
  const Outcome chain = Ebb({"grid", "--zone", "GB", "--signal", "uk-carbon-intensity,profile"});
  EXPECT_EQ(chain.code, 3);
  EXPECT_TRUE(Contains(chain.err, "cannot be in one chain")) << chain.err;
}

TEST_F(Cli, TimesAreOfThePersonsClockAndInUtcWhereThatIsAskedFor) {
  Write("trace.csv", Trace());
  ::setenv("TZ", "America/New_York", 1);
  const std::vector<std::string> grid{
      "grid", "--trace", "trace.csv", "--grid-start", "2023-05-03T00:00Z", "--run-time", "4h"};
  const Outcome local = Ebb(grid);
  EXPECT_TRUE(Contains(local.out, "2023-05-02 20:00 (America/New_York)  now")) << local.out;
  EXPECT_TRUE(Contains(local.out, "cleanest 4h 0m: 22:00, in 2h")) << local.out;
  for (const bool first : {true, false}) {
    std::vector<std::string> words = grid;
    words.insert(first ? words.begin() : words.end(), "--utc");
    const Outcome utc = Ebb(words);
    EXPECT_TRUE(Contains(utc.out, "2023-05-03 00:00 (UTC)  now")) << utc.out << utc.err;
  }
  // The zone of the grid is still guessed from the machine's clock, and --utc after the program's
  // name belongs to the program.
  ::unsetenv("EBB_ZONE");
  ::setenv("TZ", "Europe/Berlin", 1);
  EXPECT_TRUE(Contains(Ebb({"track", "--utc", "true"}).err, "DE, average"));
  const Outcome track = Ebb({"track", "--zone", "DE", "sh", "-c", "echo \"$0\"", "--utc"});
  EXPECT_TRUE(Contains(track.out, "--utc")) << track.out << track.err;
}

// For a signal with one value for all hours, an earlier version said that no later hour is cleaner.
TEST_F(Cli, OfHoursThatAreNotKnownNothingIsSaid) {
  const std::vector<std::string> signal{"--signal", "yearly-average", "--zone", "KE"};
  const auto with_signal = [&](std::vector<std::string> words, std::vector<std::string> command) {
    words.insert(words.end(), signal.begin(), signal.end());
    words.insert(words.end(), command.begin(), command.end());
    return Ebb(words);
  };
  const std::string nothing = "nothing is known about the hours of this zone, so ";
  const Outcome grid = with_signal({"grid"}, {});
  EXPECT_TRUE(Contains(grid.out, nothing + "nothing can be gained by waiting; a token"))
      << grid.out;
  EXPECT_FALSE(Contains(grid.out, "cleanest")) << grid.out;
  const auto json = nlohmann::json::parse(with_signal({"grid", "--format", "json"}, {}).out);
  EXPECT_EQ(json.at("hours_known"), false);
  EXPECT_TRUE(json.at("windows").empty());
  EXPECT_TRUE(json.at("cleanest_window").is_null());

  for (const char* policy : {"lowest-window", "carbon-time"}) {
    const Outcome run = with_signal({"run", "--policy", policy, "--run-dir", policy}, {"true"});
    EXPECT_EQ(run.code, 0);
    EXPECT_TRUE(Contains(run.err, nothing + "nothing can be gained by waiting: starting at"))
        << run.err;
    EXPECT_FALSE(Contains(run.err, "cleaner")) << run.err;
  }
  const Outcome waits = with_signal(
      {"run", "--threshold", "5", "--start-by", "1s", "--run-dir", "threshold"}, {"true"});
  EXPECT_EQ(waits.code, 0);
  EXPECT_TRUE(Contains(waits.err, nothing + "this waits for nothing")) << waits.err;
  const Outcome track = with_signal({"track", "--run-dir", "track"}, {"true"});
  EXPECT_FALSE(Contains(track.err, "had it waited")) << track.err;
  for (const char* run : {"lowest-window", "threshold", "track"})
    EXPECT_EQ(Ebb({"audit", run}).code, 0) << Ebb({"audit", run}).out;
}

TEST_F(Cli, BadTracesAreNamedWithFileAndLine) {
  Write("bad.csv",
        "timestamp,carbon_intensity\n2023-05-01T00:00:00Z,100\n2023-05-01T01:00:00Z,-5\n");
  const Outcome outcome = Ebb({"grid", "--trace", "bad.csv", "--grid-start", "2023-05-01"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(Contains(outcome.err, "bad.csv:3")) << outcome.err;
}

TEST_F(Cli, AnImportedTraceIsCompressedWhereItsNameSaysSo) {
  Write("raw.csv", Trace());
  const std::vector<std::string> import{"data",     "import",   "raw.csv",    "--zone",   "DE",
                                        "--output", "z.csv.gz", "--boundary", "lifecycle"};
  EXPECT_EQ(Ebb(import).code, 0);
  EXPECT_EQ(Read(directory_ / "z.csv.gz").substr(0, 2), "\x1f\x8b");
  EXPECT_EQ(Ebb(import).code, 0) << "the same again";
  EXPECT_EQ(Ebb({"grid", "--trace", "z.csv.gz", "--grid-start", "2023-05-03"}).code, 0);
}

}  // namespace
}  // namespace ebb
