#pragma once
// Subcommands, flags and help: a thin layer over CLI11, so that only one translation unit includes
// it and every subcommand looks the same. Values arrive as text; the subcommand interprets them.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace ebb::cli {

/// A flag as the help shows it.
struct FlagText {
  std::string name;  ///< without dashes
  /// "DURATION", "DURATION|for-ever"; in small letters alone ("a|b|c") these are the choices, and
  /// nothing else is accepted.
  std::string value_name;
  std::string help;
  std::string heading = "Options";
  /// The values that shell completion offers. Not checked here: the command reads its values
  /// itself.
  std::vector<std::string> words{};
};

/// The choices of a flag, if it has any.
std::vector<std::string> ChoicesOf(const FlagText& flag);

/// A positional argument.
struct PositionalText {
  std::string name;
  std::string help;
  bool required = true;
  bool many = false;
};

/// A subcommand as its help shows it: the source of manual pages and of shell completion.
struct CommandText {
  std::string name;  ///< of a command under another one both names: "slurm submit"
  std::string help, footer;
  std::vector<PositionalText> positionals;
  std::vector<FlagText> flags;  ///< without a value_name: a switch
};

class Command {
 public:
  explicit Command(void* implementation) : implementation_(implementation) {}

  /// A required positional argument.
  void Positional(const std::string& name, const std::string& help, std::string* value);
  /// An optional positional argument.
  void OptionalPositional(const std::string& name, const std::string& help, std::string* value);
  /// A positional argument of one or more words.
  void Positionals(const std::string& name, const std::string& help,
                   std::vector<std::string>* values);
  /// A positional argument of any number of words.
  void OptionalPositionals(const std::string& name, const std::string& help,
                           std::vector<std::string>* values);
  void Flag(const FlagText& text, std::function<void(const std::string&)> set);
  /// An older name of a flag, which is read but not in the help.
  void HiddenFlag(const std::string& name, std::function<void(const std::string&)> set);
  /// The program to run and its arguments: everything from the first word on that is not a flag, or
  /// after `--`. Ebb never parses them. `is_ours` is true for a first word that is
  /// not a program.
  void TakesUserCommand(std::vector<std::string>* words,
                        std::function<bool(const std::string&)> is_ours = {});
  /// Words for another program: flags that this command does not have, with their values, and
  /// everything from the first word on that is not a flag, or after `--`. `takes_next` is true for
  /// a flag of that program whose value is the next word.
  void TakesWordsOf(const PositionalText& text, std::vector<std::string>* words,
                    std::function<bool(const std::string&)> takes_next);
  /// A flag with one or more words, which may be given again.
  void List(const FlagText& text, std::vector<std::string>* values);
  void Switch(const FlagText& text, std::function<void()> set);
  /// Leaves the subcommand out of the help, because only Ebb itself uses it.
  void Hide();
  /// The action of this subcommand. It returns the exit code.
  void Action(std::function<Result<int>()> action);

 private:
  void* implementation_;
};

class Parser {
 public:
  struct Text {
    std::string program, version, description, footer;
  };
  const Text& text() const;
  /// All subcommands that are not hidden, in the order of the help. Only `manual`, `completion` and
  /// `complete` may ask: for them all commands are kept whole.
  std::vector<CommandText> Describe() const;
  /// Commands that these arguments cannot mean keep only their names and descriptions, because half
  /// of the start-up would be spent on their flags. Without arguments all commands are kept whole.
  explicit Parser(const Text& text, const std::vector<std::string>& arguments = {});
  ~Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  /// Commands that are added from now on stand under this heading in the help.
  void BeginGroup(const std::string& heading);
  /// Adds a command, which lives as long as the parser. A command under one that was added before
  /// it has both names: "slurm submit".
  Command& Add(const std::string& name, const std::string& help, const std::string& footer);

  /// The text printed in place of the help if no subcommand is given.
  void WithoutCommand(std::function<void()> print);

  /// Parses (`--utc` may stand anywhere before the user's command), prints help, version or a usage
  /// error (with what was probably meant), runs the subcommand's action and prints its error.
  /// `help`, `help SUBCOMMAND` and `version` are understood as words, too. Returns the exit code.
  int Run(const std::vector<std::string>& arguments);

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace ebb::cli
