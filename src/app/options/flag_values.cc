#include "app/options/flag_values.h"

#include <algorithm>

#include "base/text.h"

namespace ebb::app {
namespace {

tl::unexpected<Error> Refuse(const std::string& flag, const std::string& what,
                             const std::string& next) {
  return Fail({ExitCode::kUsage, flag + ": " + what, "", next});
}

bool NamesOneGpu(const std::string& name) {
  if (name.starts_with("GPU-") || name.starts_with("MIG-")) return name.size() > 4;
  const auto index = ParseInteger(name);
  return index && *index >= 0;
}

}  // namespace

Result<Time> TimeOf(const std::string& flag, const std::string& text) {
  auto time = ParseTime(text);
  if (!time) return Refuse(flag, time.error().what, "give a time like 2023-05-01T17:00Z");
  return time;
}

Result<Duration> DurationOf(const std::string& flag, const std::string& text) {
  // A number without a unit could mean hours or seconds.
  if (const auto number = ParseNumber(text); number && *number != 0)
    return Refuse(flag, "\"" + text + "\" has no unit",
                  "write " + text + "h for hours or " + text + "s for seconds");
  auto duration = ParseDuration(text);
  if (!duration) return Refuse(flag, duration.error().what, "give a duration like 90s, 15m or 6h");
  return duration;
}

Result<core::Publication> PublicationOf(const std::string& text) {
  auto publication = core::PublicationFromText(text);
  if (!publication)
    return Refuse("--publication-lag", publication.error().what, publication.error().next);
  return publication;
}

Result<std::vector<std::string>> GpusOf(const std::string& flag, const std::string& text) {
  const std::string next = "give indices or UUIDs with commas between, e.g. 0,1";
  std::vector<std::string> names;
  for (const std::string_view part : Split(text, ',')) {
    std::string name(Trim(part));
    if (!NamesOneGpu(name)) return Refuse(flag, "\"" + name + "\" names no device", next);
    if (std::find(names.begin(), names.end(), name) != names.end())
      return Refuse(flag, "device " + name + " is given twice", next);
    names.push_back(std::move(name));
  }
  return names;
}

Result<double> PriceWeightOf(const std::string& text) {
  const auto weight = ParseNumber(text);
  if (weight && *weight >= 0 && *weight <= 1) return *weight;
  return Fail({ExitCode::kUsage, "--price-weight: \"" + text + "\" is not accepted", "",
               "give a number from 0 (carbon alone) to 1 (price alone)"});
}

}  // namespace ebb::app
