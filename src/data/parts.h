#pragma once
#include "data/stage.h"

// The random numbers in the parts of a stage: two random maps of the same data must not draw the
// same.
namespace stoker::data {

// How part `part` is opened, so that its maps have their own random numbers, unless they have a
// seed of their own: the same seed gives an image and its mask the same augmentation.
Opening of_part(const Opening& opening, size_t part);

// How an input is opened that has `sources` sources in front of it, in a stage that returns the
// elements of several. The first has the numbers that it has alone. As inputs are told apart by the
// sources before them, those of a stage within another differ from its own.
Opening behind(const Opening& opening, size_t sources);

size_t sources_of(const Stage& stage);  // the stage itself, if it has no inputs

// The seed of a dataset that a function made, the number-th of its stage. Not that of the stages in
// front of it.
uint64_t seed_of_inner(uint64_t seed, int64_t number);

}  // namespace stoker::data
