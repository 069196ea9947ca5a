// The program that tests start as a supervisor that reads the signal from the store of the service,
// as `ebb supervise` does.

#include "local/supervisor/supervise_for_test.h"
#include "store/accounts/stored_feed.h"

int main(int, char** argv) {
  return ebb::local::SuperviseForTest(argv[1], [](const ebb::local::AttemptPlan& plan) {
    return std::make_unique<ebb::store::StoredFeed>(plan.store, plan.since);
  });
}
