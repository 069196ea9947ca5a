#pragma once
// The images that a command uses: those of MNIST, or digits that the program draws.

#include <cstdint>
#include <string>

namespace ebb::train {

enum class DataSource { kMnist, kDigits };
enum class DataPlace {
  kAuto,    ///< on a GPU if they fit, else in the host's memory
  kHost,    ///< batches are copied to the device
  kDevice,  ///< all of it is copied to the device once
};

struct DataOptions {
  DataSource data = DataSource::kMnist;
  std::string data_dir = "data";
  std::uint64_t data_seed = 1;
  std::int64_t train_samples = 0;  ///< 0: all of MNIST, 8,000 digits
  std::int64_t test_samples = 0;   ///< 0: all of MNIST, 2,000 digits
  bool download = true;
  DataPlace place = DataPlace::kAuto;
};

}  // namespace ebb::train
