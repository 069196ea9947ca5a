#include "local/files/attempt_files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "platform/file.h"
#include "platform/signature.h"
#include "testing/scratch_directory.h"

namespace ebb::local {
namespace {

namespace fs = std::filesystem;

class AttemptFiles : public ::testing::Test {
 protected:
  void SetUp() override { paths_.directory = ScratchDirectory("attempt-files"); }

  AttemptPaths paths_;
};

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// A number that is not whole, or too large, was once cut down to one.
TEST_F(AttemptFiles, ANumberThatIsNotOneIsDamage) {
  AttemptPlan plan;
  plan.job = 7;
  plan.slots = {3};
  plan.command = {"true"};
  plan.log_limit_bytes = 9;
  ASSERT_TRUE(WritePlan(paths_, plan));
  const std::string sound = *platform::ReadFile(paths_.plan(), 1 << 20);
  ASSERT_TRUE(ReadPlan(paths_.plan()));
  const std::vector<std::pair<std::string, std::string>> damages{
      {R"("job":7)", R"("job":1e30)"},
      {R"("job":7)", R"("job":7.5)"},
      {R"("job":7)", R"("job":18446744073709551615)"},
      {R"("attempt":1)", R"("attempt":4294967297)"},
      {R"("attempt":1)", R"("attempt":true)"},
      {R"("slots":[3])", R"("slots":[-1e99])"},
      {R"("log_limit_bytes":9)", R"("log_limit_bytes":-9)"},
      {R"("since_ms":0)", R"("since_ms":null)"},
  };
  for (const auto& [from, to] : damages) {
    ASSERT_TRUE(platform::WriteFileAtomically(paths_.plan(), Replaced(sound, from, to)));
    const auto read = ReadPlan(paths_.plan());
    ASSERT_FALSE(read) << to;
    EXPECT_EQ(read.error().where, paths_.plan().string());
    EXPECT_NE(read.error().what.find("is damaged"), std::string::npos) << read.error().what;
  }
}

TEST_F(AttemptFiles, APlanOfAnEarlyVersionRunsAtRealSpeed) {
  AttemptPlan plan;
  plan.command = {"true"};
  ASSERT_TRUE(WritePlan(paths_, plan));
  const std::string now = *platform::ReadFile(paths_.plan(), 1 << 20);
  ASSERT_TRUE(platform::WriteFileAtomically(paths_.plan(), Replaced(now, R"("speed":1,)", "")));
  const auto read = ReadPlan(paths_.plan());
  ASSERT_TRUE(read) << read.error().Message();
  EXPECT_EQ(read->clock.speed, 1);
}

// The program's user can write every file of the folder.
TEST_F(AttemptFiles, AnEndIsBelievedFromWhoHasTheKey) {
  const auto keys = platform::MakeSigningKeys();
  const auto other = platform::MakeSigningKeys();
  ASSERT_TRUE(keys && other);
  EXPECT_EQ(*ReadEnd(paths_, keys->public_key), std::nullopt) << "none is there";
  AttemptEnd end;
  end.status.code = 3;
  end.warnings = {R"(it printed ,"signature":"none"})"};
  ASSERT_TRUE(WriteEnd(paths_, end, keys->secret_key));
  const auto read = ReadEnd(paths_, keys->public_key);
  ASSERT_TRUE(read && *read);
  EXPECT_EQ((*read)->status.code, 3);
  EXPECT_EQ((*read)->warnings, end.warnings);
  EXPECT_FALSE(ReadEnd(paths_, other->public_key));

  const std::string sound = *platform::ReadFile(paths_.end(), 1 << 20);
  ASSERT_TRUE(platform::WriteFileAtomically(
      paths_.end(), Replaced(sound, R"("exit_code":3)", R"("exit_code":0)")));
  EXPECT_FALSE(ReadEnd(paths_, keys->public_key)) << "altered";
  ASSERT_TRUE(WriteEnd(paths_, end, other->secret_key));
  EXPECT_FALSE(ReadEnd(paths_, keys->public_key)) << "signed by somebody else";
  ASSERT_TRUE(WriteEnd(paths_, end, ""));
  const auto unsigned_end = ReadEnd(paths_, keys->public_key);
  ASSERT_FALSE(unsigned_end);
  EXPECT_NE(unsigned_end.error().what.find("not written by the supervisor"), std::string::npos);
  EXPECT_TRUE(*ReadEnd(paths_, "")) << "an attempt of an earlier version";
}

TEST_F(AttemptFiles, AReadingSaysThatItIsAShare) {
  const Interval wall{Time{Duration{1000}}, Time{Duration{2000}}};
  std::string text = ToLine(EnergyHeader{7, "x", wall.begin, ""}) + "\n";
  for (const bool shared : {false, true})
    text +=
        ToLine(core::EnergyReading{"gpu:GPU-1", core::Component::kGpu, core::EnergySource::kCounter,
                                   wall, Energy::Microjoules(5), shared}) +
        "\n";
  ASSERT_TRUE(platform::WriteFileAtomically(paths_.energy(), text));
  const auto readings = EnergyTail(paths_.energy()).Read();
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_FALSE(readings[0].shared);
  EXPECT_TRUE(readings[1].shared);
}

TEST_F(AttemptFiles, TheLatestReadingSaysHowBusyItsDeviceWas) {
  const auto line = [](const std::string& device, core::Component component, int second,
                       std::optional<double> utilisation) {
    return ToLine(core::EnergyReading{device,
                                      component,
                                      core::EnergySource::kCounter,
                                      {Time{Duration{second * 1000}},
                                       Time{Duration{second * 1000 + 1000}}},
                                      Energy::Microjoules(5)},
                  utilisation) +
           "\n";
  };
  using core::Component;
  const std::string text = line("gpu:GPU-1", Component::kGpu, 1, 97) +
                           line("gpu:GPU-2", Component::kGpu, 1, 0) +
                           line("cpu:package-0", Component::kCpu, 1, 12.5) +
                           line("gpu:GPU-1", Component::kGpu, 2, 96.5) +
                           line("gpu:GPU-3", Component::kGpu, 2, std::nullopt) +
                           line("gpu:GPU-4", Component::kGpu, 2, 101);
  ASSERT_TRUE(platform::WriteFileAtomically(paths_.energy(), text));
  EnergyTail tail(paths_.energy());
  EXPECT_EQ(tail.Read().size(), 6u);
  EXPECT_EQ(tail.damaged_lines() + tail.disbelieved_lines(), 0);
  EXPECT_EQ(tail.utilisation_of("gpu:GPU-1"), 96.5);
  EXPECT_EQ(tail.utilisation_of("gpu:GPU-2"), 0) << "idle is known";
  EXPECT_EQ(tail.utilisation_of(""), 12.5);
  for (const char* unknown : {"gpu:GPU-3", "gpu:GPU-4", "gpu:GPU-5"})
    EXPECT_EQ(tail.utilisation_of(unknown), std::nullopt) << unknown;
}

TEST_F(AttemptFiles, ADamagedReadingIsLeftOutAndCounted) {
  const std::string text = R"({"program_pid":1e12,"program_identity":"","wall_begin_ms":0}
["cpu","cpu","model",0,1000,5]
["cpu","cpu","model",0,1e30,5]
["cpu","cpu","model",1000,2000,0.5]
)";
  ASSERT_TRUE(platform::WriteFileAtomically(paths_.energy(), text));
  EnergyTail tail(paths_.energy());
  const auto readings = tail.Read();
  ASSERT_EQ(readings.size(), 1u);
  EXPECT_EQ(readings[0].energy, Energy::Microjoules(5));
  EXPECT_EQ(tail.damaged_lines(), 3);
  EXPECT_FALSE(tail.header());
}

// The program can write to the file as well.
TEST_F(AttemptFiles, ForgedReadingsAreNotBelievedAndCounted) {
  const Time begin{Duration{1'000'000}};
  const auto line = [&](int from_s, int to_s, std::int64_t microjoules) {
    return ToLine(core::EnergyReading{
               "cpu",
               core::Component::kCpu,
               core::EnergySource::kModel,
               {begin + std::chrono::seconds{from_s}, begin + std::chrono::seconds{to_s}},
               Energy::Microjoules(microjoules),
               false}) +
           "\n";
  };
  const std::string header = ToLine(EnergyHeader{7, "x", begin, "", Duration{5'000}}) + "\n";
  ASSERT_TRUE(platform::WriteFileAtomically(
      paths_.energy(), header + line(0, 1, 50'000'000) + line(1, 2, 3'600'000'000'000'000) +
                           line(1, 2, -5) + line(500, 501, 5) +
                           ToLine(EnergyHeader{1, "init", begin, ""}) + "\n" +
                           line(1, 2, 50'000'000)));
  EnergyTail tail(paths_.energy());
  const auto readings = tail.Read(Duration{5'000 + 10'000});
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].energy + readings[1].energy, Energy::Joules(100));
  EXPECT_EQ(tail.disbelieved_lines(), 4);
  EXPECT_EQ(tail.why_disbelieved(), "no machine draws that much");
  EXPECT_EQ(tail.header()->program_pid, 7) << "nobody else is ended in its place";
  EXPECT_FALSE(tail.was_cut());
  ASSERT_TRUE(platform::WriteFileAtomically(paths_.energy(), line(2, 3, 5)));
  EXPECT_EQ(tail.Read().size(), 1u);
  EXPECT_TRUE(tail.was_cut());
}

}  // namespace
}  // namespace ebb::local
