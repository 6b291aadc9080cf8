#pragma once
#include <set>
#include <string>

#include "io/hdf5/hdf5.h"
#include "stoker/model.h"

// Whole models in files: ".keras", a zip of metadata.json, config.json and model.weights.h5; and
// the older formats.
namespace stoker::nn {

inline constexpr const char* format_version = "3.15.1";  // of the Keras whose files these are like

// Parses a ".keras" archive or a legacy ".h5" file.
Model parse_model(const Blob& file, const LoadModelArgs& args = {});
// The weights in either, or in a ".weights.h5" file.
H5Group parse_weights(const Blob& file);
// The weights of several files listed by a ".weights.json": Keras's shards.
H5Group load_shards(const std::string& index);
std::set<std::string> shard_names(const Config& index);

}  // namespace stoker::nn
