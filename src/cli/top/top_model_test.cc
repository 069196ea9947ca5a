#include "cli/top/top_model.h"

#include <gtest/gtest.h>

#include "base/columns.h"
#include "cli/top/top_answers_for_test.h"
#include "cli/top/top_tables.h"

namespace ebb::cli {
namespace {

using Look = ScreenLine::Look;

const LocalTimes kUtc(std::nullopt, *ParseTime("2026-05-01T06:00Z"));
constexpr const char* kKeys =
    "q quit  h help  s sort  e explain  p pause or resume  x cancel  up, down select";

class Top : public ::testing::Test {
 protected:
  Top() { model_.Take(*ReadTopSample(AnswersForTest())); }
  TopCommand Press(char character) { return model_.Press({Key::kCharacter, character}); }
  std::vector<ScreenLine> Lines(std::size_t columns = 120, std::size_t rows = 20) const {
    return model_.Screen(columns, rows, kUtc);
  }
  // The lines without the blanks at their ends.
  std::string Screen(std::size_t columns = 120, std::size_t rows = 20) const {
    std::string text;
    for (const ScreenLine& line : Lines(columns, rows)) {
      text += line.text;
      text.erase(text.find_last_not_of(' ') + 1);
      text += '\n';
    }
    return text;
  }
  std::string Bottom() const { return Lines().back().text; }
  std::string Selected() const {
    for (const ScreenLine& line : Lines())
      if (line.look == Look::kSelected) return line.text.substr(2, 1);
    return "";
  }
  std::string Order() const {
    std::string numbers;
    for (const TopJob& job : model_.sample().jobs) numbers += std::to_string(job.number);
    return numbers;
  }
  TopModel model_{TopOrder::kStage};
};

TEST_F(Top, DrawsHeaderJobsDevicesAndKeys) {
  const std::string tables =
      R"(DE  300 g/kWh now
power 450 W, 135 g/h   all jobs so far 1.50 kWh, emitted 400 g
jobs 2 running, 3 waiting, 1 paused   devices 3 busy, 3 free

  job   name      stage     power   progress   emitted   expected       energy   elapsed   devices   user
  2     llm       running   450 W       40 %     150 g   ends 09:00     500 Wh     2h 0m   GPU 0,1   ada
  5     quick     running              ~25 %             ends 07:30               30m 0s   CPU 0
  3     held      paused                       unknown                  100 Wh     1h 0m   1
  7     nightly   waiting                                starts 09:00                      4

  device   model   state         job   power   limit
  GPU 0    H100    ready         2     210 W    250W
  GPU 1    H100    ready         2     190 W
  GPU-c    H100    gone
  CPU              1 of 4 busy   5



sorted by stage; 2 is running: as planned
)";
  EXPECT_EQ(Screen(), tables + kKeys + "\n");
  const std::vector<ScreenLine> lines = Lines();
  EXPECT_EQ(lines[4].look, Look::kTitle);
  EXPECT_EQ(lines[5].look, Look::kSelected);
  EXPECT_EQ(ColumnsOf(lines[5].text), 120u) << "the whole row is marked";
  EXPECT_EQ(lines[6].look, Look::kPlain);
}

TEST_F(Top, ANarrowScreenLeavesOutColumnsAndNeverBreaks) {
  EXPECT_NE(Screen(60).find("  job   name      stage     power   progress   emitted\n"),
            std::string::npos)
      << Screen(60);
  for (const std::size_t columns : {1, 10, 40, 79})
    for (const std::size_t rows : {1, 2, 3, 5, 8, 12}) {
      const auto lines = Lines(columns, rows);
      EXPECT_EQ(lines.size(), rows);
      for (const ScreenLine& line : lines) EXPECT_LE(ColumnsOf(line.text), columns) << line.text;
    }
}

TEST_F(Top, ALongListFollowsTheSelectedJob) {
  TopSample sample = model_.sample();
  sample.devices.clear();
  for (int i = 0; i < 100; ++i) {
    TopJob job;
    job.number = 100 + i;
    job.name = "many";
    job.stage = "waiting";
    sample.jobs.push_back(job);
  }
  model_.Take(sample);
  model_.Press({Key::kEnd});
  EXPECT_NE(Screen(80, 12).find("  199 "), std::string::npos) << Screen(80, 12);
  EXPECT_EQ(Screen(80, 12).find("  100 "), std::string::npos);
  model_.Press({Key::kHome});
  EXPECT_NE(Screen(80, 12).find("  2 "), std::string::npos);
  model_.Press({Key::kPageDown});
  model_.Press({Key::kPageUp});
  model_.Press({Key::kUp});
  EXPECT_EQ(Selected(), "2");
}

TEST_F(Top, TheSameJobStaysSelectedWhileItIsThere) {
  Press('j');
  Press('j');
  EXPECT_EQ(Selected(), "3");
  TopSample sample = *ReadTopSample(AnswersForTest());
  sample.jobs.erase(sample.jobs.begin());  // job 2 has ended
  model_.Take(sample);
  EXPECT_EQ(Selected(), "3");
  std::erase_if(sample.jobs, [](const TopJob& job) { return job.number != 5; });
  model_.Take(sample);
  EXPECT_EQ(Selected(), "5");
  sample.jobs.clear();
  model_.Take(sample);
  EXPECT_NE(Screen().find("no job runs, waits or is paused"), std::string::npos);
  for (const char key : {'e', 'p', 'x', 'j', 'k'}) EXPECT_EQ(Press(key), TopCommand{});
}

TEST_F(Top, EveryOrderPutsTheUnknownLast) {
  EXPECT_EQ(Order(), "2537");
  const std::vector<std::pair<std::string, std::string>> orders{
      {"power", "2357"},   {"grams", "2357"}, {"energy", "2357"}, {"progress", "2537"},
      {"elapsed", "2357"}, {"end", "5237"},   {"number", "2357"}, {"stage", "2537"}};
  for (const auto& [name, order] : orders) {
    Press('s');
    EXPECT_NE(Screen().find("sorted by " + name), std::string::npos) << Screen();
    EXPECT_EQ(Order(), order) << name;
    EXPECT_EQ(Name(*TopOrderFromName(name)), name);
  }
  Press('<');
  EXPECT_EQ(Order(), "2357") << "back to the numbers";
  Press('>');
  EXPECT_EQ(Order(), "2537");
  EXPECT_FALSE(TopOrderFromName("size"));
}

TEST_F(Top, KeysAskForWhatTheCommandsDo) {
  EXPECT_EQ(Press('e'), (TopCommand{TopAction::kExplain, 2}));
  EXPECT_EQ(Press('p'), (TopCommand{TopAction::kPause, 2}));
  model_.Press({Key::kDown});
  model_.Press({Key::kDown});
  EXPECT_EQ(Press('p'), (TopCommand{TopAction::kResume, 3})) << "a person holds it";
  EXPECT_EQ(Press('q'), (TopCommand{TopAction::kQuit}));
  EXPECT_EQ(Press('\x1a'), (TopCommand{TopAction::kSuspend}));
  EXPECT_EQ(Press('z'), TopCommand{});
}

TEST_F(Top, ACancellationIsAskedFor) {
  for (const char key : {'x', 'c'}) {
    EXPECT_EQ(Press(key), TopCommand{});
    EXPECT_EQ(Bottom(), "cancel job 2 (llm) for good? y/n");
    EXPECT_EQ(Press('n'), TopCommand{});
    EXPECT_EQ(Bottom(), "job 2 (llm) is not cancelled");
    Press(key);
    EXPECT_EQ(model_.Press({Key::kEscape}), TopCommand{});
    Press(key);
    EXPECT_EQ(Press('y'), (TopCommand{TopAction::kCancel, 2}));
    Press('z');
    EXPECT_EQ(Bottom(), kKeys);
  }
}

// The list may have changed between the question and its answer.
TEST_F(Top, AnAnswerIsAboutTheJobThatWasAskedFor) {
  Press('x');
  TopSample sample = *ReadTopSample(AnswersForTest());
  sample.jobs.erase(sample.jobs.begin());
  model_.Take(sample);
  EXPECT_EQ(Press('y'), (TopCommand{TopAction::kCancel, 2}));
}

TEST_F(Top, ATextStaysUntilAKey) {
  model_.Show("explain 2", "job 2 (llm) is running\nits site is norway\n");
  EXPECT_NE(Screen().find("explain 2\njob 2 (llm) is running\nits site is norway\n"),
            std::string::npos)
      << Screen();
  EXPECT_EQ(Bottom(), "any key: back");
  EXPECT_EQ(Press('x'), TopCommand{}) << "the key only goes back";
  EXPECT_EQ(Bottom(), kKeys);
  Press('h');
  EXPECT_NE(Screen().find("Ctrl-Z"), std::string::npos);
}

TEST_F(Top, AServiceThatDoesNotAnswerLeavesTheLastSample) {
  model_.Lost("connection refused");
  EXPECT_EQ(Bottom(), "shown as of the last answer: connection refused");
  EXPECT_NE(Screen().find("llm"), std::string::npos);
  model_.Take(*ReadTopSample(AnswersForTest()));
  EXPECT_EQ(Bottom(), kKeys);
}

TEST_F(Top, NamesOfOthersCannotDrawOnTheTerminal) {
  TopSample sample = model_.sample();
  sample.jobs[0].name = "a\x1b[2Jb";
  sample.jobs[0].reason = "why\x1b[2J";
  model_.Take(sample);
  model_.Say("done");
  EXPECT_EQ(Screen().find('\x1b'), std::string::npos);
  Press('x');
  EXPECT_EQ(Screen().find('\x1b'), std::string::npos);
}

TEST(TopHeader, SaysWhetherTheGridIsCleanAndWhenItWillBe) {
  TopSample sample = *ReadTopSample(AnswersForTest());
  const auto from = [](int hour, int until) {
    const Time day = *ParseTime("2026-05-01");
    return Interval{day + std::chrono::hours{hour}, day + std::chrono::hours{until}};
  };
  sample.signals[0].hours = CleanHours{Cleanness::kDirty, from(9, 17), 100};
  EXPECT_EQ(TopHeader(sample, kUtc)[0],
            "DE  300 g/kWh now, dirty; next clean hours 09:00-17:00, 100 g/kWh");
  sample.signals[0].hours = CleanHours{Cleanness::kClean, from(6, 8), 300};
  EXPECT_EQ(TopHeader(sample, kUtc)[0], "DE  300 g/kWh now, clean until 08:00");
  TopSignal unknown;
  unknown.zone = "DE";
  sample.signals[0] = unknown;
  sample.power.reset();
  sample.emissions_per_hour.reset();
  sample.troubles = {"nothing starts: until 2026-05-01T08:00:00Z"};
  auto lines = TopHeader(sample, kUtc);
  EXPECT_EQ(lines[0], "DE  intensity unknown");
  EXPECT_TRUE(lines[1].starts_with("power unknown   ")) << lines[1];
  EXPECT_EQ(lines[3], "nothing starts: until 08:00");
  sample.today_since = *ParseTime("2026-05-01T00:00Z");
  sample.today_energy = Energy::Joules(0.2 * 3.6e6);
  sample.today_emissions = Emissions{61};
  lines = TopHeader(sample, kUtc);
  EXPECT_EQ(lines[1], "power unknown");
  EXPECT_EQ(lines[2], "today 200 Wh, emitted 61.0 g   all jobs so far 1.50 kWh, emitted 400 g");
  sample.today_emissions.reset();
  EXPECT_TRUE(TopHeader(sample, kUtc)[2].starts_with("today 200 Wh, emitted unknown   "));
  sample.devices[0].utilisation_percent = 96.6;
  EXPECT_EQ(TopDeviceTable(sample.devices).rows[0].back(), "97 %");
  EXPECT_EQ(TopDeviceTable(sample.devices).rows[1].back(), "");
}

}  // namespace
}  // namespace ebb::cli
