#include "cli/manual_page.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "platform/file.h"
#include "testing/scratch_directory.h"

namespace ebb::cli {
namespace {

const Parser::Text kProgram{"prog", "1.2", "Does things.", "\nExamples:\n  prog do it\n"};

std::vector<CommandText> Commands() {
  CommandText command{"do", "does it's work", "\nExamples:\n  .prog do -- \\x", {}, {}};
  command.positionals = {{"FILE", "what to read", true, true}};
  command.flags = {{"format", "text|json", "how it looks", "Output"},
                   {"out", "FILE", "where: [here]", "Output"},
                   {"dry-run", "", "only look", "Other"}};
  return {command, {"other", "does another thing", "", {}, {}}};
}

// Runs a command and returns its output; nothing if the program is not installed.
std::optional<std::string> Printed(const std::string& tool, const std::string& command) {
  if (std::system(("command -v " + tool + " > /dev/null 2>&1").c_str()) != 0) return std::nullopt;
  const auto out = ScratchDirectory("manual") / "out.txt";
  EXPECT_EQ(std::system((command + " > '" + out.string() + "' 2>&1").c_str()), 0) << command;
  const auto text = platform::ReadFile(out, 1 << 20);
  return text ? std::optional(*text) : std::nullopt;
}

class Script {
 public:
  explicit Script(const std::string& text) {
    EXPECT_TRUE(platform::WriteFileAtomically(path_, text));
  }
  std::string path() const { return "'" + path_.string() + "'"; }

