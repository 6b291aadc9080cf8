#pragma once

namespace stoker::distribution {

// Lets the devices of all ranks reduce by themselves inside their steps, if their backend supports
// it, and reports how, or why the host does it instead. Every rank calls it once, after join.
// Returns false if the devices could, but the host does it.
bool connect_devices();

}  // namespace stoker::distribution
