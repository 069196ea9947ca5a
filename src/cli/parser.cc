#include "cli/parser.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <sstream>

#include "app/options/when.h"
#include "base/check.h"
#include "base/text.h"
#include "cli/error_text.h"
#include "cli/say.h"
#include "platform/terminal.h"

namespace ebb::cli {
namespace {

// A subcommand and its actions.
struct CommandParts {
  CLI::App* app = nullptr;
  std::function<Result<int>()> action;
  CommandText text;
  bool hidden = false;
  bool whole = true;  // false: the arguments cannot mean it, so it has no flags
  std::vector<std::string>* user_words = nullptr;  // for the user's command, if it takes one
  std::function<bool(const std::string&)> is_ours{};
  // If the words are for another program: true for a flag of it that takes the next word.
  std::function<bool(const std::string&)> takes_next{};
};

CommandParts& PartsOf(void* implementation) { return *static_cast<CommandParts*>(implementation); }
CLI::App& AppOf(void* implementation) { return *PartsOf(implementation).app; }
CommandText& TextOf(void* implementation) { return PartsOf(implementation).text; }

// A name is one word: CLI11 rejects other names from 2.2 on, while older versions accept them.
template <typename Value>
void AddPositional(void* implementation, const PositionalText& text, Value& value) {
  if (!PartsOf(implementation).whole) return;
  EBB_CHECK(text.name.find_first_of(" =:{") == std::string::npos);
  TextOf(implementation).positionals.push_back(text);
  AppOf(implementation)
      .add_option(text.name, value, text.help)
      ->required(text.required)
      ->type_name("");
}

// The command that was parsed, or the one under it; the application itself if none was.
const CLI::App& Parsed(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands({}))
    if (sub->parsed()) return Parsed(*sub);
  return app;
}

// CLI11 names unknown words; this adds the word that was probably meant.
std::string Suggestion(const CLI::App& app, const std::vector<std::string>& arguments) {
  const CLI::App* command = &Parsed(app);
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands({})) names.push_back(sub->get_name());
  for (const CLI::Option* option : command->get_options()) names.push_back(option->get_name());
  for (const std::string& argument : arguments) {
    const std::string word = argument.substr(0, argument.find('='));
    if (std::find(names.begin(), names.end(), word) != names.end()) continue;
    if (!word.starts_with("--") && command != &app) continue;
    if (auto suggestion = SuggestionText(word, names); !suggestion.empty())
      return word + ": unknown" + suggestion;
  }
  return "";
}

// The first word if it is not a command, or the one after it if no command under it has this name.
// Words after it, even --help, are not parsed.
std::string UnknownCommand(const CLI::App& app, std::span<const std::string> arguments) {
  const auto subs = app.get_subcommands({});
  if (subs.empty() || arguments.empty() || arguments.front().starts_with('-')) return "";
  std::vector<std::string> names;
  for (const CLI::App* sub : subs)
    if (sub->get_name() == arguments.front())
      return UnknownCommand(*sub, arguments.subspan(1));
    else if (!sub->get_group().empty())
      names.push_back(sub->get_name());
  const std::string suggestion = SuggestionText(arguments.front(), names);
  return Quoted(arguments.front()) + " is not a command" +
         (app.get_parent() ? " of " + app.get_name() : "") + suggestion;
}

bool IsFlag(const std::string& word) { return word.size() > 1 && word.starts_with('-'); }

// True if the word after `word` is its value. For an unknown flag this cannot be known.
bool TakesNext(const CLI::App& command, const std::string& word) {
  if (word.find('=') != std::string::npos) return false;
  const CLI::Option* option = command.get_option_no_throw(word);
  return option && option->get_items_expected_max() > 0;
}

// Moves another program's words out of the arguments, which begin after the subcommand's name.
std::vector<std::string> TakeWordsOfOther(const CommandParts& parts,
                                          std::vector<std::string>& arguments) {
  std::vector<std::string> ours, theirs;
  auto word = arguments.begin();
  const auto move_one = [&](std::vector<std::string>& to) {
    if (word != arguments.end()) to.push_back(*word++);
  };
  while (word != arguments.end() && *word != "--" && IsFlag(*word)) {
    const bool is_ours =
        *word == "--utc" || parts.app->get_option_no_throw(word->substr(0, word->find('=')));
    const bool with_next = is_ours ? TakesNext(*parts.app, *word) : parts.takes_next(*word);
    std::vector<std::string>& to = is_ours ? ours : theirs;
    move_one(to);
    if (with_next) move_one(to);
  }
  if (word != arguments.end() && *word == "--") ++word;
  theirs.insert(theirs.end(), word, arguments.end());
  arguments = std::move(ours);
  return theirs;
}

