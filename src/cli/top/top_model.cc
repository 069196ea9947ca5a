#include "cli/top/top_model.h"

#include <algorithm>

#include "base/text.h"

namespace ebb::cli {
namespace {

constexpr char kCtrlZ = 26;
constexpr long long kPage = 10, kWholeList = 1'000'000;
constexpr const char* kHelp =
    "up, down, j, k      select a job; PgUp, PgDn, Home, End: further\n"
    "s, > and <          sort by the next or the previous figure\n"
    "e                   explain why the job is where it is, as ebb explain\n"
    "p                   pause the job; if a person holds it, resume it\n"
    "x, c                cancel the job, after a question\n"
    "Ctrl-Z              stop ebb top; fg continues it\n"
    "h, ?                this help\n"
    "q, Ctrl-C           end ebb top; jobs go on\n"
    "\n"
    "progress            of the steps that the program reports; ~: of the run time, by the plan\n"
    "rate                by the progress of the last minute\n"
    "clean, dirty        among the cleanest, or dirtiest, third of the next 24 hours";

std::string NameOf(const TopJob& job) {
  return "job " + std::to_string(job.number) + " (" + Printable(job.name) + ")";
}

}  // namespace

const TopJob* TopModel::selected() const {
  return selected_ < sample_.jobs.size() ? &sample_.jobs[selected_] : nullptr;
}

long long TopModel::SelectedNumber() const {
  const TopJob* job = selected();
  return job ? job->number : 0;
}

void TopModel::Take(TopSample sample) {
  const long long number = SelectedNumber();
  sample_ = std::move(sample);
  lost_.clear();
  Arrange(number);
}

// Puts the jobs in order, and selects the one of that number, or else the one at the same place.
void TopModel::Arrange(long long number) {
  Sort(sample_.jobs, order_);
  const auto found = std::ranges::find(sample_.jobs, number, &TopJob::number);
  if (found == sample_.jobs.end()) return Move(0);
  selected_ = static_cast<std::size_t>(found - sample_.jobs.begin());
}

void TopModel::Move(long long by) {
  const auto last = std::max(static_cast<long long>(sample_.jobs.size()) - 1, 0LL);
  selected_ =
      static_cast<std::size_t>(std::clamp(static_cast<long long>(selected_) + by, 0LL, last));
}

void TopModel::Order(TopOrder order) {
  order_ = order;
  Arrange(SelectedNumber());
}

// The answer to the question whether to cancel a job.
TopCommand TopModel::Answer(const KeyPress& press) {
  const TopJob job = *std::exchange(asked_, std::nullopt);
  if (press.character == 'y' || press.character == 'Y') return {TopAction::kCancel, job.number};
  message_ = NameOf(job) + " is not cancelled";
  return {};
}

TopCommand TopModel::Press(const KeyPress& press) {
  message_.clear();
  if (asked_) return Answer(press);
  if (std::exchange(shown_, std::nullopt)) return {};
  switch (press.key) {
    case Key::kUp:
      Move(-1);
      return {};
    case Key::kDown:
      Move(1);
      return {};
    case Key::kPageUp:
      Move(-kPage);
      return {};
    case Key::kPageDown:
      Move(kPage);
      return {};
    case Key::kHome:
      Move(-kWholeList);
      return {};
    case Key::kEnd:
      Move(kWholeList);
      return {};
    case Key::kCharacter:
      return PressCharacter(press.character);
    default:
      return {};
  }
}

TopCommand TopModel::PressCharacter(char character) {
  const TopJob* job = selected();
  const long long number = SelectedNumber();
  switch (character) {
    case 'q':
      return {TopAction::kQuit};
    case kCtrlZ:
      return {TopAction::kSuspend};
    case 'k':
      Move(-1);
      return {};
    case 'j':
      Move(1);
      return {};
    case 's':
    case '>':
      Order(Next(order_, 1));
      return {};
    case '<':
      Order(Next(order_, -1));
      return {};
    case 'h':
    case '?':
      Show("keys", kHelp);
      return {};
    case 'e':
      return job ? TopCommand{TopAction::kExplain, number} : TopCommand{};
    case 'p':
      if (!job) return {};
      return {job->is_held() ? TopAction::kResume : TopAction::kPause, number};
    case 'x':
    case 'c':
      if (job) asked_ = *job;
      return {};
    default:
      return {};
  }
}

}  // namespace ebb::cli
