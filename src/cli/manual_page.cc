#include "cli/manual_page.h"

#include <algorithm>
#include <array>

#include "base/enum_names.h"
#include "base/text.h"

namespace ebb::cli {
namespace {

// Escapes a line of running text: roff reads backslashes, and dots and quotes at the beginning.
std::string Roff(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    line_begins = c == '\n';
  }
  return out;
}

// Puts the text in double quotes, as an argument of a macro.
std::string RoffWord(std::string_view text) {
  std::string out = "\"";
  for (const char c : Roff(text)) out += c == '"' ? std::string("\\(dq") : std::string(1, c);
  return out + "\"";
}

std::string Title(const Parser::Text& program, const std::string& page) {
  std::string upper;
  for (const char c : page) upper += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return ".TH " + RoffWord(upper) + " 1 \"\" " + RoffWord(program.program + " " + program.version) +
         " \"User Commands\"\n";
}

std::string Verbatim(const std::string& text) {
  return ".nf\n" +
         Roff(text.substr(text.find_first_not_of('\n') == std::string::npos
                              ? text.size()
                              : text.find_first_not_of('\n'))) +
         "\n.fi\n";
}

std::string Synopsis(const Parser::Text& program, const CommandText& command) {
  std::string line = ".B " + Roff(program.program) + " " + Roff(command.name) + "\n";
  if (!command.flags.empty()) line += "[\\fIOPTIONS\\fR]\n";
  for (const PositionalText& word : command.positionals) {
    const std::string shown = "\\fI" + Roff(word.name) + "\\fR" + (word.many ? " ..." : "");
    line += (word.required ? shown : "[" + shown + "]") + "\n";
  }
  return line;
}

void AddFlags(const CommandText& command, std::string& page) {
  std::string heading;
  for (const FlagText& flag : command.flags) {
    if (flag.heading != heading) {
      heading = flag.heading;
      page += ".SS " + RoffWord(heading) + "\n";
    }
    page += ".TP\n\\fB\\-\\-" + Roff(flag.name) + "\\fR";
    if (!flag.value_name.empty()) page += " \\fI" + Roff(flag.value_name) + "\\fR";
    page += "\n" + Roff(flag.help) + "\n";
  }
}

// Completion --------------------------------------------------------------------------------

std::string FlagWords(const CommandText& command) {
  std::string words = "--help --utc";
  for (const FlagText& flag : command.flags) words += " --" + flag.name;
  return words;
}

// The list of words that the program knows for a value; empty for a file, or any value.
std::string_view ListOf(const FlagText& flag) {
  if (flag.name == "policy") return flag.value_name == "POLICY" ? kGatePolicyWords : kPolicyWords;
  if (flag.name == "zone") return kZoneWords;
  if (flag.name == "signal") return kSignalWords;
  return flag.name == "after" ? kJobWords : "";
}

// The values that a script offers without asking the program.
std::vector<std::string> FixedWords(const FlagText& flag) {
  std::vector<std::string> choices = ChoicesOf(flag);
  return choices.empty() && ListOf(flag).empty() ? flag.words : choices;
}

bool IsChoice(const FlagText& flag) { return !FixedWords(flag).empty(); }

std::string ChoiceWords(const FlagText& flag) { return Join(FixedWords(flag), " "); }

struct Words {
  bool jobs = false, files = false;
};
Words WordsOf(const CommandText& command) {
  Words words;
  for (const PositionalText& word : command.positionals) {
    const bool jobs = word.name.find("JOB") != std::string::npos;
    words.jobs |= jobs;
    words.files |= !jobs || word.name.find('|') != std::string::npos;
  }
  return words;
}

std::string Asking(const std::string& program, std::string_view list) {
  return program + " complete " + std::string(list) + " 2>/dev/null";
}

// Puts the text in single quotes for a POSIX shell and fish.
std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The commands that stand directly under `parent`; without a parent those of the first level.
std::vector<CommandText> Under(const std::vector<CommandText>& commands,
                               const std::string& parent) {
  std::vector<CommandText> found;
  for (CommandText command : commands) {
    const std::size_t space = command.name.find(' ');
    if (space == std::string::npos ? !parent.empty() : command.name.substr(0, space) != parent)
      continue;
    if (space != std::string::npos) command.name.erase(0, space + 1);
    found.push_back(std::move(command));
  }
  return found;
}

std::string NamesOf(const std::vector<CommandText>& commands) {
  std::vector<std::string> names;
  for (const CommandText& command : commands) names.push_back(command.name);
  return Join(names, " ");
}

// Completes the second name of commands that have two, and then takes both as the name.
std::string BashSecondNames(const std::vector<CommandText>& commands) {
  std::string cases;
  for (const CommandText& command : commands)
    if (const auto under = Under(commands, command.name); !under.empty())
      cases += "    " + command.name + ")\n      if ((COMP_CWORD == 2)); then\n" +
               "        COMPREPLY=($(compgen -W " + Quoted(NamesOf(under) + " --help") +
               " -- \"$word\"))\n        return\n      fi\n"
               "      command=\"$command ${COMP_WORDS[2]}\" ;;\n";
  return cases.empty() ? "" : "  case \"$command\" in\n" + cases + "  esac\n";
}

std::string BashScript(const std::string& program, const std::vector<CommandText>& commands) {
  const std::string names = NamesOf(Under(commands, ""));
  const std::string function = "_" + program;
  std::string script =
      "# bash completion for " + program + "\n" + function +
      "() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  local command=\"${COMP_WORDS[1]}\" words=\"\" is_value=\"\" files=-f i\n"
      "  for ((i = 1; i < COMP_CWORD; i++)); do\n"
      "    if [[ \"${COMP_WORDS[i]}\" == -- ]]; then\n"
      "      COMPREPLY=($(compgen -c -f -- \"$word\"))\n      return\n    fi\n  done\n"
      "  if ((COMP_CWORD == 1)); then\n    COMPREPLY=($(compgen -W " +
      Quoted(names + " --help --version --utc") + " -- \"$word\"))\n    return\n  fi\n" +
      BashSecondNames(commands) + "  case \"$command $before\" in\n";
  for (const CommandText& command : commands) {
    for (const FlagText& flag : command.flags)
      if (IsChoice(flag))
        script += "    " + Quoted(command.name + " --" + flag.name) +
                  ") words=" + Quoted(ChoiceWords(flag)) + " ;;\n";
      else if (const auto list = ListOf(flag); !list.empty())
        script += "    " + Quoted(command.name + " --" + flag.name) + ") words=\"$(" +
                  Asking(program, list) + ")\" ;;\n";
      else if (!flag.value_name.empty())
        script += "    " + Quoted(command.name + " --" + flag.name) + ") is_value=1 ;;\n";
  }
  script +=
      "  esac\n"
      "  if [[ -z \"$words\" && \"$word\" == -* ]]; then\n    case \"$command\" in\n";
  for (const CommandText& command : commands)
    script += "      " + Quoted(command.name) + ") words=" + Quoted(FlagWords(command)) + " ;;\n";
  script +=
      "    esac\n"
      "  elif [[ -z \"$words$is_value\" ]]; then\n    case \"$command\" in\n";
  for (const CommandText& command : commands)
    if (const Words words = WordsOf(command); words.jobs)
      script += "      " + Quoted(command.name) + ") words=\"$(" + Asking(program, kJobWords) +
                ")\"" + (words.files ? "" : " files=\"\"") + " ;;\n";
  script +=
      "    esac\n"
      "    COMPREPLY=($(compgen -W \"$words\" $files -- \"$word\"))\n    return\n  fi\n"
      "  if [[ -n \"$words\" ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  else\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}\n"
      "complete -o filenames -F " +
      function + " " + program + "\n";
  return script;
}

// Escapes text for the part of an _arguments specification in brackets.
std::string ZshText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string ZshNames(const std::vector<CommandText>& commands) {
  std::string lines;
  for (const CommandText& command : commands)
    lines += "    " + Quoted(ZshText(command.name) + ":" + ZshText(command.help)) + "\n";
  return lines;
}

// Completes the second name of commands that have two, and then takes both as the name.
std::string ZshSecondNames(const std::vector<CommandText>& commands) {
  std::string script;
  for (const CommandText& command : commands)
    if (const auto under = Under(commands, command.name); !under.empty())
      script += "  if [[ \"$name\" == " + command.name + " ]]; then\n    commands=(\n" +
                ZshNames(under) +
                "    )\n    if ((CURRENT == 3)); then\n      _describe command commands\n"
                "      return\n    fi\n    name=\"$name $words[3]\"\n  fi\n";
  return script;
}

std::string ZshScript(const std::string& program, const std::vector<CommandText>& commands) {
  const std::string function = "_" + program;
  std::string script = "#compdef " + program + "\n" + function +
                       "_words() {\n  local -a values\n  values=(${(f)\"$(" + program +
                       " complete $1 2>/dev/null)\"})\n  compadd -a values\n"
                       "  [[ -n \"$2\" ]] && _files\n  return 0\n}\n" +
                       function + "() {\n  local -a commands\n  local name=\"$words[2]\"\n" +
                       "  commands=(\n" + ZshNames(Under(commands, ""));
  script += "  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n" +
            ZshSecondNames(commands) + "  case \"$name\" in\n";
  for (const CommandText& command : commands) {
    script += "    " + Quoted(command.name) +
              ")\n      _arguments -S '--help[help]' '--utc[times in UTC]'";
    for (const FlagText& flag : command.flags) {
      std::string spec = "--" + flag.name;
      if (!flag.value_name.empty()) spec += "=";
      spec += "[" + ZshText(flag.help) + "]";
      if (IsChoice(flag))
        spec += ":value:(" + ChoiceWords(flag) + ")";
      else if (const auto list = ListOf(flag); !list.empty())
        spec += ":" + ZshText(flag.value_name) + ": " + function + "_words " + std::string(list);
      else if (!flag.value_name.empty())
        spec += ":" + ZshText(flag.value_name) + ":_files";
      script += " \\\n        " + Quoted(spec);
    }
    const Words words = WordsOf(command);
    const std::string rest = !words.jobs   ? ":file:_files"
                             : words.files ? ":job or file: " + function + "_words jobs files"
                                           : ":job: " + function + "_words jobs";
    script += " \\\n        " + Quoted("*" + rest) + "\n      ;;\n";
  }
  return script + "  esac\n}\n" + function + " \"$@\"\n";
}

// True while the words of `command` are being completed. Commands of both levels may have the same
// last name.
std::string FishCondition(const CommandText& command, const std::vector<CommandText>& commands) {
  const std::string seen = "__fish_seen_subcommand_from ";
  const auto names = Split(command.name, ' ');
  std::string condition = seen + std::string(names.back());
  if (names.size() > 1) return seen + std::string(names.front()) + "; and " + condition;
  for (const CommandText& other : commands)
    if (other.name.ends_with(" " + command.name))
      condition += "; and not " + seen + other.name.substr(0, other.name.find(' '));
  return condition;
}

std::string FishScript(const std::string& program, const std::vector<CommandText>& commands) {
  std::string script = "# fish completion for " + program + "\ncomplete -c " + program +
                       " -l utc -d 'times in UTC'\n";
  for (const CommandText& command : Under(commands, ""))
    script += "complete -c " + program + " -n __fish_use_subcommand -f -a " + command.name +
              " -d " + Quoted(command.help) + "\n";
  for (const CommandText& command : commands)
    for (const CommandText& under : Under(commands, command.name))
      script += "complete -c " + program + " -n " + Quoted(FishCondition(command, commands)) +
                " -f -a " + under.name + " -d " + Quoted(under.help) + "\n";
  for (const CommandText& command : commands) {
    const std::string condition = Quoted(FishCondition(command, commands));
    for (const FlagText& flag : command.flags) {
      script += "complete -c " + program + " -n " + condition + " -l " + flag.name + " -d " +
                Quoted(flag.help);
      if (IsChoice(flag))
        script += " -x -a " + Quoted(ChoiceWords(flag));
      else if (const auto list = ListOf(flag); !list.empty())
        script += " -x -a " + Quoted("(" + Asking(program, list) + ")");
      else if (!flag.value_name.empty())
        script += " -r";
      script += "\n";
    }
    if (const Words words = WordsOf(command); words.jobs)
      script += "complete -c " + program + " -n " + condition + (words.files ? "" : " -f") +
                " -a " + Quoted("(" + Asking(program, kJobWords) + ")") + "\n";
  }
  return script;
}

constexpr std::array<std::string_view, 3> kShellNames{"bash", "zsh", "fish"};

}  // namespace

