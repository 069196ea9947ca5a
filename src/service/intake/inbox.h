#pragma once
// The queue of requests between the threads that hear them (the web server's, an executor's) and
// the loop, which answers each one once what was asked for is stored, or refused.
//
// Thread contract: Ask and Close from any thread; the rest from the loop's.

#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <vector>

#include "service/intake/requests.h"

namespace ebb::service {

class Inbox {
 public:
  using Promise = std::promise<Result<Answer>>;
  struct Asked {
    Request request;
    Promise promise;
  };

  /// `wake` is called after something was put in. More than `limit` waiting requests are refused.
  explicit Inbox(std::function<void()> wake, std::size_t limit = 100'000)
      : wake_(std::move(wake)), limit_(limit) {}

  std::future<Result<Answer>> Ask(Request request);
  /// Several at once, in order.
  std::vector<std::future<Result<Answer>>> AskAll(std::vector<Request> requests);
  /// From now on everything is refused with this Error; what waits is, too. Nothing: open again.
  void Close(std::optional<Error> why);

  bool empty() const;
  /// At most `most`, in order.
  std::vector<Asked> Take(std::size_t most);

 private:
  std::function<void()> wake_;
  std::size_t limit_;
  mutable std::mutex mutex_;
  std::deque<Asked> waiting_;
  std::optional<Error> closed_;
};

}  // namespace ebb::service
