#pragma once
#include "data/stage.h"

// Origins of elements by index (Opening::numbers_only).
namespace stoker::data {

// For a source.
std::shared_ptr<const Indexed> numbered(const Stage& source,
                                        std::shared_ptr<const Indexed> elements);
// For batches of so many rows.
std::shared_ptr<const Indexed> numbered_batches(std::shared_ptr<const Indexed> rows, int64_t size,
                                                bool drop_remainder);

// Adds the origins of the cursor's last element, which becomes this row of a batch.
void add_origins_of_row(const Cursor& cursor, int64_t row, std::vector<SampleOrigin>& to);

}  // namespace stoker::data
