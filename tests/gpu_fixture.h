#pragma once
// GPUs of the stand-in for NVML (meter/gpu/fake_nvml_for_test.h), for programs that a test starts.

#include "platform/http.h"
#include "serve_fixture.h"

namespace ebb {

class Gpus : public ServeCommand {
 protected:
  // `state` is described in meter/gpu/fake_nvml_for_test.h.
  void Have(const std::string& state) {
    Write("gpus.txt", state);
    fs::create_symlink(EBB_FAKE_NVML, directory_ / "libnvidia-ml.so.1");
    ::setenv("LD_LIBRARY_PATH", directory_.c_str(), 1);
    ::setenv("EBB_FAKE_NVML_STATE", (directory_ / "gpus.txt").c_str(), 1);
  }
  // Replaces the state at once, as a driver changes it. The next reader sees the new state.
  void Become(const std::string& state) {
    Write("next.txt", state);
    fs::rename(directory_ / "next.txt", directory_ / "gpus.txt");
  }
  platform::HttpResponse Get(const std::string& path) {
    std::string url = Read(directory_ / "ebb.db.url");
    url.resize(url.find_last_not_of('\n') + 1);
    platform::HttpRequest request{url + path};
    request.direct = true;
    return platform::HttpGet(request).value_or(platform::HttpResponse{});
  }
  void TearDown() override {
    for (const char* name : {"LD_LIBRARY_PATH", "EBB_FAKE_NVML_STATE", "CUDA_VISIBLE_DEVICES"})
      ::unsetenv(name);
    ServeCommand::TearDown();
  }
  // The service listens for a moment before it prints its devices.
  void WaitUntilSaid(const std::string& text) {
    WaitUntil([&] { return Contains(Read(directory_ / "serve.txt"), text); });
  }
  nlohmann::json DevicesNow() {
    return nlohmann::json::parse(Client({"devices", "--format", "json"}).out, nullptr, false);
  }
  // The lines that the programs of jobs wrote: the devices that each saw.
  std::multiset<std::string> Lines(const std::string& file) {
    std::istringstream stream(Read(directory_ / file));
    std::multiset<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.insert(line);
    return lines;
  }
};

}  // namespace ebb
