#pragma once
// Finds out whether the cluster has Kueue, and in which version of its API, and follows what it has
// there. Looks again now and then where it has none.
//
// Thread contract: that of the ApiClient.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kubernetes/api_client.h"
#include "kubernetes/kueue_board.h"
#include "kubernetes/reflector.h"

namespace ebb::kubernetes {

class KueueWatch {
 public:
  struct Ports {
    ApiClient& client;
    KueueBoard& board;
    std::function<Duration()> since_boot;
    std::function<void(const std::string&)> say;
    /// The path of a collection, where not all namespaces are followed.
    std::function<std::string(const std::string&)> in_namespace;
  };
  KueueWatch(Ports ports, ReflectorOptions options);
  ~KueueWatch();

  void Tick();
  std::optional<Duration> NextDue() const;
  /// What there is of Kueue has been told, as far as the server tells it.
  bool ready() const;

 private:
  void Look();
  void TakeGroup(const Result<ApiAnswer>& answer);
  void Follow(const GatedKind& kind);
  void Add(const std::string& path, ReflectorEvents events);

  Ports ports_;
  ReflectorOptions options_;
  const GatedKind* kind_ = nullptr;  // of the version that is followed
  std::vector<std::unique_ptr<Reflector>> reflectors_;
  bool looked_ = false, under_way_ = false;
  Duration due_{};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace ebb::kubernetes
