#pragma once
// The port for objects that have no field of their own that suspends them.

#include <string>

namespace ebb::kubernetes {

/// A release as the engine wants it.
struct ReleaseOrder {
  int pool = -1;    ///< where the engine has it run
  int attempt = 0;  ///< number of the release
  int devices = 0;  ///< the object is to have so many; 0: as many as it has
};

/// Releases and holds objects that have no field of their own for that.
class ReleaseGate {
 public:
  virtual ~ReleaseGate() = default;
  /// Also for an object that runs, which then only gets other devices.
  virtual void Release(const std::string& uid, const ReleaseOrder& order) = 0;
  /// Ends the running object.
  virtual void Hold(const std::string& uid) = 0;
  /// Takes back a release without effect so far. False: it has had an effect, or may have had one.
  virtual bool TakeBack(const std::string& uid) = 0;
  /// Called when the engine has given the object up.
  virtual void Leave(const std::string& uid) = 0;
};

}  // namespace ebb::kubernetes
