#include "saved_file.h"

#include <fmt/format.h>

#include "model_file.h"
#include "stoker/io.h"

namespace stoker::cli {

Holds what_is_held(const std::string& path, const char* others) {
  for (const char* end : {".weights.h5", ".safetensors", ".npz"})
    if (path.ends_with(end)) return Holds::weights;
  if (is_model_file(path)) return Holds::model;
  if (path.ends_with(".json")) return Holds::description;
  throw InvalidArgument(fmt::format("\"{}\" is not a file type that can be written.", path),
                        fmt::format(".keras and .h5 hold a model, .weights.h5, .safetensors and "
                                    ".npz its weights{}.",
                                    others));
}

void save_as(const Model& model, const std::string& path) {
  switch (what_is_held(path)) {
    case Holds::model:
      return model.save(path);
    case Holds::weights:
      return model.save_weights(path);
    case Holds::description:
      return save_json(path, model.to_config());
  }
}

}  // namespace stoker::cli
