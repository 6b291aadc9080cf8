#pragma once
#include <cstdint>
#include <string_view>

#include "io/csv.h"
#include "io/hdf5.h"
#include "io/idx.h"
#include "io/npy.h"
#include "io/npz.h"
#include "io/safetensors.h"
#include "io/tfrecord.h"
#include "io/zip.h"
#include "nn/saving/archive.h"
#include "stoker/error.h"

namespace stoker::fuzz {

// What a reader returned must be readable from end to end.
inline void touch(const Array& array) {
  if (array.size() == 0) return;
  array.at(0);
  array.at(array.size() - 1);
}
inline void touch(const NamedArrays& arrays) {
  for (const auto& [name, array] : arrays) touch(array);
}
inline void touch(const H5Group& group) {
  for (const auto& [name, dataset] : group.datasets)
    if (!dataset.value.is_text()) touch(dataset.value.numbers);
  for (const auto& [name, child] : group.groups) touch(child);
}

inline void npy(const Blob& file) { touch(parse_npy(file)); }
inline void npz(const Blob& file) { touch(parse_npz(file)); }
inline void idx(const Blob& file) { touch(parse_idx(file)); }
inline void csv(const Blob& file) {
  touch(parse_csv(file, {.allow_missing = true, .dtype = DType::float64}));
}
inline void safetensors(const Blob& file) { touch(parse_safetensors(file).tensors); }
inline void hdf5(const Blob& file) { touch(parse_hdf5(file)); }
inline void tfrecord(const Blob& file) { parse_tfrecord(file); }
inline void zip(const Blob& file) {
  const ZipReader archive(file);
  for (const std::string& name : archive.names()) archive.read(name);
}
inline void json(const Blob& file) { parse_json(file.text()).to_string(); }
inline void toml(const Blob& file) { parse_toml(file.text()).to_string(); }
// A whole model, never run: its config has to make layers, its weights to fit them.
inline void keras(const Blob& file) { nn::parse_model(file).to_config().to_string(); }
inline void keras_config(const Blob& file) {
  const Config config = parse_json(file.text());
  Model model = Model::from_config(config);
  if (const Config* settings = config.find("compile_config")) model.compile_from_config(*settings);
  model.to_config().to_string();
}

using Target = void (*)(const Blob&);
struct Format {
  std::string_view name;  // its folder in fuzz/corpus/
  Target target;
};
inline constexpr Format formats[] = {{"npy", npy},
                                     {"npz", npz},
                                     {"idx", idx},
                                     {"csv", csv},
                                     {"safetensors", safetensors},
                                     {"hdf5", hdf5},
                                     {"json", json},
                                     {"toml", toml},
                                     {"tfrecord", tfrecord},
                                     {"zip", zip},
                                     {"keras", keras},
                                     {"keras_config", keras_config}};

// A reader may refuse; whatever else it throws, or does, is a find.
inline int run(Target target, const uint8_t* data, size_t size) {
  try {
    target(Blob::copy(std::as_bytes(std::span(data, size)), "fuzz"));
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace stoker::fuzz
