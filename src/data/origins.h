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

// Adds those of the cursor's last element, which becomes this row of a batch.
void add_origins_of_row(const Cursor& cursor, int64_t row, std::vector<SampleOrigin>& to);

}  // namespace stoker::data
