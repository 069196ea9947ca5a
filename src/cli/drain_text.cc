#include "cli/drain_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/text.h"
#include "engine/drain.h"

namespace ebb::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostNamed = 10;

std::optional<Time> TimeOf(const Json& json, const char* key) {
  const auto time = ParseTime(json.value(key, ""));
  return time ? std::optional(*time) : std::nullopt;
}

std::string Jobs(std::int64_t count, const char* one, const char* many) {
  return std::to_string(count) +
         (count == 1 ? std::string(" job ") + one : std::string(" jobs ") + many);
}

// "2 jobs run to their end, the last at about 17:20; 3 jobs wait, 1 job stays paused"
std::string CountsLine(const Json& drain, const LocalTimes& times) {
  const auto count = [&](const char* key) { return drain.value(key, std::int64_t{0}); };
  std::vector<std::string> parts;
  if (count("running") > 0) {
    const auto last = TimeOf(drain, "last_end");
    parts.push_back(Jobs(count("running"), "runs to its end", "run to their end") +
                    (last ? ", the last at about " + times.Moment(*last) : ""));
  } else {
    parts.emplace_back("nothing runs any more");
  }
  if (count("waiting") > 0) parts.push_back(Jobs(count("waiting"), "waits", "wait"));
  if (count("paused") > 0) parts.push_back(Jobs(count("paused"), "stays paused", "stay paused"));
  if (count("frozen") > 0)
    parts.push_back(Jobs(count("frozen"), "of them stays in memory, stopped, with its devices",
                         "of them stay in memory, stopped, with their devices"));
  return Join(parts, "; ");
}

std::string MissedLines(const Json& missed, const LocalTimes& times) {
  if (!missed.is_array() || missed.empty()) return "";
  std::string text = "  deadlines that cannot be kept for it:\n";
  std::size_t named = 0;
  for (const Json& job : missed) {
    if (named++ == kMostNamed) break;
    const auto latest = TimeOf(job, "latest_start");
    text += "    job " + std::to_string(job.value("id", std::int64_t{0})) + " (" +
            Printable(job.value("name", "")) + ")" +
            (latest ? ", latest start " + times.Moment(*latest) : "") + "\n";
  }
  if (missed.size() > kMostNamed)
    text += "    and " + std::to_string(missed.size() - kMostNamed) + " more\n";
  return text;
}

}  // namespace

std::string DrainLines(std::string_view answer, const LocalTimes& times) {
  const Json drain = Json::parse(answer, nullptr, /*allow_exceptions=*/false);
  if (!drain.is_object() || !drain.value("draining", false)) return "";
  const engine::Drain said{{}, TimeOf(drain, "until"), drain.value("why", "")};
  std::string text = times.InText(Printable(DrainText(said))) + "\n  " + CountsLine(drain, times) +
                     "\n" + MissedLines(drain.value("misses_deadline", Json::array()), times);
  const auto next = TimeOf(drain, "next_deadline");
  if (next && !said.until)
    text += "  end it before " + times.Moment(*next) +
            ": by then the next job must start to keep its deadline\n";
  return text;
}

}  // namespace ebb::cli
