#include "train/data/idx.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace ebb::train {
namespace {

constexpr std::size_t kMaxSamples = 10'000'000;
constexpr std::size_t kMaxSide = 4096;
constexpr char kUnsignedByte = 0x08;

struct IdxArray {
  std::vector<std::size_t> dimensions;
  std::string_view data;
};

tl::unexpected<Error> Corrupt(const NamedContent& file, std::string what) {
  return Fail({ExitCode::kConfiguration, std::move(what), file.name,
               "delete the file and download it again, or point --data-dir elsewhere"});
}

std::size_t BigEndian32(std::string_view bytes) {
  std::size_t value = 0;
  for (int i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[static_cast<std::size_t>(i)]);
  return value;
}

Result<IdxArray> ParseArray(const NamedContent& file, std::size_t dimension_count) {
  const std::string_view bytes = file.bytes;
  const std::size_t header = 4 + 4 * dimension_count;
  if (bytes.size() < 4 || bytes[0] != 0 || bytes[1] != 0 || bytes[2] != kUnsignedByte)
    return Corrupt(file, "is not an IDX file of unsigned bytes (wrong magic number)");
  if (static_cast<unsigned char>(bytes[3]) != dimension_count)
    return Corrupt(file, "has " + std::to_string(static_cast<unsigned char>(bytes[3])) +
                             " dimensions where " + std::to_string(dimension_count) +
                             " are expected");
  if (bytes.size() < header)
    return Corrupt(file, "is too short for an IDX header: " + std::to_string(bytes.size()) +
                             " bytes, needs " + std::to_string(header));
  IdxArray array;
  std::size_t volume = 1;
  for (std::size_t i = 0; i < dimension_count; ++i) {
    const std::size_t dimension = BigEndian32(bytes.substr(4 + 4 * i));
    const std::size_t limit = i == 0 ? kMaxSamples : kMaxSide;
    if (dimension == 0 || dimension > limit)
      return Corrupt(file, "dimension " + std::to_string(i + 1) + " is " +
                               std::to_string(dimension) + ", outside 1.." + std::to_string(limit));
    array.dimensions.push_back(dimension);
    volume *= dimension;
  }
  array.data = bytes.substr(header);
  if (array.data.size() != volume)
    return Corrupt(file, "holds " + std::to_string(array.data.size()) +
                             " bytes of data, its header says " + std::to_string(volume) +
                             (array.data.size() < volume ? " (truncated)" : " (bytes left over)"));
  return array;
}

std::vector<std::uint8_t> Bytes(std::string_view data) { return {data.begin(), data.end()}; }

std::string Header(std::initializer_list<std::size_t> dimensions) {
  std::string header = {0, 0, kUnsignedByte, static_cast<char>(dimensions.size())};
  for (const std::size_t dimension : dimensions) {
    for (int shift = 24; shift >= 0; shift -= 8)
      header += static_cast<char>(dimension >> shift & 0xff);
  }
  return header;
}

}  // namespace

Result<Dataset> ParseIdxDataset(const NamedContent& images, const NamedContent& labels) {
  EBB_ASSIGN_OR_RETURN(const IdxArray pixels, ParseArray(images, 3));
  EBB_ASSIGN_OR_RETURN(const IdxArray classes, ParseArray(labels, 1));
  if (pixels.dimensions[0] != classes.dimensions[0])
    return Corrupt(labels, "has " + std::to_string(classes.dimensions[0]) + " labels for the " +
                               std::to_string(pixels.dimensions[0]) + " images of " + images.name);
  Dataset dataset;
  dataset.shape = {pixels.dimensions[1], pixels.dimensions[2]};
  dataset.pixels = Bytes(pixels.data);
  dataset.labels = Bytes(classes.data);
  const auto bad = std::find_if(dataset.labels.begin(), dataset.labels.end(),
                                [](std::uint8_t label) { return label >= kClasses; });
  if (bad != dataset.labels.end())
    return Corrupt(labels, "label " + std::to_string(bad - dataset.labels.begin() + 1) + " is " +
                               std::to_string(*bad) + ", the classes are 0.." +
                               std::to_string(kClasses - 1));
  return dataset;
}

std::string EncodeIdxImages(const Dataset& dataset) {
  return Header({dataset.size(), dataset.shape.rows, dataset.shape.columns}) +
         std::string(dataset.pixels.begin(), dataset.pixels.end());
}

std::string EncodeIdxLabels(const Dataset& dataset) {
  return Header({dataset.size()}) + std::string(dataset.labels.begin(), dataset.labels.end());
}

}  // namespace ebb::train
