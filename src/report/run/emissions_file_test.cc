#include "report/run/emissions_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "base/csv.h"
#include "base/text.h"
#include "platform/file.h"
#include "report/golden_for_test.h"
#include "testing/scratch_directory.h"

namespace ebb::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Row = std::map<std::string, std::string>;

// The header of CodeCarbon 2.3, as its files in the wild have it.
constexpr const char* kOldHeader =
    "timestamp,project_name,run_id,duration,emissions,emissions_rate,cpu_power,gpu_power,ram_power,"
    "cpu_energy,gpu_energy,ram_energy,energy_consumed,country_name,country_iso_code,region,"
    "cloud_provider,cloud_region,os,python_version,codecarbon_version,cpu_count,cpu_model,gpu_"
    "count,"
    "gpu_model,longitude,latitude,ram_total_size,tracking_mode,on_cloud,pue";

class EmissionsFile : public testing::Test {
 protected:
  void SetUp() override { file_ = ScratchDirectory() / "emissions.csv"; }

  std::vector<std::string> Write(const std::string& run_id, const std::string& emissions,
                                 CsvWrite write = CsvWrite::kAppend) {
    const auto notices = WriteEmissionsRow(
        file_, {{"run_id", run_id}, {"emissions", emissions}, {"cpu_model", "Xeon, 2 GHz"}}, write);
    EXPECT_TRUE(notices) << notices.error().Message();
    return notices ? *notices : std::vector<std::string>{};
  }
  void Put(const std::string& text) { ASSERT_TRUE(platform::WriteFileAtomically(file_, text)); }
  std::string Text() const { return *platform::ReadFile(file_); }
  std::string Backup(const std::string& end = ".bak") const {
    return *platform::ReadFile(file_.string() + end);
  }
  // The rows as a reader by name sees them. Every row must have as many fields as the header.
  std::vector<Row> Rows() const {
    const std::string text = Text();
    const auto records = ParseCsv(text, "");
    std::vector<Row> rows;
    for (std::size_t i = 1; i < records->size(); ++i) {
      EXPECT_EQ((*records)[i].fields.size(), (*records)[0].fields.size());
      Row row;
      for (std::size_t c = 0; c < (*records)[0].fields.size(); ++c)
        row[(*records)[0].fields[c]] = (*records)[i].fields[c];
      rows.push_back(row);
    }
    return rows;
  }
  std::vector<std::string> Column(const std::string& name) const {
    std::vector<std::string> values;
    for (const Row& row : Rows()) values.push_back(row.at(name));
    return values;
  }
  std::filesystem::path file_;
};

std::string AllColumns() { return CsvLine(EmissionsColumns()); }

TEST_F(EmissionsFile, AppendsUnderOneHeader) {
  EXPECT_THAT(Write("a", "1"), IsEmpty());
  EXPECT_THAT(Write("a", "2"), IsEmpty());
  EXPECT_TRUE(Text().starts_with(AllColumns() + "\n"));
  EXPECT_THAT(Column("run_id"), ElementsAre("a", "a"));
  EXPECT_THAT(Column("emissions"), ElementsAre("1", "2"));
  EXPECT_THAT(Column("cpu_model"), ElementsAre("Xeon, 2 GHz", "Xeon, 2 GHz"));
}

TEST_F(EmissionsFile, UpdateReplacesTheLastRowOfTheRunAndNoOther) {
  Write("a", "1");
  Write("b", "2");
  Write("a", "3");
  const std::string before = Text();
  EXPECT_THAT(Write("a", "4", CsvWrite::kUpdate), IsEmpty());
  EXPECT_THAT(Column("emissions"), ElementsAre("1", "2", "4"));
  Write("c", "5", CsvWrite::kUpdate);
  EXPECT_THAT(Column("run_id"), ElementsAre("a", "b", "a", "c"));
}

TEST_F(EmissionsFile, UpdateKeepsEveryOtherByte) {
  // Quoting, number formats and line ends of other programs stay unchanged.
  const std::string head = AllColumns() + "\r\n";
  const std::string other = "2024-01-01,\"p\",x" + std::string(35, ',') + "\r\n";
  const std::string mine = "2024-01-02,p,me" + std::string(35, ',') + "\r\n";
  Put(head + other + mine + other);
  Write("me", "7", CsvWrite::kUpdate);
  const std::string text = Text();
  EXPECT_TRUE(text.starts_with(head + other));
  EXPECT_TRUE(text.ends_with("\r\n" + other));
  EXPECT_THAT(Column("emissions"), ElementsAre("", "7", ""));
}

TEST_F(EmissionsFile, FollowsTheFilesOwnOrderAndFurtherColumns) {
  std::vector<std::string> columns = EmissionsColumns();
  std::reverse(columns.begin(), columns.end());
  columns.insert(columns.begin() + 3, "my_note");
  Put("\xEF\xBB\xBF" + CsvLine(columns) + "\r\n");
  Write("a", "1");
  EXPECT_TRUE(Text().ends_with("\r\n"));
  EXPECT_THAT(Column("run_id"), ElementsAre("a"));
  EXPECT_THAT(Column("my_note"), ElementsAre(""));
}

