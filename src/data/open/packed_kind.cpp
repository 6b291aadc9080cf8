#include <fstream>

#include "data/open/image_bytes.h"
#include "data/open/source_kind.h"
#include "data/sources/packed.h"
#include "io/packed/packed_layout.h"

namespace stoker::data {
namespace {

bool is_packed(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string head(packed::magic.size(), '\0');
  return file.read(head.data(), static_cast<std::streamsize>(head.size())) && head == packed::magic;
}

// Encoded image files, which `stoker pack` stores unchanged.
bool holds_images(const Dataset& samples) {
  const TensorSpec first = samples.element_spec().arrays.at(0);
  if (first.text || first.dtype != DType::uint8 || first.shape.rank() != 1) return false;
  for (const Element& sample : samples.take(1)) {
    const auto bytes = sample.arrays()[0].data<uint8_t>();
    return is_image({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  return false;
}

std::vector<std::string> class_names(const std::string& path) {
  std::vector<std::string> names;
  const PackedElements packed(path);
  if (const Config* list = packed.file().notes().find("class_names"))
    for (const Config& name : list->as_list()) names.push_back(name.as_string());
  return names;
}

OpenedDataset open_packed(const std::string& path, const OpenDatasetArgs& args) {
  Dataset samples = Dataset::load(path);
  const bool decodes = holds_images(samples) && !args.keep_files;
  if (decodes) samples = samples.map(image_transform(path, args));
  samples = with_one_x(samples, path, args);
  return {{}, in_batches(samples, args), class_names(path), decodes};
}

const RegisterKind kind({"packed file", "what `stoker pack` and Dataset::save write", is_packed,
                         open_packed});

}  // namespace
}  // namespace stoker::data