// Moves the user's command out of the arguments, which begin after the subcommand's name.
std::vector<std::string> TakeUserCommand(const CommandParts& parts,
                                         std::vector<std::string>& arguments) {
  if (parts.takes_next) return TakeWordsOfOther(parts, arguments);
  std::size_t at = 0;
  while (at < arguments.size() && arguments[at] != "--") {
    if (IsFlag(arguments[at]))
      at += TakesNext(*parts.app, arguments[at]) ? 2 : 1;
    else if (parts.is_ours && parts.is_ours(arguments[at]))
      ++at;
    else
      break;
  }
  if (at >= arguments.size()) return {};
  const auto end = arguments.begin() + static_cast<std::ptrdiff_t>(at);
  std::vector<std::string> words(end + (*end == "--" ? 1 : 0), arguments.end());
  arguments.erase(end, arguments.end());
  return words;
}

// Replaces words that people try before flags by the flags.
std::vector<std::string> AsFlags(const CLI::App& app, std::vector<std::string> arguments) {
  if (arguments.empty()) return arguments;
  if (arguments.front() == "version") arguments.front() = "--version";
  if (arguments.front() != "help") return arguments;
  if (arguments.size() == 1) return {"--help"};
  const auto is_meant = [&](const CLI::App* sub) { return sub->get_name() == arguments[1]; };
  if (app.get_subcommands(is_meant).empty()) return {arguments[1]};
  arguments.erase(arguments.begin());
  arguments.emplace_back("--help");
  return arguments;
}

// Replaces CLI11's words about the number of arguments by plain ones.
std::string InPlainWords(const std::string& message) {
  const auto after = [&](std::string_view mark) {
    const auto at = message.find(mark);
    return at == std::string::npos ? std::string() : message.substr(at + mark.size());
  };
  const std::string flag = message.substr(0, message.find(": "));
  if (!after(": At Most 1 required").empty()) return flag + " is given more than once";
  if (std::string value = after(": 1 required "); !value.empty())
    return flag + " needs a value: " + value.substr(0, value.find(' '));
  if (const std::string word = after("argument was not expected: "); !word.empty())
    return "\"" + word + "\" is not expected here";
  if (const std::string words = after("arguments were not expected: "); !words.empty())
    return "not expected here: " + words;
  return message;
}

// The command that the arguments mean, "" if they mean none; nullopt if they mean all commands.
std::optional<std::string> CommandIn(const std::vector<std::string>& arguments) {
  for (const std::string& word : arguments) {
    if (IsFlag(word) || word == "help") continue;
    const bool describes_all = word == "manual" || word == "completion" || word == "complete";
    return describes_all ? std::nullopt : std::optional(word);
  }
  return "";
}

int UsageError(const CLI::App& app, const std::string& message) {
  Say(app.get_name() + ": " + message + "\nSee " + app.get_name() +
      " --help, or --help after a command.");
  return static_cast<int>(ExitCode::kUsage);
}

int Report(const CLI::App& app, const Error& error) {
  Say(app.get_name() + ": " + ErrorText(error));
  return static_cast<int>(error.code);
}

// The printed text is a result, so a full disk behind it is an error. A reader that has read enough
// (EPIPE) is not.
Status FlushOutput() {
  errno = 0;
  const bool failed = std::fflush(stdout) != 0 || std::ferror(stdout) != 0;
  if (!failed || errno == EPIPE) return {};
  const std::string cause = errno != 0 ? std::string(": ") + std::strerror(errno) : "";
  return Fail({ExitCode::kUnavailable, "cannot write" + cause, "standard output",
               "free some disk space or print somewhere else"});
}

