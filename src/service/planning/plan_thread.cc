#include "service/planning/plan_thread.h"

#include <utility>

namespace ebb::service {
namespace {

using engine::Planning;

// Before the first plan nobody knows how long one takes. Queues up to this length are surely quick.
constexpr std::size_t kSurelyQuick = 20;
constexpr int kRestOfSubmissions = 20;

}  // namespace

PlanThread::PlanThread(Ports ports) : ports_(std::move(ports)) {
  if (ports_.policy->places_beside()) thread_ = std::thread([this] { Work(); });
}

PlanThread::~PlanThread() {
  {
    const std::lock_guard guard(mutex_);
    stopping_ = true;
  }
  woken_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void PlanThread::Work() {
  for (;;) {
    std::shared_ptr<const engine::PlanQuestion> question;
    {
      std::unique_lock guard(mutex_);
      woken_.wait(guard, [this] { return stopping_ || question_; });
      if (stopping_) return;
      question = std::exchange(question_, nullptr);
    }
    const auto begin = Clock::now();
    Answer answer{question, question->Answer(*ports_.policy), {}};
    answer.took = Clock::now() - begin;
    {
      const std::lock_guard guard(mutex_);
      answer_ = std::move(answer);
    }
    ports_.on_answer();
  }
}

// Whether people would notice a whole plan of this many jobs, judged by the last plan.
bool PlanThread::Takes(std::size_t jobs) const {
  if (of_jobs_ == 0) return jobs > kSurelyQuick;
  return took_ * static_cast<std::int64_t>(jobs) >
         ports_.felt * static_cast<std::int64_t>(of_jobs_);
}

PlanThread::Clock::duration PlanThread::RestLeft() const {
  const Clock::duration rest = hurry_ ? took_ : kRestOfSubmissions * took_;
  return std::max(answered_ + rest - Clock::now(), Clock::duration::zero());
}

std::optional<PlanThread::Answer> PlanThread::TakeAnswer() {
  const std::lock_guard guard(mutex_);
  return std::exchange(answer_, std::nullopt);
}

Planning PlanThread::Choose(engine::Engine& engine) {
  deciding_since_ = Clock::now();
  deciding_on_ = engine.state().live.size();
  news_ = engine.has_unplanned();
  const auto choose = [&] {
    if (!thread_.joinable()) return Planning::kWhole;
    if (auto answer = TakeAnswer()) {
      took_ = answer->took;
      of_jobs_ = std::max<std::size_t>(answer->question->jobs(), 1);
      answered_ = Clock::now();
      ports_.counters.planning.Add(took_);
      asked_.reset();
      if (engine.question() == answer->question) {
        engine.TakeAnswer(*answer->question, std::move(answer->schedule));
        return Planning::kTake;
      }
    }
    if (asked_) return Planning::kBeside;
    if (!Takes(deciding_on_)) return Planning::kWhole;
    return RestLeft() > Clock::duration::zero() ? Planning::kBeside : Planning::kAsk;
  };
  return chosen_ = choose();
}

void PlanThread::OnDecided(const engine::Engine& engine) {
  if (!thread_.joinable()) return;
  wanted_ = engine.has_unplanned();
  if (chosen_ == Planning::kWhole && news_ && deciding_on_ > 0) {
    took_ = Clock::now() - deciding_since_;
    of_jobs_ = deciding_on_;
  }
  if (!engine.question() || engine.question() == asked_ || chosen_ != Planning::kAsk) return;
  asked_ = engine.question();
  hurry_ = false;
  {
    const std::lock_guard guard(mutex_);
    question_ = asked_;
  }
  woken_.notify_one();
}

Time PlanThread::NextAt() const {
  {
    const std::lock_guard guard(mutex_);
    if (answer_) return Time::min();
  }
  if (asked_ || !wanted_) return Time::max();
  return ports_.after(RestLeft());
}

}  // namespace ebb::service
