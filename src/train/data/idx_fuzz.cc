// libFuzzer target for the IDX reader. The first byte says where the input splits into an images
// and a labels file.

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "train/data/idx.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::size_t split = bytes.size() * data[0] / 255;
  const auto dataset = ebb::train::ParseIdxDataset({"images", bytes.substr(0, split)},
                                                   {"labels", bytes.substr(split)});
  if (dataset) {
    EBB_CHECK(dataset->pixels.size() == dataset->size() * dataset->shape.pixels());
    for (const std::uint8_t label : dataset->labels) EBB_CHECK(label < ebb::train::kClasses);
  }
  return 0;
}
