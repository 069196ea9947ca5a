#pragma once
// Tells the views, the accounts and the store what the loop does. Private to service/.
//
// Thread contract: the loop's thread.

#include <chrono>

#include "runtime/run_loop.h"
#include "service/service.h"

namespace ebb::service {

class Service::Observer final : public runtime::LoopObserver {
 public:
  explicit Observer(Service& service) : service_(service) {}
  void OnEvent(const engine::Event& event) override;
  void OnRefused(const engine::Event& event, const Error& error) override;
  void OnStored() override;
  void OnDeciding() override;
  void OnDecision(const engine::Decision& decision, const engine::Engine& engine) override;
  void OnCommandFailed(const engine::Command& command, const Error& error) override;

 private:
  void Count(const engine::Event& event);

  Service& service_;
  std::chrono::nanoseconds deciding_since_{};  // processor time
};

}  // namespace ebb::service
