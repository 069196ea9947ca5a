#pragma once
// The port for objects that have no field of their own that suspends them.

#include <string>

namespace ebb::kubernetes {

/// Releases and holds objects that have no field of their own for that.
class ReleaseGate {
 public:
  virtual ~ReleaseGate() = default;
  /// `pool`: where the engine has it run.
  virtual void Release(const std::string& uid, int pool) = 0;
  /// Ends the running object.
  virtual void Hold(const std::string& uid) = 0;
  /// Takes back a release without effect so far. False: it has had an effect, or may have had one.
  virtual bool TakeBack(const std::string& uid) = 0;
  /// Called when the engine has given the object up.
  virtual void Leave(const std::string& uid) = 0;
};

}  // namespace ebb::kubernetes
