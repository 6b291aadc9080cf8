#pragma once
#include "io/blob.h"
#include "stoker/io.h"

namespace stoker {

Array parse_csv(const Blob& file, const CsvOptions& options = {});

}  // namespace stoker
