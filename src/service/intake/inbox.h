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

  /// `wake` is called after each request. Requests beyond `limit` waiting ones are refused.
  explicit Inbox(std::function<void()> wake, std::size_t limit = 100'000)
      : wake_(std::move(wake)), limit_(limit) {}

  /// Puts the request into the queue. The future gets the answer.
  std::future<Result<Answer>> Ask(Request request);
  /// Puts several requests into the queue, in this order and with none in between.
  std::vector<std::future<Result<Answer>>> AskAll(std::vector<Request> requests);
  /// Refuses all waiting and all further requests with this Error. Nothing: opens the inbox again.
  void Close(std::optional<Error> why);

  bool empty() const;
  /// Takes at most `most` requests, in order.
  std::vector<Asked> Take(std::size_t most);

 private:
  std::function<void()> wake_;
  std::size_t limit_;
  mutable std::mutex mutex_;
  std::deque<Asked> waiting_;
  std::optional<Error> closed_;
};

}  // namespace ebb::service