// The help in the width of standard output, and at most kHelpColumns. Long descriptions are
// indented under their first word.
class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    return Wrapped(CLI::Formatter::make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream text;
    CLI::detail::format_help(text, command->get_name(), Wrapped(command->get_description()),
                             get_column_width());
    return text.str();
  }

 private:
  static constexpr std::size_t kHelpColumns = 100;
  static constexpr std::size_t kNarrowest = 30;

  std::string Wrapped(const std::string& description) const {
    const std::size_t all = std::min(platform::StdoutColumns(), kHelpColumns);
    const std::size_t room = std::max(all, get_column_width() + kNarrowest) - get_column_width();
    std::string text;
    std::size_t column = 0;
    for (const std::string_view word : Split(description, ' ')) {
      const bool breaks = column > 0 && column + 1 + word.size() > room;
      if (column > 0) text += breaks ? '\n' : ' ';
      column = breaks || column == 0 ? word.size() : column + 1 + word.size();
      text += word;
    }
    return text;
  }
};

}  // namespace

struct Parser::Implementation {
  explicit Implementation(const Text& given) : text(given), app(text.description, text.program) {}
  Text text;
  CLI::App app;
  std::vector<std::unique_ptr<CommandParts>> parts;
  std::vector<std::unique_ptr<Command>> commands;
  std::function<void()> without_command;
  std::string group = "Commands";
  std::optional<std::string> only{};  // the command that is meant; nullopt: all
};

std::vector<std::string> ChoicesOf(const FlagText& flag) {
  const std::string& names = flag.value_name;
  const bool has_value = std::any_of(names.begin(), names.end(),
                                     [](char letter) { return letter >= 'A' && letter <= 'Z'; });
  std::vector<std::string> choices;
  if (has_value || names.find('|') == std::string::npos) return choices;
  for (const std::string_view choice : Split(names, '|')) choices.emplace_back(choice);
  return choices;
}

void Command::Positional(const std::string& name, const std::string& help, std::string* value) {
  AddPositional(implementation_, {name, help, true, false}, *value);
}

void Command::OptionalPositional(const std::string& name, const std::string& help,
                                 std::string* value) {
  AddPositional(implementation_, {name, help, false, false}, *value);
}

void Command::Positionals(const std::string& name, const std::string& help,
                          std::vector<std::string>* values) {
  AddPositional(implementation_, {name, help, true, true}, *values);
}

void Command::OptionalPositionals(const std::string& name, const std::string& help,
                                  std::vector<std::string>* values) {
  AddPositional(implementation_, {name, help, false, true}, *values);
}

void Command::TakesUserCommand(std::vector<std::string>* words,
                               std::function<bool(const std::string&)> is_ours) {
  if (!PartsOf(implementation_).whole) return;
  const std::string help = "the program to run, and its arguments; -- before them is optional";
  // This entry serves only the help; the words themselves are taken earlier.
  AddPositional(implementation_, {"COMMAND", help, false, true}, *words);
  PartsOf(implementation_).user_words = words;
  PartsOf(implementation_).is_ours = std::move(is_ours);
}

void Command::TakesWordsOf(const PositionalText& text, std::vector<std::string>* words,
                           std::function<bool(const std::string&)> takes_next) {
  if (!PartsOf(implementation_).whole) return;
  // Like that of a user's command, this entry serves only the help.
  AddPositional(implementation_, text, *words);
  PartsOf(implementation_).user_words = words;
  PartsOf(implementation_).takes_next = std::move(takes_next);
}

void Command::Flag(const FlagText& text, std::function<void(const std::string&)> set) {
  if (!PartsOf(implementation_).whole) return;
  TextOf(implementation_).flags.push_back(text);
  CLI::Option* option =
      AppOf(implementation_)
          .add_option_function<std::string>("--" + text.name, std::move(set), text.help);
  option->group(text.heading);
  const std::vector<std::string> choices = ChoicesOf(text);
  if (choices.empty()) {
    option->type_name(text.value_name);
    return;
  }
  CLI::Validator is_choice = CLI::IsMember(choices);
  option->check(is_choice.description(""))->type_name(text.value_name);
}

void Command::HiddenFlag(const std::string& name, std::function<void(const std::string&)> set) {
  if (!PartsOf(implementation_).whole) return;
  AppOf(implementation_).add_option_function<std::string>("--" + name, std::move(set))->group("");
}

void Command::List(const FlagText& text, std::vector<std::string>* values) {
  if (!PartsOf(implementation_).whole) return;
  TextOf(implementation_).flags.push_back(text);
  AppOf(implementation_)
      .add_option("--" + text.name, *values, text.help)
      ->type_name(text.value_name)
      ->group(text.heading);
}

