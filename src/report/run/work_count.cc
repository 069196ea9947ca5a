#include "report/run/work_count.h"

#include <algorithm>

namespace ebb::report {
namespace {

// Bytes that are read at once: a thousand lines or more.
constexpr std::uint64_t kPart = 256 << 10;

}  // namespace

std::optional<std::int64_t> WorkCount::Position::Done() const {
  if (!start || !furthest || *furthest <= *start) return std::nullopt;
  return *furthest - *start;
}

void WorkCount::Add(const ProgressEvent& event) {
  const bool goes_on = event.event == "resume";
  const bool says_where =
      goes_on || event.event == "begin" || event.step || event.samples_seen || event.tokens_seen;
  const bool is_first = says_where && !std::exchange(has_begun_, has_begun_ || says_where);
  const auto add = [&](const std::optional<std::int64_t>& count, Position& position) {
    if (is_first) position.start = goes_on ? count : 0;
    position.furthest = std::max(position.furthest, count);
  };
  add(event.step, steps_);
  add(event.samples_seen, samples_);
  add(event.tokens_seen, tokens_);
  if (event.event == "begin") last_step_ = 0;
  if (event.step) last_step_ = event.step;
  if (event.total_steps) total_steps_ = event.total_steps;
}

std::optional<double> WorkCount::share() const {
  if (!last_step_ || !total_steps_ || *last_step_ < 0 || *total_steps_ < 1) return std::nullopt;
  if (*last_step_ > *total_steps_) return std::nullopt;
  return static_cast<double>(*last_step_) / static_cast<double>(*total_steps_);
}

core::Work WorkCount::done() const { return {tokens_.Done(), samples_.Done(), steps_.Done()}; }

core::Work WorkTail::Read() {
  const auto take = [&](std::string_view line) {
    if (const auto event = ParseProgressLine(line)) count_.Add(*event);
  };
  if (tail_.Read(take, kPart)) {
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(file_, error);
    if (!error && size > kPart) tail_ = platform::LineTail(file_, size - kPart);
    tail_.Read(take, kPart);
  }
  return count_.done();
}

}  // namespace ebb::report