TEST_F(EmissionsFile, AnOldFileIsCarriedOverByNameAndKept) {
  ASSERT_THAT(Split(kOldHeader, ','), SizeIs(31));
  std::string old = std::string(kOldHeader) + "\n";
  old += "2023-01-01T00:00:00,codecarbon,r1,10,0.5" + std::string(25, ',') + ",1.2\n";
  Put(old);
  const auto notices = Write("r2", "0.7");
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_THAT(notices[0],
              HasSubstr("had 31 columns: its 1 rows were carried over by name into 38"));
  EXPECT_EQ(Backup(), old);
  EXPECT_TRUE(Text().starts_with(AllColumns() + "\n"));
  EXPECT_THAT(Column("run_id"), ElementsAre("r1", "r2"));
  EXPECT_THAT(Column("emissions"), ElementsAre("0.5", "0.7"));
  EXPECT_THAT(Column("pue"), ElementsAre("1.2", ""));
  EXPECT_THAT(Column("wue"), ElementsAre("", ""));
}

TEST_F(EmissionsFile, AnOldFileIsUpdatedInOneStep) {
  Put("timestamp,run_id,emissions,mine\n1,r1,0.5,x\n2,r2,0.6,y\n");
  Write("r1", "0.9", CsvWrite::kUpdate);
  EXPECT_THAT(Column("run_id"), ElementsAre("r1", "r2"));
  EXPECT_THAT(Column("emissions"), ElementsAre("0.9", "0.6"));
  EXPECT_THAT(Column("mine"), ElementsAre("", "y"));
}

TEST_F(EmissionsFile, RowsThatDoNotFitTheirHeaderAreSetAside) {
  // A file of CodeCarbon after it dropped empty columns.
  const std::string shifted = "timestamp,run_id,emissions\n1,r1,0.5\n2,0.6\n";
  Put(shifted);
  const auto notices = Write("r2", "0.7");
  ASSERT_THAT(notices, SizeIs(1));
  EXPECT_THAT(notices[0], HasSubstr("line 3 has 2 fields, its header 3"));
  EXPECT_EQ(Backup(), shifted);
  EXPECT_THAT(Column("run_id"), ElementsAre("r2"));
}

TEST_F(EmissionsFile, AnotherKindOfFileIsSetAsideAndNoBackupReplaced) {
  for (const char* text : {"name,age\nx,1\n", "timestamp,emissions\n1,\"2\n", "<html>\n"}) {
    for (const auto& entry : std::filesystem::directory_iterator(file_.parent_path()))
      std::filesystem::remove(entry);
    ASSERT_TRUE(platform::WriteFileAtomically(file_.string() + ".bak", "older"));
    Put(text);
    EXPECT_THAT(Write("a", "1"), SizeIs(1)) << text;
    EXPECT_EQ(Backup(), "older");
    EXPECT_EQ(Backup(".bak2"), text);
    EXPECT_THAT(Column("run_id"), ElementsAre("a"));
  }
}

TEST_F(EmissionsFile, AnEmptyFileIsANewOneAndAHalfLineIsClosedOff) {
  for (const char* text : {"", "\n", " \r\n"}) {
    Put(text);
    EXPECT_THAT(Write("a", "1"), IsEmpty());
    EXPECT_THAT(Column("run_id"), ElementsAre("a"));
  }
  std::string text = Text();
  text.pop_back();
  Put(text);
  Write("b", "2");
  EXPECT_THAT(Column("run_id"), ElementsAre("a", "b"));
}

TEST_F(EmissionsFile, SeveralProcessesLoseNothing) {
  constexpr int kProcesses = 4, kRows = 12;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    const pid_t pid = ::fork();
    if (pid != 0) {
      children.push_back(pid);
      continue;
    }
    const std::string id = "p" + std::to_string(process);
    for (int row = 0; row < kRows; ++row)
      if (!WriteEmissionsRow(file_, {{"run_id", id}, {"emissions", std::to_string(row)}},
                             process % 2 ? CsvWrite::kAppend : CsvWrite::kUpdate))
        ::_exit(1);
    ::_exit(0);
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  const auto ids = Column("run_id");
  EXPECT_EQ(std::count(ids.begin(), ids.end(), "p0"), 1) << "updated";
  EXPECT_EQ(std::count(ids.begin(), ids.end(), "p1"), kRows) << "appended";
  EXPECT_THAT(ids, SizeIs(2 + 2 * kRows));
}

TEST_F(EmissionsFile, ADirectoryThatIsNotThereIsAnError) {
  const auto written =
      WriteEmissionsRow(file_.parent_path() / "no" / "emissions.csv", {}, CsvWrite::kAppend);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ExitCode::kUnavailable);
  EXPECT_THAT(written.error().Message(), HasSubstr("make its directory first"));
}

}  // namespace
}  // namespace ebb::report