void Command::Switch(const FlagText& text, std::function<void()> set) {
  if (!PartsOf(implementation_).whole) return;
  TextOf(implementation_).flags.push_back(text);
  AppOf(implementation_)
      .add_flag_callback("--" + text.name, std::move(set), text.help)
      ->group(text.heading);
}

void Command::Hide() {
  PartsOf(implementation_).hidden = true;
  AppOf(implementation_).group("");
}

void Command::Action(std::function<Result<int>()> action) {
  PartsOf(implementation_).action = std::move(action);
}

Parser::Parser(const Text& text, const std::vector<std::string>& arguments)
    : implementation_(std::make_unique<Implementation>(text)) {
  if (!arguments.empty()) implementation_->only = CommandIn(arguments);
  CLI::App& app = implementation_->app;
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer(text.footer);
  app.set_version_flag("--version", text.program + " " + text.version);
  // This flag is taken out of the arguments before parsing, so that it may stand anywhere.
  app.add_flag_function(
      "--utc", [](std::int64_t) {}, "show and read times in UTC");
  app.require_subcommand(0, 1);
}

Parser::~Parser() = default;

Command& Parser::Add(const std::string& name, const std::string& help, const std::string& footer) {
  const std::size_t space = name.find(' ');
  const bool is_under_another = space != std::string::npos;
  CLI::App* parent = is_under_another ? implementation_->app.get_subcommand(name.substr(0, space))
                                      : &implementation_->app;
  CLI::App* sub = parent->add_subcommand(is_under_another ? name.substr(space + 1) : name, help);
  parent->require_subcommand(0, 1);
  sub->footer(footer);
  sub->group(is_under_another ? "Commands" : implementation_->group);
  implementation_->parts.push_back(
      std::make_unique<CommandParts>(CommandParts{sub, {}, {name, help, footer, {}, {}}, false}));
  const std::optional<std::string>& only = implementation_->only;
  implementation_->parts.back()->whole = !only || *only == name.substr(0, space);
  implementation_->commands.push_back(
      std::make_unique<Command>(implementation_->parts.back().get()));
  return *implementation_->commands.back();
}

void Parser::BeginGroup(const std::string& heading) { implementation_->group = heading; }

void Parser::WithoutCommand(std::function<void()> print) {
  implementation_->without_command = std::move(print);
}

const Parser::Text& Parser::text() const { return implementation_->text; }

std::vector<CommandText> Parser::Describe() const {
  std::vector<CommandText> commands;
  for (const auto& parts : implementation_->parts)
    if (!parts->hidden) commands.push_back(parts->text);
  return commands;
}

int Parser::Run(const std::vector<std::string>& given) {
  CLI::App& app = implementation_->app;
  std::vector<std::string> arguments = AsFlags(app, given);
  for (const auto& parts : implementation_->parts) {
    const auto names = Split(parts->text.name, ' ');
    const auto count = static_cast<std::ptrdiff_t>(names.size());
    if (!parts->user_words || arguments.size() < names.size() ||
        !std::equal(names.begin(), names.end(), arguments.begin()))
      continue;
    std::vector<std::string> rest(arguments.begin() + count, arguments.end());
    *parts->user_words = TakeUserCommand(*parts, rest);
    arguments.erase(arguments.begin() + count, arguments.end());
    arguments.insert(arguments.end(), rest.begin(), rest.end());
  }
  if (std::erase(arguments, "--utc") > 0) app::UseUtc();
  if (const std::string unknown = UnknownCommand(app, arguments); !unknown.empty())
    return UsageError(app, unknown);
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::Success& success) {
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    const std::string suggestion = Suggestion(app, arguments);
    return UsageError(app, suggestion.empty() ? InPlainWords(error.what()) : suggestion);
  }
  const CLI::App& parsed = Parsed(app);
  for (const auto& parts : implementation_->parts) {
    if (parts->app != &parsed || !parts->action) continue;
    const Result<int> result = parts->action();
    if (!result) return Report(app, result.error());
    const Status printed = FlushOutput();
    return printed || *result != 0 ? *result : Report(app, printed.error());
  }
  if (&parsed == &app && implementation_->without_command)
    implementation_->without_command();
  else
    std::fputs(app.help().c_str(), stdout);  // that of the command, if one was parsed
  return static_cast<int>(ExitCode::kUsage);
}

}  // namespace ebb::cli
