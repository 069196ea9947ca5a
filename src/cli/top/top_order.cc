#include "cli/top/top_order.h"

#include <algorithm>
#include <array>
#include <limits>

namespace ebb::cli {
namespace {

using Figure = std::optional<double>;

double StageRank(const TopJob& job) {
  if (job.runs()) return 0;
  return job.stage == "paused" ? 1 : 2;
}

struct Order {
  std::string_view name;
  bool largest_first;
  Figure (*figure)(const TopJob&);
};

// In the order of the enumerators.
constexpr std::array<Order, static_cast<std::size_t>(kLastTopOrder) + 1> kOrders{{
    {"stage", false, [](const TopJob& job) { return Figure(StageRank(job)); }},
    {"power", true,
     [](const TopJob& job) { return job.power ? Figure(job.power->watts) : Figure(); }},
    {"grams", true,
     [](const TopJob& job) { return job.emissions ? Figure(job.emissions->grams) : Figure(); }},
    {"energy", true, [](const TopJob& job) { return Figure(job.energy.joules()); }},
    {"progress", true, [](const TopJob& job) { return job.progress_percent; }},
    {"elapsed", true,
     [](const TopJob& job) { return job.elapsed ? Figure(Seconds(*job.elapsed)) : Figure(); }},
    {"end", false,
     [](const TopJob& job) {
       return job.expected_end ? Figure(static_cast<double>(Milliseconds(*job.expected_end)))
                               : Figure();
     }},
    {"number", false, [](const TopJob& job) { return Figure(static_cast<double>(job.number)); }},
}};

const Order& OrderOf(TopOrder order) { return kOrders[static_cast<std::size_t>(order)]; }

}  // namespace

std::string_view Name(TopOrder order) { return OrderOf(order).name; }

std::optional<TopOrder> TopOrderFromName(std::string_view name) {
  for (std::size_t i = 0; i < kOrders.size(); ++i)
    if (kOrders[i].name == name) return static_cast<TopOrder>(i);
  return std::nullopt;
}

TopOrder Next(TopOrder order, int by) {
  constexpr int kCount = static_cast<int>(kOrders.size());
  return static_cast<TopOrder>((static_cast<int>(order) + by % kCount + kCount) % kCount);
}

void Sort(std::vector<TopJob>& jobs, TopOrder order) {
  const auto& [name, largest_first, figure] = OrderOf(order);
  const auto key = [&](const TopJob& job) {
    const Figure value = figure(job);
    if (!value) return std::numeric_limits<double>::infinity();
    return largest_first ? -*value : *value;
  };
  std::ranges::sort(jobs, {}, &TopJob::number);
  std::ranges::stable_sort(jobs, {}, key);
}

}  // namespace ebb::cli
