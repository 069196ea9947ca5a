#include "cli/last_look.h"

#include <cstdlib>

#include "report/json_parts.h"
#include "store/database/default_path.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kLongestFile = 1 << 20;

platform::Path FileOfUser() {
  const auto variable = [](const char* name) -> const char* {
    return std::string_view(name) == "EBB_STORE" ? nullptr : std::getenv(name);
  };
  const auto paths = store::OwnStorePaths(variable);
  return paths.empty() ? platform::Path() : paths.front().parent_path() / "looked.json";
}

Json Looks(const platform::Path& file) {
  const auto text = file.empty() ? Result<std::string>("") : platform::ReadFile(file, kLongestFile);
  Json looks = Json::parse(text.value_or(""), nullptr, false);
  return looks.is_object() ? looks : Json::object();
}

}  // namespace

LastLook::LastLook(const app::FoundService& service)
    : service_(service.url.empty() ? service.store : service.url), file_(FileOfUser()) {}

Time LastLook::Since(Time now) const {
  const Json looks = Looks(file_);
  const auto found = looks.find(service_);
  if (found != looks.end() && found->is_string())
    if (const auto time = ParseTime(found->get<std::string>()); time && *time <= now) return *time;
  return now - std::chrono::hours{24};
}

Status LastLook::Remember(Time now) const {
  if (file_.empty())
    return Fail({ExitCode::kUnavailable, "cannot be kept: there is no home directory",
                 "when you looked", "set XDG_STATE_HOME"});
  EBB_RETURN_IF_ERROR(platform::EnsureWritableDirectory(file_.parent_path()));
  Json looks = Looks(file_);
  looks[service_] = FormatTime(now);
  return platform::WriteFileAtomically(file_, report::Document(looks), platform::Readers::kOwner);
}

}  // namespace ebb::cli