std::string ManualPage(const Parser::Text& program, const std::vector<CommandText>& commands) {
  std::string page = Title(program, program.program) + ".SH NAME\n" + Roff(program.program) +
                     " \\- machine\\-learning training when the grid is clean\n.SH SYNOPSIS\n.B " +
                     Roff(program.program) +
                     "\n\\fICOMMAND\\fR [\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n" +
                     Roff(program.description) + "\n.SH COMMANDS\n";
  for (const CommandText& command : commands)
    page += ".TP\n.BR " + Roff(PageName(program, command)) + " (1)\n" + Roff(command.help) + "\n";
  return page + ".SH EXAMPLES\n" + Verbatim(program.footer);
}

std::string PageName(const Parser::Text& program, const CommandText& command) {
  std::string name = program.program + "-" + command.name;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string ManualPage(const Parser::Text& program, const CommandText& command) {
  const std::string name = PageName(program, command);
  std::string page = Title(program, name) + ".SH NAME\n" + Roff(name) + " \\- " +
                     Roff(command.help) + "\n.SH SYNOPSIS\n" + Synopsis(program, command);
  if (!command.positionals.empty()) page += ".SH ARGUMENTS\n";
  for (const PositionalText& word : command.positionals)
    page += ".TP\n.I " + Roff(word.name) + "\n" + Roff(word.help) + "\n";
  if (!command.flags.empty()) page += ".SH OPTIONS\n";
  AddFlags(command, page);
  if (!command.footer.empty()) page += ".SH NOTES\n" + Verbatim(command.footer);
  return page + ".SH SEE ALSO\n.BR " + Roff(program.program) + " (1)\n";
}

std::optional<Shell> ShellFromName(std::string_view name) {
  return EnumFromName<Shell>(kShellNames, name);
}

std::string CompletionScript(Shell shell, const std::string& program,
                             const std::vector<CommandText>& commands) {
  if (shell == Shell::kBash) return BashScript(program, commands);
  return shell == Shell::kZsh ? ZshScript(program, commands) : FishScript(program, commands);
}

}  // namespace ebb::cli
