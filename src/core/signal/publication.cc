#include "core/signal/publication.h"

namespace ebb::core {
namespace {

constexpr std::string_view kNone = "none";
constexpr Duration kLongestLag{std::chrono::days{7}};

}  // namespace

Result<Publication> PublicationFromText(std::string_view text) {
  if (text == kNone) return Publication::AtBegin();
  const auto lag = ParseDuration(text);
  if (lag && *lag >= Duration::zero() && *lag <= kLongestLag) return Publication::AfterEnd(*lag);
  return Fail({ExitCode::kUsage, "\"" + std::string(text) + "\" is not a publication lag", "",
               "give how long after its end an interval is published, from 0s to 7d, or none: "
               "known as it begins"});
}

std::string ToText(const Publication& publication) {
  const auto lag = publication.lag();
  return lag ? FormatExact(*lag) : std::string(kNone);
}

std::string Describe(const Publication& publication) {
  const auto lag = publication.lag();
  if (!lag) return "each value known as its interval begins";
  if (*lag == Duration::zero()) return "each value known as its interval ends";
  return "each value known " + FormatDuration(*lag) + " after its interval";
}

}  // namespace ebb::core