 private:
  const std::filesystem::path path_ = ScratchDirectory("script") / "script";
};

TEST(ManualPage, NamesEveryFlagAndArgument) {
  const std::string page = ManualPage(kProgram, Commands()[0]);
  for (const std::string expected : {".TH \"PROG\\-DO\" 1", "does it's work", "\\-\\-format",
                                     "text|json", ".SS \"Output\"", ".SS \"Other\"", "FILE"})
    EXPECT_NE(page.find(expected), std::string::npos) << expected << "\n" << page;
  EXPECT_NE(page.find("\n  .prog do \\-\\- \\ex"), std::string::npos) << page;
}

TEST(ManualPage, GroffFindsNothingWrong) {
  for (const std::string& page :
       {ManualPage(kProgram, Commands()), ManualPage(kProgram, Commands()[0])}) {
    const Script file(page);
    const auto said = Printed("groff", "groff -man -Tutf8 -ww -z " + file.path());
    if (!said) GTEST_SKIP() << "groff is not installed";
    EXPECT_EQ(*said, "");
  }
}

TEST(Completion, BashCompletesCommandsFlagsAndChoices) {
  const Script script(CompletionScript(Shell::kBash, "prog", Commands()));
  const auto completed = [&](const std::string& words, int index) {
    return Printed("bash", "bash -c \"source " + script.path() + "; COMP_WORDS=(" + words +
                               "); COMP_CWORD=" + std::to_string(index) +
                               "; _prog; echo \\\"\\${COMPREPLY[*]}\\\"\"");
  };
  if (!completed("prog ''", 1)) GTEST_SKIP() << "bash is not installed";
  EXPECT_EQ(*completed("prog d", 1), "do\n");
  EXPECT_EQ(*completed("prog do --", 2), "--help --utc --format --out --dry-run\n");
  EXPECT_EQ(*completed("prog do --fo", 2), "--format\n");
  EXPECT_EQ(*completed("prog do --format j", 3), "json\n");
  EXPECT_EQ(*completed("prog other --", 2), "--help --utc\n");
}

// Commands under another one, one of which has the name of a command of the first level.
std::vector<CommandText> WithSecondNames() {
  std::vector<CommandText> commands = Commands();
  commands.push_back({"cluster", "a family", "", {}, {}});
  commands.push_back({"cluster do", "does it there", "", {}, {{"where", "a|b", "", "Options"}}});
  commands.push_back({"cluster look", "looks", "", {}, {}});
  return commands;
}

TEST(Completion, CompletesTheSecondNameAndItsFlags) {
  const Script bash(CompletionScript(Shell::kBash, "prog", WithSecondNames()));
  const auto completed = [&](const std::string& words, int index) {
    return Printed("bash", "bash -c \"source " + bash.path() + "; COMP_WORDS=(" + words +
                               "); COMP_CWORD=" + std::to_string(index) +
                               "; _prog; echo \\\"\\${COMPREPLY[*]}\\\"\"");
  };
  if (!completed("prog ''", 1)) GTEST_SKIP() << "bash is not installed";
  EXPECT_EQ(*completed("prog ''", 1), "do other cluster --help --version --utc\n");
  EXPECT_EQ(*completed("prog cluster l", 2), "look\n");
  EXPECT_EQ(*completed("prog cluster do --", 3), "--help --utc --where\n");
  EXPECT_EQ(*completed("prog cluster do --where b", 4), "b\n");
  EXPECT_EQ(*completed("prog do --w", 2), "\n") << "the flag of another command";
  const std::string fish = CompletionScript(Shell::kFish, "prog", WithSecondNames());
  EXPECT_NE(fish.find("'__fish_seen_subcommand_from cluster; and __fish_seen_subcommand_from do' "
                      "-l where"),
            std::string::npos);
  EXPECT_NE(fish.find("'__fish_seen_subcommand_from do; and not __fish_seen_subcommand_from "
                      "cluster' -l format"),
            std::string::npos);
  EXPECT_NE(CompletionScript(Shell::kZsh, "prog", WithSecondNames()).find("'cluster do')"),
            std::string::npos);
}

CommandText WithValues() {
  CommandText command{"show", "shows", "", {}, {}};
  command.positionals = {{"JOB", "numbers or names", true, true}};
  command.flags = {{"policy", "POLICY", "which", "Output"},
                   {"zone", "ZONE", "where", "Output"},
                   {"rapl", "DOMAINS", "which domains", "Output", {"psys", "packages+dram"}},
                   {"out", "FILE", "where to", "Output"}};
  return command;
}

// A script that stands in for the program: it knows some words, and prints errors.
std::string ProgramWithWords(const std::filesystem::path& folder) {
  EXPECT_TRUE(platform::WriteFileAtomically(
      folder / "prog",
      "#!/bin/sh\necho trouble >&2\ncase \"$2\" in jobs) echo 12; echo nightly ;; zones) echo DE ;;"
      " gate-policies) echo threshold ;; *) exit 3 ;; esac\n"));
  std::filesystem::permissions(folder / "prog", std::filesystem::perms::owner_all);
  return "PATH='" + folder.string() + "':$PATH";
}

TEST(Completion, ValuesComeFromTheProgram) {
  const auto folder = ScratchDirectory("completion_values");
  const std::string path = ProgramWithWords(folder);
  const std::string nothing = folder / "nothing";
  std::filesystem::create_directories(nothing);
  EXPECT_TRUE(platform::WriteFileAtomically(folder / "nothing/n-file", ""));
  CommandText mixed = WithValues();
  mixed.name = "resume";
  mixed.positionals = {{"RUN_DIR|JOB", "either", true, true}};
  const Script bash(CompletionScript(Shell::kBash, "prog", {WithValues(), mixed}));
  const auto completed = [&](const std::string& words, int index) {
    return Printed("bash", "cd '" + nothing + "' && " + path + " bash -c \"source " + bash.path() +
                               "; COMP_WORDS=(" + words + "); COMP_CWORD=" + std::to_string(index) +
                               "; _prog; echo \\\"\\${COMPREPLY[*]}\\\"\"");
  };
  EXPECT_EQ(completed("prog show ''", 2), "12 nightly\n");
  EXPECT_EQ(completed("prog show n", 2), "nightly\n") << "no file";
  EXPECT_EQ(completed("prog show 12 n", 3), "nightly\n");
  EXPECT_EQ(completed("prog show --policy t", 3), "threshold\n");
  EXPECT_EQ(completed("prog show --zone ''", 3), "DE\n");
  EXPECT_EQ(completed("prog show --rapl pa", 3), "packages+dram\n");
  EXPECT_EQ(completed("prog show --out n", 3), "n-file\n") << "a value is no job";
  EXPECT_EQ(completed("prog resume n", 2), "n-file nightly\n");
  const Script fish(CompletionScript(Shell::kFish, "prog", {WithValues()}));
  const auto in_fish = [&](const std::string& line) {
    return Printed("fish",
                   path + " fish -N -c \"source " + fish.path() + "; complete -C '" + line + "'\"");
  };
  if (in_fish("prog show n")) {
    EXPECT_EQ(in_fish("prog show n"), "nightly\n");
    EXPECT_EQ(in_fish("prog show --zone D"), "DE\twhere\n");
  }
}

TEST(Completion, ZshAndFishCanReadTheirs) {
  const Script zsh(CompletionScript(Shell::kZsh, "prog", Commands()));
  const Script fish(CompletionScript(Shell::kFish, "prog", Commands()));
  const bool zsh_is_there = Printed("zsh", "zsh -n " + zsh.path()).has_value();
  const bool fish_is_there = Printed("fish", "fish -n " + fish.path()).has_value();
  if (!zsh_is_there && !fish_is_there) GTEST_SKIP() << "neither zsh nor fish is installed";
}

}  // namespace
}  // namespace ebb::cli
