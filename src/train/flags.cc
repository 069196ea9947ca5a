#include "train/flags.h"

namespace ebb::train {
namespace {

std::vector<std::string> FlagNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

Status RefuseUnknown(const CLI::App& app) {
  const std::vector<std::string> unknown = app.remaining();
  if (unknown.empty()) return {};
  const std::string flag = unknown.front().substr(0, unknown.front().find('='));
  return UsageError("unknown argument \"" + flag + "\"" + SuggestionText(flag, FlagNames(app)));
}

}  // namespace

tl::unexpected<Error> UsageError(std::string what) {
  return Fail({ExitCode::kUsage, std::move(what), "", "ebb-train --help lists every flag"});
}

CLI::Validator Between(Range range) {
  return CLI::Validator(
      [range](std::string& text) -> std::string {
        const auto value = ParseNumber(text);
        if (value && *value >= range.low && *value <= range.high) return "";
        return "\"" + text + "\" is not a number from " + FormatExact(range.low) + " to " +
               FormatExact(range.high);
      },
      "");
}

Contract ContractOf(const Environment& environment, const std::string& run_dir) {
  const auto value = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? std::string() : found->second;
  };
  const std::string named = value("EBB_RUN_DIR");
  return {named.empty() ? run_dir : named, value("EBB_CHECKPOINT_DIR"), value("EBB_RESUME") == "1"};
}

void SetRules(CLI::App& app) {
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  app.allow_extras();
}

Result<std::optional<TextToPrint>> ParseFlags(CLI::App& app,
                                              std::span<const std::string> arguments) {
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return TextToPrint{app.help()};
  } catch (const CLI::CallForVersion&) {
    return TextToPrint{app.version() + "\n"};
  } catch (const CLI::ParseError& error) {
    return UsageError(error.what());
  }
  EBB_RETURN_IF_ERROR(RefuseUnknown(app));
  return std::nullopt;
}

}  // namespace ebb::train
