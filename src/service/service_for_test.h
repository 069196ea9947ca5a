#pragma once
// The fixture of tests of the service: each test has a service of its own.

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "service/world_for_test.h"

namespace ebb::service {

inline const std::string kPausable = "trap 'exit 75' TERM; while :; do sleep 0.02; done";
// A script that succeeds once the file `name` exists.
inline std::string Until(const std::string& name) {
  return "while [ ! -e " + name + " ]; do sleep 0.02; done";
}

inline service::ControlJob ControlOf(core::JobId job, engine::JobControl control) {
  return {job, control};
}

class ServiceTest : public ::testing::Test {
 protected:
  void Touch(const std::string& name) { std::ofstream(world_.directory() / name) << "x"; }
  World world_{::testing::UnitTest::GetInstance()->current_test_info()->name()};
};

}  // namespace ebb::service
