#pragma once
#include "data/stage.h"

// Elements by their number where only their origins are asked for (Opening::numbers_only).
namespace stoker::data {

// Of a source: what the elements are numbers of.
std::shared_ptr<const Indexed> numbered(const Stage& source,
                                        std::shared_ptr<const Indexed> elements);
// Of batches of so many rows.
std::shared_ptr<const Indexed> numbered_batches(std::shared_ptr<const Indexed> rows, int64_t size,
                                                bool drop_remainder);

}  // namespace stoker::data
