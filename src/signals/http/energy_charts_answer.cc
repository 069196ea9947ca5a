#include "signals/http/energy_charts_answer.h"

namespace ebb::signals {

Result<std::vector<Time>> EnergyChartsTimes(const JsonNode& root, std::string_view body,
                                            const std::string& where) {
  const JsonNode* list = root.Find("unix_seconds");
  if (!list || !list->is_list()) return Fail(BadAnswer("the answer has no times", body, where));
  std::vector<Time> times;
  for (const JsonNode& item : list->items) {
    const auto seconds = item.AsNumber();
    if (!seconds || *seconds < 0 || *seconds > 1e11)
      return Fail(BadAnswer("a time of the answer is not one in seconds", body, where));
    times.emplace_back(DurationFromSeconds(*seconds));
    if (times.size() > 1 && times.back() <= times[times.size() - 2])
      return Fail(BadAnswer("the times of the answer are not in order", body, where));
  }
  return times;
}

const JsonNode* EnergyChartsList(const JsonNode& root, std::string_view name, std::size_t count) {
  const JsonNode* list = root.Find(name);
  return list && list->is_list() && list->items.size() == count ? list : nullptr;
}

}  // namespace ebb::signals
