#include "service/intake/inbox.h"

#include <iterator>

namespace ebb::service {

std::future<Result<Answer>> Inbox::Ask(Request request) {
  std::vector<Request> one;
  one.push_back(std::move(request));
  return std::move(AskAll(std::move(one)).front());
}

std::vector<std::future<Result<Answer>>> Inbox::AskAll(std::vector<Request> requests) {
  std::vector<std::future<Result<Answer>>> answers;
  {
    const std::lock_guard guard(mutex_);
    std::optional<Error> refused = closed_;
    if (!refused && waiting_.size() + requests.size() > limit_)
      refused = Error{ExitCode::kTryLater, "too many requests wait", "", "try again in a moment"};
    for (Request& request : requests) {
      Promise promise;
      answers.push_back(promise.get_future());
      if (refused)
        promise.set_value(Fail(*refused));
      else
        waiting_.push_back({std::move(request), std::move(promise)});
    }
  }
  wake_();
  return answers;
}

void Inbox::Close(std::optional<Error> why) {
  std::deque<Asked> refused;
  {
    const std::lock_guard guard(mutex_);
    closed_ = std::move(why);
    if (closed_) refused.swap(waiting_);
  }
  for (Asked& asked : refused) asked.promise.set_value(Fail(*closed_));
}

bool Inbox::empty() const {
  const std::lock_guard guard(mutex_);
  return waiting_.empty();
}

std::vector<Inbox::Asked> Inbox::Take(std::size_t most) {
  const std::lock_guard guard(mutex_);
  const std::size_t count = std::min(most, waiting_.size());
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
  std::vector<Asked> taken(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  return taken;
}

}  // namespace ebb::service
