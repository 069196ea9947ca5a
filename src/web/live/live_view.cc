#include "web/live/live_view.h"

#include <algorithm>
#include <vector>

#include "web/answers/job_json.h"
#include "web/answers/status_answer.h"

namespace ebb::web {
namespace {

constexpr std::size_t kMostTold = 20'000;
constexpr std::size_t kJobsInOnePart = 1000;  // small enough that no part holds the reader up for
                                              // long

bool WriteEvent(const StreamWriter& write, const char* name, const std::string& data) {
  return write("event: " + std::string(name) + "\ndata: " + data + "\n\n");
}

// The highest id of the waiting jobs that are sent, among those in the queue when the reader comes.
core::JobId LastToTell(const service::JobIndex& jobs) {
  core::JobId last = std::numeric_limits<core::JobId>::max();
  std::size_t seen = 0;
  jobs.ForEach(0, [&](const service::JobCard& card) {
    if (++seen < kMostTold) return true;
    last = card.submission->job.id;
    return false;
  });
  return last;
}

std::string PartOfJobs(const std::vector<std::string>& parts, std::size_t begin, std::size_t end) {
  std::string text = "[";
  for (std::size_t i = begin; i < end; ++i) text += (i > begin ? "," : "") + parts[i];
  return text + "]";
}

}  // namespace

bool LiveView::TellJobs(const service::View& view, const StreamWriter& write) {
  const bool first = !told_;
  const auto form = parts_ == LiveParts::kRows ? JobAnswer::Form::kRow : JobAnswer::Form::kLine;
  if (first) last_waiting_ = LastToTell(view.jobs);
  std::vector<std::string> changed, gone;
  view.jobs.ForEachChange(
      first ? service::JobIndex{} : told_->jobs, [&](core::JobId id, const service::JobCard* card) {
        if (!card)
          gone.push_back(std::to_string(id));
        else if (id <= last_waiting_ || card->explanation.stage != engine::Stage::kWaiting)
          changed.push_back(report::ToJson(JobAnswer{card, form}));
      });
  if (!first && changed.empty() && gone.empty()) return true;
  std::size_t left_out = 0;
  if (last_waiting_ != std::numeric_limits<core::JobId>::max()) {
    view.jobs.ForEach(last_waiting_ + 1, [&](const service::JobCard& card) {
      left_out += card.explanation.stage == engine::Stage::kWaiting ? 1 : 0;
      return true;
    });
  }
  std::size_t begin = 0;
  do {
    const std::size_t end = std::min(changed.size(), begin + kJobsInOnePart);
    std::string data = "{\"changed\":" + PartOfJobs(changed, begin, end);
    if (begin == 0) data += ",\"gone\":" + PartOfJobs(gone, 0, gone.size());
    if (begin == 0 && first) data += ",\"whole\":true";
    if (end < changed.size()) data += ",\"more\":true";
    data += ",\"left_out\":" + std::to_string(left_out) + "}";
    if (!WriteEvent(write, "jobs", data)) return false;
    begin = end;
  } while (begin < changed.size());
  return true;
}

bool LiveView::TellGrid(const service::View& view, const StreamWriter& write) {
  const bool same =
      told_ && std::equal(view.signals.begin(), view.signals.end(), told_->signals.begin(),
                          told_->signals.end(), [](const auto& a, const auto& b) {
                            return a.view == b.view && a.lost == b.lost;
                          });
  return same || WriteEvent(write, "grid", SignalsToJson(view));
}

bool LiveView::Tell(std::shared_ptr<const service::View> view, const StreamWriter& write) {
  const std::uint64_t heard = told_ && !told_->events.empty() ? told_->events.back().number : 0;
  if (!WriteEvent(write, "status", ViewToJson(*view, heard))) return false;
  if (parts_ != LiveParts::kStatus && !(TellGrid(*view, write) && TellJobs(*view, write)))
    return false;
  told_ = std::move(view);
  return true;
}

}  // namespace ebb::web
