#include "signals/secret.h"

#include <cstdlib>

#include "base/text.h"
#include "platform/file.h"

namespace ebb::signals {
namespace {

constexpr std::uint64_t kLimitBytes = 64 << 10;

std::string_view Variable(const std::string& name) {
  const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
  return value ? value : "";
}

}  // namespace

Result<std::string> CheckSecret(std::string_view text, const std::string& where) {
  const std::string secret(Trim(text.substr(0, text.find('\n'))));
  for (const char character : secret)
    if (character < ' ' || character == 0x7f)
      return Fail({ExitCode::kConfiguration, "the token holds a control character", where, ""});
  if (secret.empty())
    return Fail(
        {ExitCode::kConfiguration, "the token is empty", where, "write it in the first line"});
  return secret;
}

Result<std::string> SecretAt(const SecretPlace& place, const std::string& own_variable,
                             const std::string& where, const std::string& next) {
  if (const auto own = Variable(own_variable); !own.empty()) return CheckSecret(own, own_variable);
  if (!place.file.empty()) {
    EBB_ASSIGN_OR_RETURN(const std::string text, platform::ReadFile(place.file, kLimitBytes));
    return CheckSecret(text, place.file);
  }
  const std::string& name = place.env.empty() ? own_variable : place.env;
  if (const auto value = Variable(name); !value.empty()) return CheckSecret(value, name);
  return Fail(
      {ExitCode::kConfiguration, "the environment variable " + name + " is not set", where, next});
}

}  // namespace ebb::signals
