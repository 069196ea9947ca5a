#include "slurm/jobs/job_note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/text.h"
#include "slurm/client/slurm_text.h"

namespace ebb::slurm {
namespace {

// A job's line as squeue prints it: only its number and its comment are not empty.
std::string Line(const std::string& comment) {
  std::string line, columns = SqueueCommand().back();
  for (const std::string_view column : Split(columns, ',')) {
    const auto words = Split(column, ':');
    const std::string text = words.front() == "JobID"     ? "12"
                             : words.front() == "Comment" ? comment
                                                          : "";
    line += text +
            std::string(static_cast<std::size_t>(*ParseInteger(words.back())) - text.size(), ' ');
  }
  return line + "\n";
}

class JobNoteTest : public testing::Test {
 protected:
  Status Note() {
    return NoteInJob(
        [this](const std::vector<std::string>& command) -> Result<platform::ProgramEnd> {
          said_.push_back(Join(command, " "));
          if (command.front() == "scontrol" && command[1] == "update")
            return platform::ProgramEnd{};
          if (command[1] == "ping") return platform::ProgramEnd{is_away_ ? 1 : 0, "", ""};
          return platform::ProgramEnd{
              0, command.back().starts_with("admin_comment") ? admin_ : Line(comment_), ""};
        },
        "12", "used 1.20 kWh, 340 g");
  }
  std::vector<std::string> Updates() const {
    std::vector<std::string> updates;
    for (const std::string& command : said_)
      if (command.starts_with("scontrol update")) updates.push_back(command);
    return updates;
  }

  bool is_away_ = false;
  std::string comment_ = "ebb:tier=flex {ebb go 2 5f2a} expected at 03:00", admin_ = "(null)\n";
  std::vector<std::string> said_;
};

TEST_F(JobNoteTest, KeepsTheOwnersPartAndTheMark) {
  ASSERT_TRUE(Note());
  EXPECT_THAT(
      Updates(),
      testing::ElementsAre(
          "scontrol update JobId=12 Comment=ebb:tier=flex {ebb go 2 5f2a} used 1.20 kWh, 340 g; "
          "expected at 03:00",
          "scontrol update JobId=12 AdminComment=ebb: used 1.20 kWh, 340 g"));
}

TEST_F(JobNoteTest, LeavesWhatAdministratorsWrote) {
  admin_ = "ticket 4711\n";
  ASSERT_TRUE(Note());
  EXPECT_EQ(Updates().size(), 1u);
  said_.clear();
  admin_ = "ebb: used 0.50 kWh, 120 g\n";
  ASSERT_TRUE(Note());
  EXPECT_EQ(Updates().size(), 2u) << "its own";
}

TEST_F(JobNoteTest, AsksNothingMoreOfAControllerThatIsAway) {
  is_away_ = true;
  EXPECT_FALSE(Note());
  EXPECT_THAT(said_, testing::ElementsAre("scontrol ping"));
}

}  // namespace
}  // namespace ebb::slurm
